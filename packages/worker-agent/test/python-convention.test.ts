import { describe, expect, test } from 'vitest'

import { type CallRequest, type Last, pythons, type Rig, sharedRig } from './harness.ts'

const failureOf = (last: Last) => (last.type === 'error' ? last.error : null)
const outputsOf = (last: Last) => (last.type === 'result' ? last.outputs : last.error)

describe.each(pythons)('the Python convention with %s', (python) => {
  const shared = sharedRig({ python })
  const run = (request: CallRequest): { done: Promise<Last>; rig: Rig; id: string } => {
    const made = shared()
    const id = made.begin(request)
    return { done: made.last(id), rig: made, id }
  }
  const outputs = async (request: CallRequest) => outputsOf(await run(request).done)
  const failure = async (request: CallRequest) => failureOf(await run(request).done)

  test('inputs and settings are keyword arguments, a returned dict is the outputs [R164] [R165] [R166]', async () => {
    const source = 'def run(a, factor):\n    return {"y": a * factor}\n'
    expect(await outputs({ source, inputs: { a: 4 }, settings: { factor: 3 } })).toEqual({ y: 12 })
  })

  test('the only public function is the entry where run is absent', async () => {
    const source = 'from json import dumps\ndef _hidden(): pass\ndef predict(a):\n    return {"y": dumps(a)}\n'
    expect(await outputs({ source, inputs: { a: [1] } })).toEqual({ y: '[1]' })
  })

  test('several public functions without run are no_entry', async () => {
    const source = 'def a(): pass\ndef b(): pass\n'
    expect(await failure({ source })).toMatchObject({
      type: 'no_entry',
      message: expect.stringContaining('public functions: a, b'),
      traceback: null,
    })
  })

  test('an argument that the function lacks is named with the ports and settings', async () => {
    const source = 'def run(a): pass\n'
    const message = (await failure({ source, inputs: { a: 1 }, settings: { rate: 2 } }))?.message
    expect(message).toBe('run() has no parameter rate (input ports: a; settings: rate); add it, or take **kwargs')
  })

  test('a parameter that nothing feeds is named', async () => {
    const failed = await failure({ source: 'def run(a, b, c=1): pass\n', inputs: { a: 1 } })
    expect(failed).toMatchObject({ type: 'TypeError', message: expect.stringContaining('run() needs b') })
  })

  test('**kwargs takes all', async () => {
    const source = 'def run(**kwargs):\n    return {"y": kwargs}\n'
    expect(await outputs({ source, inputs: { a: 1 }, settings: { b: 2 } })).toEqual({ y: { a: 1, b: 2 } })
  })

  test('a warm node is looked at anew when it is given other names, and when it has another function', async () => {
    const source = [
      'def run(a, b=0):',
      '    global run',
      '    if a == 3:',
      '        def run(a, c=5):\n            return {"y": [a, c]}',
      '    return {"y": [a, b]}\n',
    ].join('\n')
    const live = { source, mode: 'live', node: 'changing' } as const
    expect(await outputs({ ...live, inputs: { a: 1 } })).toEqual({ y: [1, 0] })
    expect(await outputs({ ...live, inputs: { a: 2, b: 4 } })).toEqual({ y: [2, 4] })
    expect((await failure({ ...live, inputs: { a: 2, c: 4 } }))?.message).toContain('run() has no parameter c')
    expect((await failure({ ...live, inputs: { b: 4 } }))?.message).toContain('run() needs a')
    expect(await outputs({ ...live, inputs: { a: 3 } })).toEqual({ y: [3, 0] })
    expect(await outputs({ ...live, inputs: { a: 1, c: 4 } })).toEqual({ y: [1, 4] })
    expect((await failure({ ...live, inputs: { a: 1, b: 4 } }))?.message).toContain('run() has no parameter b')
  })

  test('a setting that has the name of an input is refused', async () => {
    const failed = await failure({ source: 'def run(a): pass\n', inputs: { a: 1 }, settings: { a: 2 } })
    expect(failed?.message).toContain('a: a setting has the name of an input port')
  })

  test('a default stands in for an absent passive input, and None where there is no default', async () => {
    const source = 'def run(a, b=5, c=None):\n    return {"y": [a, b, c]}\n'
    const passive = (port: string) => ({ port, dtype: 'any', trigger: false }) as const
    const given = { source, inputs: { b: null }, input_ports: [passive('a'), passive('b'), passive('c')] }
    expect(await outputs(given)).toEqual({ y: [null, 5, null] })
  })

  test('a null that arrived on a triggering port of dtype any is a value', async () => {
    const source = 'def run(a=5):\n    return {"y": [a]}\n'
    expect(await outputs({ source, inputs: { a: null } })).toEqual({ y: [null] })
  })

  test('None publishes nothing, as a result and as a value', async () => {
    expect(await outputs({ source: 'def run(): pass\n' })).toEqual({})
    expect(await outputs({ source: 'def run():\n    return {"y": None}\n' })).toEqual({})
  })

  test('an unknown output and a result that is no dict fail the call', async () => {
    const unknown = await failure({ source: 'def run():\n    return {"z": 1}\n' })
    expect(unknown?.message).toBe("return: there is no output port 'z'; the ports are y, loss")
    const list = await failure({ source: 'def run():\n    return [1]\n' })
    expect(list).toMatchObject({ type: 'TypeError', message: expect.stringContaining('return gave a list') })
  })

  test('a generator streams what it yields and returns the finals [R074]', async () => {
    const source = 'def run():\n    for i in range(3):\n        yield {"loss": i / 2}\n    return {"y": "done"}\n'
    const { done, rig, id } = run({ source })
    expect(outputsOf(await done)).toEqual({ y: 'done' })
    expect(rig.emitted(id)).toEqual([{ loss: 0 }, { loss: 0.5 }, { loss: 1 }])
  })

  test('async functions and async generators are awaited', async () => {
    const wait = 'import asyncio\nasync def run():\n    await asyncio.sleep(0)\n'
    expect(await outputs({ source: `${wait}    return {"y": 1}\n` })).toEqual({ y: 1 })
    const { done, rig, id } = run({ source: `${wait}    yield {"loss": 1}\n    yield {"loss": 2}\n` })
    expect(outputsOf(await done)).toEqual({})
    expect(rig.emitted(id)).toEqual([{ loss: 1 }, { loss: 2 }])
  })

  test('in a batch flow only streaming ports are emitted or yielded, and the line is told', async () => {
    const failed = await failure({ source: 'def run():\n    yield {"y": 1}\n' })
    expect(failed?.type).toBe('ValueError')
    expect(failed?.message).toContain("'y' is none (streaming ports: loss)")
    expect(failed?.traceback).toContain('File "train.py", line 2')
    expect((await failure({ source: 'def run():\n    emit(y=1)\n' }))?.type).toBe('ValueError')
    const { done, rig, id } = run({ source: 'def run():\n    emit(y=1)\n', mode: 'live' })
    await done
    expect(rig.emitted(id)).toEqual([{ y: 1 }])
  })

  test('tuples, number-like scalars, NaN and infinities travel; other values say what to do', async () => {
    const source = [
      'class Scalar:\n    def item(self): return 2.5',
      'def run():\n    emit(loss=float("nan"))\n    emit(loss=float("-inf"))\n    emit(loss=Scalar())',
      '    return {"y": {"t": (1, (2, 3)), "s": Scalar()}}\n',
    ].join('\n')
    const { done, rig, id } = run({ source })
    expect(outputsOf(await done)).toEqual({ y: { t: [1, [2, 3]], s: 2.5 } })
    expect(rig.emitted(id)).toEqual([{ loss: 'NaN' }, { loss: '-Infinity' }, { loss: 2.5 }])
  })

  test('arrays travel as lists: of numpy where there is one, else of what looks like its', async () => {
    const source = [
      'try:\n    import numpy as np\n    many, one, nan = np.array([[1, 2], [3, 4]]), np.float32(2.5), np.array([1.0, float("nan")])',
      '    huge, flag = np.zeros(2_000_000), np.bool_(True)',
      'except ImportError:',
      '    class Array:',
      '        def __init__(self, shape, values, size=4): self.shape, self.values, self.size = shape, values, size',
      '        def tolist(self): return self.values',
      '        def item(self):\n            if self.shape: raise ValueError("can only convert an array of size 1")\n            return self.values',
      '    many, one, nan = Array((2, 2), [[1, 2], [3, 4]]), Array((), 2.5), Array((2,), [1.0, float("nan")])',
      '    huge, flag = Array((2_000_000,), [], 2_000_000), Array((), True)',
      'def run(what):\n    if what == "plain":\n        emit(loss=one)\n        return {"y": {"many": many, "one": one, "flag": flag}}',
      '    return {"y": huge if what == "huge" else nan}\n',
    ].join('\n')
    const { done, rig, id } = run({ source, inputs: { what: 'plain' } })
    expect(outputsOf(await done)).toEqual({
      y: {
        many: [
          [1, 2],
          [3, 4],
        ],
        one: 2.5,
        flag: true,
      },
    })
    expect(rig.emitted(id)).toEqual([{ loss: 2.5 }])
    expect((await failure({ source, inputs: { what: 'huge' } }))?.message).toContain('use save_artifact()')
    expect((await failure({ source, inputs: { what: 'nan' } }))?.message).toContain('float port')
  })

  test.each([
    ['b"x"', 'TypeError', 'save_artifact()'],
    ['{1, 2}', 'TypeError', 'a set has no JSON form'],
    ['float("nan")', 'ValueError', 'float port'],
    ['2**60', 'ValueError', 'send it as a string'],
    ['[float("inf")]', 'ValueError', 'float port'],
    ['(lambda a: (a.append(a), a)[1])([])', 'ValueError', 'nested deeper than 64'],
    ['{(1, 2): 3}', 'TypeError', 'keys must be str'],
  ])('returning %s fails with a %s', async (value, type, text) => {
    const failed = await failure({ source: `def run():\n    return {"y": ${value}}\n` })
    expect(failed).toMatchObject({ type, message: expect.stringContaining(text) })
  })

  test('a float input spelled NaN arrives as a number', async () => {
    const source = 'def run(a):\n    return {"y": a != a}\n'
    const input_ports = [{ port: 'a', dtype: 'float', trigger: true } as const]
    expect(await outputs({ source, inputs: { a: 'NaN' }, input_ports })).toEqual({ y: true })
  })

  test('print and logging become the log, before the result', async () => {
    const source = [
      'import logging, sys, os\nlogging.getLogger("net").info("epoch")',
      'def run():\n    print("größe", end="")\n    print("warn", file=sys.stderr)',
      '    os.write(1, b"raw")\n    os.system("echo child")\n',
    ].join('\n')
    const { done, rig, id } = run({ source })
    expect((await done).type).toBe('result')
    expect(rig.frames.findLast((frame) => 'call' in frame && frame.call === id)?.type).toBe('result')
    for (const text of ['größe', 'warn', 'raw', 'child', 'INFO net: epoch']) expect(rig.log(id)).toContain(text)
  })

  test('a traceback shows the lines of the node and none of the runner', async () => {
    const source = 'def run():\n    return inner()\n\ndef inner():\n    raise KeyError("lr")\n'
    const failed = await failure({ source })
    expect(failed).toMatchObject({ type: 'KeyError', message: "'lr'" })
    expect(failed?.traceback).toContain('File "train.py", line 5, in inner\n    raise KeyError("lr")')
    expect(failed?.traceback).not.toContain('runner.py')
  })

  test.each<[what: string, source: string, lines: string[]]>([
    ['an async function', 'async def run():\n    raise KeyError("lr")\n', ['2, in run']],
    [
      'a task',
      'import asyncio\nasync def fail():\n    raise KeyError("lr")\n\nasync def run():\n    await asyncio.gather(fail())\n',
      ['6, in run', '3, in fail'],
    ],
    [
      'a chain',
      'def run():\n    try:\n        1 / 0\n    except ZeroDivisionError as error:\n        raise ValueError("lr") from error\n',
      ['3, in run', '5, in run'],
    ],
    [
      'a failure in a handler',
      'def run():\n    try:\n        emit(nothing=1)\n    except ValueError:\n        {}["lr"]\n',
      ['3, in run', '5, in run'],
    ],
    [
      'a group',
      'def fail():\n    raise KeyError("lr")\n\ndef run():\n    try:\n        fail()\n    except KeyError as error:\n        raise ExceptionGroup("both", [error])\n',
      ['6, in run', '2, in fail', '8, in run', '6, in run', '2, in fail'],
    ],
    ['an import', 'import missing_module\ndef run(): pass\n', ['1, in <module>']],
    ['a bad value', 'def run():\n    yield 1\n', ['2, in run']],
  ])('a traceback of %s has the lines of the code alone', async (_, source, lines) => {
    const trace = (await failure({ source }))?.traceback ?? ''
    const own = (line: string): boolean => line.includes('File "train.py"')
    const frames = trace.split('\n').filter((line) => line.includes('File "'))
    expect(frames.filter(own).map((line) => /line (.*)$/.exec(line)?.[1])).toEqual(lines)
    // asyncio calls the tasks that node code makes
    expect(frames.filter((line) => !own(line) && !line.includes('asyncio'))).toEqual([])
    expect(trace).not.toMatch(/session\.py|runners\.py|frozen/)
  })

  test.each([
    ['what it returned', 'def run():\n    return 1\n'],
    ['a value that has no JSON form', 'def run():\n    return {"y": {1, 2}}\n'],
    ['its arguments', 'def run(unknown):\n    pass\n'],
  ])('a failure by %s has no traceback: no line of the code has failed', async (_, source) => {
    expect(await failure({ source })).toMatchObject({ type: expect.any(String), traceback: null })
  })

  test('the traceback of an endless recursion has its begin and its end', async () => {
    const source =
      'def even(value_with_a_long_name):\n    return odd(value_with_a_long_name)  # a line that is long enough to count\n\n' +
      'def odd(value_with_a_long_name):\n    return even(value_with_a_long_name)  # a line that is long enough to count\n\n' +
      'def run():\n    return even(1)\n'
    const trace = (await failure({ source }))?.traceback ?? ''
    expect(trace).toContain('Traceback (most recent call last):\n  File "train.py", line 8, in run\n')
    expect(trace).toMatch(/\n {2}\[\d+ lines left out\]\n/)
    expect(trace).toMatch(/RecursionError: .*\n$/)
    expect(trace.length).toBeLessThan(66_000)
  })

  test('a syntax error fails the call with its line [R601]', async () => {
    const failed = await failure({ source: 'def run():\n    retrun 1\n' })
    expect(failed).toMatchObject({ type: 'SyntaxError', traceback: expect.stringContaining('File "train.py", line 2') })
    expect(failed?.traceback?.match(/File "/g)).toHaveLength(1)
  })

  test('dataclasses with postponed annotations work', async () => {
    const source = [
      'from __future__ import annotations\nfrom dataclasses import dataclass, asdict',
      '@dataclass\nclass Point:\n    x: int\ndef run():\n    return {"y": asdict(Point(1))}\n',
    ].join('\n')
    expect(await outputs({ source })).toEqual({ y: { x: 1 } })
  })
})

describe.each(pythons)('helpers with %s', (python) => {
  const shared = sharedRig({ python })

  test('artifacts are stored and loaded as bytes [R027] [R379]', async () => {
    const fresh = shared()
    const source = [
      'import pathlib\ndef run():\n    ref = save_artifact(bytes(range(256)) * 4096)',
      '    pathlib.Path("a.txt").write_text("from a file")',
      '    file = save_artifact(pathlib.Path("a.txt"), "a.txt", "text/plain", volatile=True)',
      '    assert load_artifact(ref) == bytes(range(256)) * 4096 and load_artifact(file["digest"]) == b"from a file"',
      '    assert load_artifact(save_artifact(memoryview(b""))) == b""',
      '    return {"y": [ref, file]}\n',
    ].join('\n')
    const outputs = outputsOf(await fresh.call({ source })) as { y: unknown }
    expect(outputs.y).toEqual([
      expect.objectContaining({ name: '', media_type: 'application/octet-stream', size: 1048576, volatile: false }),
      expect.objectContaining({ name: 'a.txt', media_type: 'text/plain', size: 11, volatile: true }),
    ])
    expect(fresh.stored.size).toBe(3)
  })

  test('an artifact that is gone is FileNotFoundError', async () => {
    const fresh = shared()
    const source = 'def run():\n    load_artifact("sha256:00")\n'
    expect(failureOf(await fresh.call({ source }))).toMatchObject({
      type: 'FileNotFoundError',
      message: 'there is no artifact sha256:00',
    })
  })

  test('helpers are importable, and may be called from threads', async () => {
    const fresh = shared()
    const source = [
      'import threading\nfrom service import emit, save_artifact, load_artifact',
      'def work(i):\n    for k in range(200):\n        emit(loss=i)\n    load_artifact(save_artifact(b"%d" % i))',
      'def run():\n    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]',
      '    [t.start() for t in threads]; [t.join() for t in threads]\n    return {"y": 1}\n',
    ].join('\n')
    const id = fresh.begin({ source })
    expect(outputsOf(await fresh.last(id))).toEqual({ y: 1 })
    expect(fresh.emitted(id)).toHaveLength(1600)
  })

  test('emit outside an execution is a RuntimeError', async () => {
    const fresh = shared()
    expect(failureOf(await fresh.call({ source: 'emit(loss=1)\ndef run(): pass\n' }))?.type).toBe('RuntimeError')
    const source = [
      'import os\ndef run():\n    pid = os.fork()\n    if pid == 0:\n        try: emit(loss=1)',
      '        except RuntimeError: os._exit(7)',
      '    return {"y": os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])}\n',
    ].join('\n')
    expect(outputsOf(await fresh.call({ source }))).toEqual({ y: 7 })
  })
})
