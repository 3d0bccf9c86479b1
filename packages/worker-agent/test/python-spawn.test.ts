import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { describe, expect, onTestFinished, test } from 'vitest'

import { children, isAlive, type Last, python, rig, type Rig, until } from './harness.ts'

const failureOf = (last: Last) => (last.type === 'error' ? last.error : null)
const parentOf = (pid: number): number => Number(/PPid:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])

/** A worker whose Python cannot fork: `why` is what the system says. */
function refusing(why: string): Rig {
  const folder = mkdtempSync(join(tmpdir(), 'no-fork-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const site = `import os\ndef fork():\n    raise OSError(11, ${JSON.stringify(why)})\nos.fork = fork\n`
  writeFileSync(join(folder, 'sitecustomize.py'), site)
  return rig({ python, env: { ...process.env, PYTHONPATH: folder } })
}

describe.skipIf(python === null)('Python processes that are no forks', () => {
  test.each([
    ['the platform has no fork', () => rig({ python, fork: false })],
    ['every fork is refused', () => refusing('no processes left')],
  ])('keep the whole convention where %s', async (_, open) => {
    const own = open()
    const source = [
      'import os, sys\nprint("loaded")',
      'def run(n):\n    for i in range(n):\n        yield {"loss": i}',
      '    ref = save_artifact(b"bytes")\n    assert load_artifact(ref) == b"bytes"',
      '    print("warn", file=sys.stderr); os.system("echo child")',
      '    return {"y": [os.getppid(), os.getpgid(0) == os.getpid(), os.listdir(".")]}\n',
    ].join('\n')
    for (const mode of ['batch', 'live'] as const) {
      const id = own.begin({ source, inputs: { n: 3 }, mode })
      const last = await own.last(id)
      expect(last).toMatchObject({ type: 'result', outputs: { y: [process.pid, true, []] } })
      expect(own.emitted(id)).toEqual([{ loss: 0 }, { loss: 1 }, { loss: 2 }])
      for (const text of ['loaded', 'warn', 'child']) expect(own.log(id)).toContain(text)
    }
    const failed = await own.call({ source: 'def run():\n    return 1 / 0\n' })
    expect(failureOf(failed)?.traceback).toBe(
      'Traceback (most recent call last):\n  File "train.py", line 2, in run\n    return 1 / 0\n           ~~^~~\nZeroDivisionError: division by zero\n',
    )
  })

  test('are cancelled, and take what they have started with them', async () => {
    const own = rig({ python, fork: false })
    const source =
      'import subprocess\ndef run():\n    print(subprocess.Popen(["sleep", "600"]).pid, flush=True)\n    while True: pass\n'
    const id = own.begin({ source })
    await own.seen('log')
    const started = Number(own.log(id))
    own.engine.send({ type: 'cancel', call: id })
    expect(failureOf(await own.last(id))?.type).toBe('cancelled')
    expect(await until(() => !isAlive(started))).toBe(true)
  })

  test('end with the worker that is gone without a word', async () => {
    const own = rig({ python, fork: false, id: `spawned-${process.pid}` })
    own.begin({ source: 'import os\ndef run():\n    os.system("sleep 600")\n' })
    await own.seen('started')
    expect(await until(() => children(`spawned-${process.pid}`).length > 1)).toBe(true)
    own.engine.close()
    expect(await until(() => children(`spawned-${process.pid}`).length === 0)).toBe(true)
  })

  test('a fork that is refused once does not end the zygote', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'one-fork-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const site = [
      'import os\nreal, count = os.fork, 0\ndef fork():\n    global count\n    count += 1',
      '    if count == 1: raise OSError(12, "Cannot allocate memory")\n    return real()\nos.fork = fork\n',
    ].join('\n')
    writeFileSync(join(folder, 'sitecustomize.py'), site)
    const own = rig({ python, env: { ...process.env, PYTHONPATH: folder } })
    const source = 'import os\ndef run():\n    return {"y": os.getppid()}\n'
    const parents = []
    for (let at = 0; at < 3; at += 1) {
      const last = await own.call({ source })
      parents.push(last.type === 'result' ? last.outputs['y'] : last.error)
    }
    expect(parents[0]).toBe(process.pid)
    expect(parents[1]).not.toBe(process.pid)
    expect(parents[2]).toBe(parents[1])
    expect(parentOf(parents[1] as number)).toBe(process.pid)
  })
})
