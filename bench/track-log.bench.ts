/**
 * What `run.log` of the package for Python costs a training, against the least that keeps a point: its text, written to a
 * file. The engine is nowhere, so that the thread that sends has little to do; what it costs elsewhere is not the call's.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { environment } from '../packages/python/test/python.ts'
import { python } from '../test/components/pythons.ts'

const program = `
import json, os, statistics, time
from service import track

def timed(work):
    started = time.perf_counter()
    for value in range(2000):
        work(value / 7)
    return (time.perf_counter() - started) / 2000 * 1e6

least = os.open("least.jsonl", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
bare, ours = [], []
with track.run("fit", quiet=True) as run:
    for round in range(31):
        bare.append(timed(lambda value: os.write(least, (json.dumps(["loss", 1, value, 1]) + "\\n").encode())))
        ours.append(timed(lambda value: run.log(loss=value)))
print(json.dumps([statistics.median(ours), statistics.median(bare)]))
`

test.skipIf(python === null)('a call of log takes less than four times as long as writing a line', () => {
  const folder = mkdtempSync(join(tmpdir(), 'track-log-'))
  const env = { ...environment, SERVICE_URL: 'http://127.0.0.1:1/api/v1', SERVICE_TOKEN: 'none' }
  try {
    const told = execFileSync(python ?? '', ['-c', program], { cwd: folder, env, encoding: 'utf8', stdio: 'pipe' })
    const [ours = 0, bare = 0] = JSON.parse(told) as number[]
    console.log(`log: ${ours.toFixed(1)} us, a line: ${bare.toFixed(1)} us: ratio ${(ours / bare).toFixed(2)}`)
    expect(ours / bare).toBeLessThan(4)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
