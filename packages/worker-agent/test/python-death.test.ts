import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { describe, expect, onTestFinished, test } from 'vitest'

import { children, isAlive, type Last, python, rig, sharedRig, until } from './harness.ts'

const fine = 'def run():\n    return {"y": 1}\n'
const outputsOf = (last: Last): Record<string, unknown> => (last.type === 'result' ? last.outputs : last.error)
const failureOf = (last: Last) => (last.type === 'error' ? last.error : null)

describe.skipIf(python === null)('a Python process that does not survive', () => {
  const shared = sharedRig({ python })

  test.each([
    ['sys.exit', 'import sys\ndef run():\n    sys.exit(3)\n', 'process_died', 'sys.exit(3)'],
    ['os._exit(0)', 'import os\ndef run():\n    os._exit(0)\n', 'process_died', 'exited with code 0'],
    ['os._exit(9)', 'import os\ndef run():\n    os._exit(9)\n', 'process_died', 'exited with code 9'],
    ['a segmentation fault', 'import ctypes\ndef run():\n    ctypes.string_at(0)\n', 'process_died', 'SIGSEGV'],
    ['abort', 'import os\ndef run():\n    os.abort()\n', 'process_died', 'SIGABRT'],
    ['SIGKILL', 'import os\ndef run():\n    os.kill(os.getpid(), 9)\n', 'process_died', 'SIGKILL'],
    ['MemoryError', 'def run():\n    bytearray(2**62)\n', 'MemoryError', ''],
    ['endless recursion', 'def run():\n    run()\n', 'RecursionError', 'maximum recursion depth'],
    ['a failing import', 'import nothing_of_this_name\ndef run(): pass\n', 'ModuleNotFoundError', 'nothing_of'],
    ['an exit at import', 'import os\nos._exit(4)\n', 'process_died', 'exited with code 4'],
  ])('%s fails the call with its type, and the next call works [F63]', async (_, source, type, text) => {
    for (const mode of ['batch', 'live'] as const) {
      const failed = failureOf(await shared().call({ source, mode }))
      expect(failed).toMatchObject({ type, message: expect.stringContaining(text) })
      expect(await shared().call({ source: fine, mode })).toMatchObject({ outputs: { y: 1 } })
    }
  })

  test('a segmentation fault shows in the log where it was', async () => {
    const id = shared().begin({ source: 'import ctypes\ndef run():\n    ctypes.string_at(0)\n' })
    await shared().last(id)
    expect(shared().log(id)).toContain('File "train.py", line 3 in run')
  })

  test.each([
    ['closes all descriptors', 'import os\ndef run():\n    os.closerange(3, 200)\n    while True: pass\n'],
    [
      'writes rubbish to the control channel',
      'import os\ndef run():\n    [os.write(fd, b"x" * 64) for fd in map(int, os.listdir("/proc/self/fd")) if fd > 2 and is_socket(fd)]\n' +
        '    while True: pass\nimport stat\ndef is_socket(fd):\n    try: return stat.S_ISSOCK(os.fstat(fd).st_mode)\n    except OSError: return False\n',
    ],
  ])('code that %s fails, and the next call works [T79]', async (_, source) => {
    const failed = failureOf(await shared().call({ source }))
    expect(failed).toMatchObject({ type: 'process_died', message: expect.stringContaining('control channel') })
    expect(await shared().call({ source: fine })).toMatchObject({ outputs: { y: 1 } })
  })

  test('printing what looks like a frame is only a log', async () => {
    const id = shared().begin({ source: 'def run():\n    print(\'{"type":"result","outputs":{"y":2}}\')\n' })
    expect(await shared().last(id)).toMatchObject({ outputs: {} })
    expect(shared().log(id)).toContain('"outputs"')
  })

  test('a process that the code has started ends with the call, also after leaving the group [F64]', async () => {
    const source = [
      'import subprocess, sys',
      'def run():',
      '    plain = subprocess.Popen(["sleep", "600"])',
      '    out = subprocess.check_output(["setsid", "-f", "sh", "-c", "sleep 600 >/dev/null 2>&1 & echo $!"])',
      '    return {"y": [plain.pid, int(out)]}\n',
    ].join('\n')
    const last = await shared().call({ source })
    expect(last).toMatchObject({ outputs: { y: [expect.any(Number), expect.any(Number)] } })
    const pids = outputsOf(last)['y'] as number[]
    expect(await until(() => !pids.some(isAlive))).toBe(true)
  })

  test.each([
    [
      'a program',
      'subprocess.run(["setsid", "-f", "sh", "-c", f"echo $$ > {path}.new && mv {path}.new {path}; sleep 600"])',
    ],
    [
      'a copy of itself',
      [
        'if os.fork() == 0:',
        '        os.setsid()',
        '        if os.fork() == 0:',
        '            open(f"{path}.new", "w").write(str(os.getpid()))',
        '            os.rename(f"{path}.new", path)',
        '            time.sleep(600)',
        '        os._exit(0)',
        '    os.wait()',
      ].join('\n'),
    ],
  ])('%s that has left its group and its parent lives as long as its own call, not another one', async (_, start) => {
    const folder = mkdtempSync(join(tmpdir(), 'daemon-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const source = [
      'import os, subprocess, time',
      'def run(path):',
      `    ${start}`,
      '    while not os.path.exists(f"{path}.end"): time.sleep(0.005)',
      '    return {"y": 1}\n',
    ].join('\n')
    const path = join(folder, 'pid')
    const id = shared().begin({ source, inputs: { path } })
    expect(await until(() => existsSync(path))).toBe(true)
    const pid = Number(readFileSync(path, 'utf8'))
    for (let count = 0; count < 3; count += 1) await shared().call({ source: fine })
    expect(isAlive(pid)).toBe(true)
    writeFileSync(`${path}.end`, '')
    expect(await shared().last(id)).toMatchObject({ outputs: { y: 1 } })
    expect(await until(() => !isAlive(pid))).toBe(true)
  })

  test.each([
    ['returns', 'return {"y": "copy"}', ''],
    ['raises', 'raise ValueError("copy")', 'ValueError: copy'],
    ['exits', 'sys.exit(3)', ''],
    ['yields', 'yield {"loss": 1}', 'works only while the node executes, in its own process'],
  ])(
    'a copy that the code has forked of itself and that %s answers no call and takes none [F64]',
    async (_, end, log) => {
      const source = [
        'import os, sys',
        'def run(n):',
        '    if n == 0:',
        '        copy = os.fork()',
        `        if copy == 0: ${end}`,
        '        os.waitpid(copy, 0)',
        '    return {"y": n}\n',
      ].join('\n')
      for (const mode of ['live', 'batch'] as const) {
        for (const n of [0, 1, 0, 2]) {
          const id = shared().begin({ source, mode, node: end, inputs: { n } })
          expect(await shared().last(id)).toMatchObject({ outputs: { y: n } })
          if (n === 0) expect(shared().log(id)).toContain(log)
        }
      }
    },
  )

  test('a process has its three streams and its channel, and hands on the streams only', async () => {
    const source = [
      'import os, subprocess, sys',
      'def run():',
      '    open_ = lambda: sorted(int(fd) for fd in os.listdir("/proc/self/fd"))',
      '    own = [fd for fd in open_() if os.path.exists(f"/proc/self/fd/{fd}")]',
      '    child = subprocess.check_output([sys.executable, "-c", "import os; print(sorted(int(fd) for fd in os.listdir(\'/proc/self/fd\') if os.path.exists(f\'/proc/self/fd/{fd}\')))"], close_fds=False, text=True)',
      '    return {"y": [own, child.strip()]}\n',
    ].join('\n')
    for (const own of [shared(), rig({ python, fork: false })]) {
      const [fds, inherited] = outputsOf(await own.call({ source }))['y'] as [number[], string]
      expect(fds.slice(0, 3)).toEqual([0, 1, 2])
      expect(fds.length).toBeLessThanOrEqual(6)
      expect(inherited).toBe('[0, 1, 2]')
    }
  })

  test('memory beyond a limit of the process is a MemoryError, and the next call works [F63]', async () => {
    const source = [
      'import resource\ndef run():\n    resource.setrlimit(resource.RLIMIT_AS, (2**28, 2**28))',
      '    x = []\n    while True: x.append(bytearray(2**20))\n',
    ].join('\n')
    expect(failureOf(await shared().call({ source }))?.type).toBe('MemoryError')
    expect(await shared().call({ source: fine })).toMatchObject({ outputs: { y: 1 } })
  })

  test('the working directory is empty, and removed afterwards', async () => {
    const source =
      'import os\ndef run():\n    found = os.listdir(".")\n    open("a", "w").write("x")\n    return {"y": [os.getcwd(), found]}\n'
    const last = await shared().call({ source })
    const [directory, found] = outputsOf(last)['y'] as [string, string[]]
    expect(found).toEqual([])
    expect(await until(() => !existsSync(directory))).toBe(true)
  })

  test('an open file of the module is flushed when the process ends', async () => {
    const path = join(tmpdir(), `flushed-${process.pid}.txt`)
    const source = `file = open(${JSON.stringify(path)}, "w")\ndef run():\n    file.write("kept")\n`
    try {
      await shared().call({ source })
      expect(await until(() => existsSync(path) && readFileSync(path, 'utf8') === 'kept')).toBe(true)
    } finally {
      rmSync(path, { force: true })
    }
  })

  const crashing = process.env['SOAK'] === undefined ? 200 : 1_000

  test(`${crashing} crashes leave no zombie and no descriptor, here and in the zygote [F65]`, async () => {
    const id = `crashes-${process.pid}`
    const own = rig({ python, id })
    await own.call({ source: fine })
    const source = 'import os\ndef run():\n    return {"y": len(os.listdir(f"/proc/{os.getppid()}/fd"))}\n'
    const zygoteFds = async () => outputsOf(await own.call({ source }))['y'] as number
    const before = [readdirSync('/proc/self/fd').length, await zygoteFds()] as const
    const crashes = async (): Promise<void> => {
      for (let count = 0; count < crashing / 8; count += 1)
        await own.call({ source: 'import os\ndef run():\n    os._exit(1)\n' })
    }
    await Promise.all(Array.from({ length: 8 }, crashes))
    // The zygote and at most a spare.
    expect(await until(() => children(id).length <= 2)).toBe(true)
    expect(await until(() => zombiesOf([process.pid, ...children(id)]) === 0)).toBe(true)
    expect(readdirSync('/proc/self/fd').length).toBeLessThanOrEqual(before[0] + 5)
    expect(await zygoteFds()).toBeLessThanOrEqual(before[1] + 2)
  })

  test('a killed zygote fails its calls and is replaced', async () => {
    const own = rig({ python, id: 'zygote' })
    const id = own.begin({ source: 'import time\ndef run():\n    time.sleep(60)\n' })
    const { pid } = await own.seen('started')
    const parent = Number(/PPid:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
    process.kill(parent, 'SIGKILL')
    expect(failureOf(await own.last(id))).toMatchObject({ type: 'process_died' })
    expect(await until(() => !isAlive(pid))).toBe(true)
    expect(await own.call({ source: fine })).toMatchObject({ outputs: { y: 1 } })
  })
})

/** How many ended processes their parents have not taken note of: they have no environment by which to find them. */
function zombiesOf(parents: readonly number[]): number {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false
    try {
      const [, state, parent] = /\) (\S) (\d+) /.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
      return state === 'Z' && parents.includes(Number(parent))
    } catch {
      // ended meanwhile
      return false
    }
  }).length
}

describe('a missing interpreter', () => {
  test.skipIf(python === null)('that was removed fails the next start, and the worker lives on [F70]', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'python-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const path = join(folder, 'python3')
    symlinkSync(python as string, path)
    const own = rig({ python: path })
    await own.worker.ready
    rmSync(path)
    expect(failureOf(await own.call({ source: fine }))?.message).toContain(`${path} cannot be started`)
    symlinkSync(python as string, path)
    expect(await own.call({ source: fine })).toMatchObject({ outputs: { y: 1 } })

    // while code runs that it executes, and is to be started anew
    const goOn = join(folder, 'go-on')
    const waiting = `import os, time\ndef run():\n    while not os.path.exists(${JSON.stringify(goOn)}): time.sleep(0.01)\n    return {"y": os.getppid()}\n`
    const id = own.begin({ source: waiting })
    await own.seen('started', (frame) => frame.call === id)
    rmSync(path)
    mkdirSync(goOn)
    const zygote = outputsOf(await own.last(id))['y'] as number
    expect(zygote).toBeGreaterThan(1)
    process.kill(zygote, 'SIGKILL')
    const failed = async (): Promise<string> => failureOf(await own.call({ source: fine }))?.message ?? 'none'
    await expect.poll(failed).toContain(`${path} cannot be started`)
    symlinkSync(python as string, path)
    expect(await own.call({ source: fine })).toMatchObject({ outputs: { y: 1 } })
  })

  test('fails the call and says what to do', async () => {
    const own = rig({ python: null })
    const last = await own.call({ source: fine })
    expect(failureOf(last)?.message).toContain('no Python >= 3.11: install it, or set SERVICE_PYTHON')
    expect(await own.seen('hello')).toMatchObject({ python: null })
  })
})
