/** Another interpreter for Python calls while a worker works: what runs goes on, and what comes runs there. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { type Last, python, rig } from './harness.ts'

const outputsOf = (last: Last) => (last.type === 'result' ? last.outputs : last.error)
const where =
  'import sys\ncount = 0\ndef run():\n    global count\n    count += 1\n    return {"y": [sys.prefix, count]}\n'
/** Runs until there is a file. */
const waiting = (file: string): string => `import os, sys, time
def run():
    emit(loss=1)
    while not os.path.exists(${JSON.stringify(file)}):
        time.sleep(0.01)
    return {"y": sys.prefix}
`

describe.skipIf(python === null)('another interpreter', () => {
  const folder = mkdtempSync(join(tmpdir(), 'interpreters-'))
  const prefix = join(folder, 'venv')
  const other = join(prefix, 'bin', 'python')
  beforeAll(() => void execFileSync(python ?? '', ['-m', 'venv', '--without-pip', prefix]))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test('runs calls from the next one on, of live nodes too, which begin anew (process.P7)', async () => {
    const at = rig({ python })
    const live = { source: where, mode: 'live' } as const
    await at.call(live)
    const [base, count] = (outputsOf(await at.call(live)) as { y: [string, number] }).y
    expect([count, base === prefix]).toEqual([2, false])
    const { over } = await at.worker.usePython(other)
    expect(at.worker.python?.path).toBe(other)
    expect(outputsOf(await at.call(live))).toEqual({ y: [prefix, 1] })
    expect(outputsOf(await at.call({ source: where }))).toEqual({ y: [prefix, 1] })
    await over
    expect(outputsOf(await at.call(live))).toEqual({ y: [prefix, 2] })
  })

  test.each(['live', 'batch'] as const)(
    'lets a %s call that runs end where it runs, and then nothing is left there (process.P7)',
    async (mode) => {
      const gate = join(folder, mode)
      const at = rig({ python })
      const running = at.begin({ source: waiting(gate), mode })
      await at.seen('emit')
      const { over } = await at.worker.usePython(other)
      expect(outputsOf(await at.call({ source: where, node: 'next' }))).toEqual({ y: [prefix, 1] })
      expect(await Promise.race([over.then(() => 'over'), Promise.resolve('still running')])).toBe('still running')
      writeFileSync(gate, '')
      expect(outputsOf(await at.last(running))).toEqual({ y: expect.not.stringContaining('venv') })
      await over
    },
  )

  test('that does not run is refused, and calls go on as before', async () => {
    const at = rig({ python })
    await at.worker.ready
    await expect(at.worker.usePython(join(folder, 'nowhere'))).rejects.toThrow('nowhere does not run as Python >= 3.11')
    expect(at.worker.python?.path).toBe(python)
    expect(outputsOf(await at.call({ source: where }))).toMatchObject({ y: [expect.not.stringContaining('venv'), 1] })
  })
})
