import { type EngineFrame, WORKER_PROTOCOL } from '@flow-service/protocol'
import { describe, expect, test } from 'vitest'

import { AwakeTime } from '../../../test/components/awake-time.ts'
import { bundle, type CallRequest, children, isAlive, type Last, python, rig, sharedRig, until } from './harness.ts'

const failureOf = (last: Last) => (last.type === 'error' ? last.error : null)
const outputsOf = (last: Last) => (last.type === 'result' ? last.outputs : last.error)
const code = { kind: 'code', entry: 'entry' } as const
const welcome = (more: { heartbeat_s: number }): EngineFrame => ({
  type: 'welcome',
  worker: 'w',
  name: 'w',
  labels: [],
  protocol: WORKER_PROTOCOL,
  engine_version: '0',
  runtime: { digest: '', path: '' },
  silence_s: 90,
  ...more,
})

describe.skipIf(python === null)('calls of both languages', () => {
  const shared = sharedRig({ python })
  const languages = [
    ['Python', { source: 'count = 0\ndef run():\n    global count\n    count += 1\n    return {"y": count}\n' }],
    ['TypeScript', { source: `let count = 0\n${bundle('() => ({ y: ++count })')}`, ...code }],
  ] as const

  test.each(languages)(
    '%s: a live node keeps its state until it is released or its source changes',
    async (name, request) => {
      const live = { ...request, mode: 'live', node: name } as const
      expect(outputsOf(await shared().call(live))).toEqual({ y: 1 })
      expect(outputsOf(await shared().call(live))).toEqual({ y: 2 })
      expect(outputsOf(await shared().call({ ...live, node: `${name}2` }))).toEqual({ y: 1 })
      expect(outputsOf(await shared().call({ ...live, source: `${live.source}\n` }))).toEqual({ y: 1 })
      expect(outputsOf(await shared().call({ ...live, source: `${live.source}\n` }))).toEqual({ y: 2 })
      shared().engine.send({ type: 'release', flow: 'flow', node: name })
      expect(outputsOf(await shared().call({ ...live, source: `${live.source}\n` }))).toEqual({ y: 1 })
    },
  )

  test.each(languages)('%s: a failing live call keeps the state', async (name, request) => {
    const node = `${name}-fails`
    const raise =
      name === 'Python'
        ? 'def run(bad):\n    global n\n    n = globals().get("n", 0) + 1\n    if bad: raise ValueError("x")\n    return {"y": n}\n'
        : `let n = 0\n${bundle('({ bad }) => { n++; if (bad) throw new Error("x"); return { y: n } }')}`
    const live = { ...request, source: raise, mode: 'live', node } as const
    expect(failureOf(await shared().call({ ...live, inputs: { bad: true } }))).toMatchObject({ message: 'x' })
    expect(outputsOf(await shared().call({ ...live, inputs: { bad: false } }))).toEqual({ y: 2 })
  })

  test.each(languages)('%s: a batch call runs in a process that has run nothing', async (_, request) => {
    expect(outputsOf(await shared().call(request))).toEqual({ y: 1 })
    expect(outputsOf(await shared().call(request))).toEqual({ y: 1 })
  })

  test.each(languages)('%s: live calls of one node that overlap run one after the other', async (name, request) => {
    const live = { ...request, mode: 'live', node: `${name}-overlap` } as const
    const all = await Promise.all([shared().call(live), shared().call(live), shared().call(live)])
    expect(all.map(outputsOf)).toEqual([{ y: 1 }, { y: 2 }, { y: 3 }])
  })
})

describe.skipIf(python === null)('stopping', () => {
  const shared = sharedRig({ python })
  const busy = [
    ['a Python loop', { source: 'def run():\n    while True: pass\n' }],
    ['a blocked Python call', { source: 'import time\ndef run():\n    time.sleep(600)\n' }],
    ['a Python generator that never ends', { source: 'def run():\n    while True:\n        yield {"loss": 1}\n' }],
    ['a Node loop', { source: bundle('() => { for (;;); }'), ...code }],
    ['a Node promise', { source: bundle('() => new Promise((r) => setTimeout(r, 1e6))'), ...code }],
    ['a Node generator that never ends', { source: bundle('function* () { for (;;) yield { loss: 1 } }'), ...code }],
  ] as const

  test.each(busy)('cancel ends %s before a SIGKILL would, and its process first [R477]', async (_, request) => {
    const id = shared().begin(request)
    const { pid } = await shared().seen('started', (frame) => frame.call === id)
    using awake = new AwakeTime()
    shared().engine.send({ type: 'cancel', call: id })
    expect(failureOf(await shared().last(id))?.type).toBe('cancelled')
    expect(isAlive(pid)).toBe(false)
    // that comes after five seconds
    expect(awake.ms).toBeLessThan(4000)
  })

  test('a call is cancelled before it has a process', async () => {
    const id = shared().begin({ source: 'def run(): pass\n' })
    shared().engine.send({ type: 'cancel', call: id })
    expect(failureOf(await shared().last(id))?.type).toBe('cancelled')
  })

  test('code that looks at ctx.signal can tidy up', async () => {
    const source = bundle(`(_, ctx) => new Promise((_, reject) => {
      ctx.signal.addEventListener('abort', () => { console.log('tidied'); reject(ctx.signal.reason) })
      console.log('waits'); setTimeout(() => {}, 1e6)
    })`)
    const id = shared().begin({ source, ...code })
    await shared().seen('log', (frame) => frame.call === id)
    shared().engine.send({ type: 'cancel', call: id })
    expect(failureOf(await shared().last(id))?.type).toBe('cancelled')
    expect(shared().log(id)).toContain('tidied')
  })

  test('SIGKILL follows five seconds after a SIGTERM that is ignored, whatever tells a call to end [F67]', async () => {
    const own = rig({ python })
    await own.worker.ready
    own.engine.send(welcome({ heartbeat_s: 0.05 }))
    const deaf =
      'import signal\ndef run():\n    signal.signal(signal.SIGTERM, signal.SIG_IGN)\n    print("deaf")\n    while True: pass\n'
    const deafNode = bundle('(_, ctx) => { ctx.signal; console.log("deaf"); for (;;); }')
    // within C code, which lets no other Python code run
    const blocked = 'import ctypes\nprint("deaf")\ndef run():\n    ctypes.PyDLL(None).sleep(600)\n'
    using awake = new AwakeTime()
    const begin = (request: CallRequest) => {
      const id = own.begin(request)
      return [id, own.last(id).then((last) => ({ last, atMs: performance.now(), awakeMs: awake.ms }))] as const
    }
    const cancelled = [begin({ source: deaf }), begin({ source: deafNode, ...code })]
    const silent = [begin({ source: deaf, timeout_s: 1 }), begin({ source: deafNode, ...code, timeout_s: 1 })]
    const held = begin({ source: blocked, timeout_s: 1 })
    await Promise.all([...cancelled, ...silent, held].map(([id]) => own.seen('log', (frame) => frame.call === id)))
    // heartbeats go on all the time, and are no sign of life
    const beats = own.frames.filter((frame) => frame.type === 'heartbeat').length
    const [start, awakeFrom] = [performance.now(), awake.ms]
    for (const [call] of cancelled) own.engine.send({ type: 'cancel', call })
    expect(failureOf((await held[1]).last)?.type).toBe('timeout')
    for (const [type, calls] of [
      ['cancelled', cancelled],
      ['timeout', silent],
    ] as const) {
      for (const [, over] of calls) {
        const { last, atMs, awakeMs } = await over
        expect(failureOf(last)?.type).toBe(type)
        expect(atMs - start).toBeGreaterThan(type === 'cancelled' ? 4900 : 4000)
        expect(awakeMs - awakeFrom).toBeLessThan(8000)
      }
    }
    expect((await held[1]).awakeMs - awakeFrom).toBeLessThan(4000)
    expect(own.frames.filter((frame) => frame.type === 'heartbeat').length).toBeGreaterThan(beats + 10)
  })

  test('silence ends the call as timeout; logs do not count, and the log shows where it was [R060] [R685]', async () => {
    const source = 'import time\ndef run():\n    while True:\n        print("alive")\n        time.sleep(0.02)\n'
    const id = shared().begin({ source, timeout_s: 0.3 })
    expect(failureOf(await shared().last(id))).toMatchObject({
      type: 'timeout',
      message: 'nothing was emitted for 0.3 seconds',
    })
    expect(shared().log(id)).toContain('File "train.py", line ')
  })

  test.each([
    ['emit', 'import time\ndef run():\n    for i in range(8):\n        time.sleep(0.1)\n        emit(loss=i)\n'],
    [
      'an emit of nothing',
      'import time\ndef run():\n    for i in range(8):\n        time.sleep(0.1)\n        emit()\n',
    ],
    ['yield', 'import time\ndef run():\n    for i in range(8):\n        time.sleep(0.1)\n        yield {"loss": i}\n'],
  ])('%s starts the seconds anew [R061] [R062]', async (_, source) => {
    expect((await shared().call({ source, timeout_s: 0.5 })).type).toBe('result')
  })

  test('a timed out live node starts anew', async () => {
    const source =
      'import time\nn = 0\ndef run(wait):\n    global n\n    n += 1\n    time.sleep(wait)\n    return {"y": n}\n'
    const live = { source, mode: 'live', node: 'slow', timeout_s: 0.3 } as const
    expect(outputsOf(await shared().call({ ...live, inputs: { wait: 0 } }))).toEqual({ y: 1 })
    expect(failureOf(await shared().call({ ...live, inputs: { wait: 60 } }))?.type).toBe('timeout')
    expect(outputsOf(await shared().call({ ...live, inputs: { wait: 0 } }))).toEqual({ y: 1 })
  })

  test('close ends running calls as worker_lost', async () => {
    const own = rig({ python })
    const ids = busy.map(([, request]) => own.begin(request))
    await Promise.all(ids.map((id) => own.seen('started', (frame) => frame.call === id)))
    await own.worker.close()
    for (const id of ids) expect(failureOf(await own.last(id))?.type).toBe('worker_lost')
    expect(own.frames.at(-1)).toEqual({ type: 'bye', reason: 'shutdown' })
  })

  test('a lost connection ends all processes', async () => {
    const own = rig({ python, id: 'lost' })
    own.begin(busy[0][1])
    await own.seen('started')
    own.engine.close()
    expect(await until(() => children('lost').length === 0)).toBe(true)
  })

  test('a draining worker takes no more calls', async () => {
    const own = rig({ python: null })
    own.engine.send({ type: 'drain' })
    expect(failureOf(await own.call({ source: bundle('() => ({})'), ...code }))?.type).toBe('worker_lost')
  })

  test('heartbeats name the calls that run [R665]', async () => {
    const own = rig({ python: null })
    await own.worker.ready
    own.engine.send(welcome({ heartbeat_s: 0.05 }))
    const id = own.begin({ source: bundle('() => new Promise((r) => setTimeout(r, 1e6))'), ...code })
    expect((await own.seen('heartbeat')).calls).toEqual([id])
  })
})
