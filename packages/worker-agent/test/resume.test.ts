/** A worker whose engine lets calls outlive a lost link: processes, and what becomes of them. */
import type { HelloFrame, WelcomeFrame } from '@flow-service/protocol'
import { describe, expect, test } from 'vitest'

import type { RemoteWorkerOptions } from '../src/index.ts'
import { type Behaviour, type FakeEngine, fakeEngine, type Link, tokenOf } from './fake-engine.ts'
import { bundle, isAlive, until, welcome } from './harness.ts'
import { startWorker } from './remote-worker.ts'

const token = tokenOf({ name: 'gpu-1', labels: [] })
const code = { kind: 'code', entry: 'entry' } as const
const endless = { source: bundle('() => new Promise((r) => setTimeout(r, 1e6))'), ...code }
/** Says that it waits, waits for a signal, and says that it came. */
const answering = {
  source: bundle(
    `() => new Promise((resolve) => {
      const wait = setTimeout(() => {}, 1e6)
      process.once('SIGUSR2', () => { clearTimeout(wait); console.log('told'); resolve({ y: 7 }) })
      console.log('waits')
    })`,
  ),
  ...code,
}

const helloOf = (link: Link): HelloFrame => link.frames[0] as HelloFrame
const pidOf = async (link: Link, call: string): Promise<number> =>
  (await link.seen('started', (frame) => frame.call === call)).pid
/** Of a call that answers, once it waits. */
const waitingPidOf = async (link: Link, call: string): Promise<number> => {
  await link.seen('log', (frame) => frame.call === call)
  return await pidOf(link, call)
}

/** An engine that takes back what `known` names, and its first link. */
async function attached(
  more: Partial<RemoteWorkerOptions> = {},
  known: (calls: { call: string; seq: number }[]) => string[] = (calls) => calls.map(({ call }) => call),
  behaviour: Behaviour = {},
) {
  const back = (link: Link): Partial<WelcomeFrame> => {
    const { session = null, calls = [] } = helloOf(link).resume ?? {}
    if (session === null) return {}
    const names = known(calls)
    const isKnown = ({ call }: { call: string }): boolean => names.includes(call)
    const had = engine.links().flatMap(({ frames }) => frames)
    const seqOf = (call: string): number =>
      Math.max(0, ...had.map((frame) => ('seq' in frame && frame.call === call ? (frame.seq ?? 0) : 0)))
    return {
      resumed: calls.filter(isKnown).map(({ call }) => ({ call, seq: seqOf(call) })),
      dropped: calls.filter((mark) => !isKnown(mark)).map(({ call }) => call),
    }
  }
  const engine: FakeEngine = await fakeEngine({
    onHello: (link) => link.send({ ...welcome, resume_s: 60, session: 's', ...back(link) }),
    ...behaviour,
  })
  const worker = startWorker(engine.url, { token, parallel: 4, ...more })
  return { ...worker, engine, link: await engine.link() }
}

test('a call goes on over the next link, in the same process, and tells its end there', async () => {
  const { engine, link, events } = await attached()
  const call = link.begin(answering)
  const pid = await waitingPidOf(link, call)
  link.socket.terminate()
  const next = await engine.link(2)
  expect(helloOf(next).resume).toEqual({ session: 's', calls: [{ call, seq: 2 }] })
  process.kill(pid, 'SIGUSR2')
  expect(await next.last(call)).toMatchObject({ type: 'result', outputs: { y: 7 } })
  expect(next.frames.filter(({ type }) => type === 'started')).toEqual([])
  expect(await next.seen('log')).toMatchObject({ text: 'told\n', seq: 3 })
  expect(events).toMatchObject([
    { type: 'attached', resumed: 0 },
    { type: 'lost', kept: 1 },
    { type: 'attached', resumed: 1 },
  ])
})

test('what a call says while there is no link is told by the next one', async () => {
  let isOpen = true
  const refuse = () => (isOpen ? null : { status: 503 })
  const { engine, link } = await attached({}, undefined, { refuse })
  const call = link.begin(answering)
  const pid = await waitingPidOf(link, call)
  isOpen = false
  link.socket.terminate()
  expect(await until(() => engine.attempts() > 1)).toBe(true)
  process.kill(pid, 'SIGUSR2')
  expect(await until(() => !isAlive(pid))).toBe(true)
  isOpen = true
  const next = await engine.link(2)
  expect(await next.last(call)).toMatchObject({ outputs: { y: 7 } })
})

test('calls that are dropped end at once and without a word, and before the next call begins', async () => {
  const { engine, link } = await attached({}, ([first]) => (first ? [first.call] : []))
  const [kept, dropped] = [link.begin(answering), link.begin(endless)]
  const [pid, other] = [await waitingPidOf(link, kept), await pidOf(link, dropped)]
  link.socket.terminate()
  const next = await engine.link(2)
  await pidOf(next, next.begin({ source: bundle('() => ({ y: 1 })'), ...code }))
  expect(isAlive(other)).toBe(false)
  process.kill(pid, 'SIGUSR2')
  expect(await next.last(kept)).toMatchObject({ outputs: { y: 7 } })
  expect(next.frames.filter((frame) => 'call' in frame && frame.call === dropped)).toEqual([])
})

test('calls of live nodes end with the link, and their warm processes', async () => {
  const { engine, link } = await attached()
  const live = { ...endless, mode: 'live', node: 'l' } as const
  const warm = { source: bundle('() => ({ y: process.pid })'), ...code, mode: 'live', node: 'w' } as const
  const idle = link.begin(warm)
  await link.last(idle)
  const warmPid = await pidOf(link, idle)
  const [batch, running] = [await pidOf(link, link.begin(endless)), await pidOf(link, link.begin(live))]
  link.socket.terminate()
  expect(await until(() => !isAlive(running) && !isAlive(warmPid))).toBe(true)
  expect(helloOf(await engine.link(2)).resume?.calls).toHaveLength(1)
  expect(isAlive(batch)).toBe(true)
})

test('a worker that was refused for its token while it was away drops everything', async () => {
  const refuse = (attempt: number) => (attempt > 1 ? { status: 401 } : null)
  const { link, end } = await attached({}, undefined, { refuse })
  const pid = await pidOf(link, link.begin(endless))
  link.socket.terminate()
  expect((await end).kind).toBe('credential')
  expect(isAlive(pid)).toBe(false)
})

test('a worker that is stopped while it is away ends its calls, and itself', async () => {
  const refuse = (attempt: number) => (attempt > 1 ? { status: 503 } : null)
  const { link, end, stop, engine } = await attached({}, undefined, { refuse })
  const pid = await pidOf(link, link.begin(endless))
  link.socket.terminate()
  expect(await until(() => engine.attempts() > 2)).toBe(true)
  stop()
  expect((await end).kind).toBe('stopped')
  expect(isAlive(pid)).toBe(false)
})

test('after its time the calls end, and the next attempt begins with nothing', async () => {
  let isOpen = true
  const { engine, link } = await attached({}, undefined, {
    refuse: () => (isOpen ? null : { status: 503 }),
    onHello: (at) => at.send({ ...welcome, resume_s: 0.2, session: 's' }),
  })
  const pid = await pidOf(link, link.begin(endless))
  isOpen = false
  link.socket.terminate()
  expect(await until(() => !isAlive(pid))).toBe(true)
  isOpen = true
  expect(helloOf(await engine.link(2)).resume).toEqual({ session: null, calls: [] })
})

describe('beside another engine', () => {
  /** Two engines that name each other; the first may be gone. */
  async function pair(more: Partial<RemoteWorkerOptions> = {}) {
    const named: string[] = []
    let isThere = true
    const made = async (refuse: Behaviour['refuse'] = () => null) => {
      const engine = await fakeEngine({
        refuse,
        onHello(link) {
          const { session = null, calls = [] } = helloOf(link).resume ?? {}
          const back = session === null ? {} : { resumed: calls.map(({ call }) => ({ call, seq: 0 })) }
          link.send({ ...welcome, url: engine.url, engines: named, resume_s: 60, session: engine.url, ...back })
        },
      })
      return engine
    }
    const [first, second] = [await made(() => (isThere ? null : { status: 503 })), await made()]
    named.push(first.url, second.url)
    const worker = startWorker(first.url, { token, parallel: 4, ...more })
    return {
      ...worker,
      first,
      second,
      named,
      links: [await first.link(), await second.link()],
      there: (is: boolean) => (isThere = is),
    }
  }

  test('calls of a lost engine go on, though the other one names it no more, and those of the other are not touched', async () => {
    const { first, second, links, there, named } = await pair()
    const [one, two] = links as [Link, Link]
    const [call, other] = [one.begin(answering), two.begin(answering)]
    const [pid, beside] = [await waitingPidOf(one, call), await waitingPidOf(two, other)]
    there(false)
    one.socket.terminate()
    expect(await until(() => first.attempts() > 2)).toBe(true)
    two.send({ type: 'engines', engines: [second.url] })
    named.shift()
    process.kill(beside, 'SIGUSR2')
    expect(await two.last(other)).toMatchObject({ outputs: { y: 7 } })
    there(true)
    const next = await first.link(2)
    process.kill(pid, 'SIGUSR2')
    expect(await next.last(call)).toMatchObject({ outputs: { y: 7 } })
    expect(second.links()).toHaveLength(1)
  })

  test('a result from the gap reaches its engine, though the other one names it no more', async () => {
    const { first, second, links, there, named } = await pair()
    const [one, two] = links as [Link, Link]
    const call = one.begin(answering)
    const pid = await waitingPidOf(one, call)
    there(false)
    one.socket.terminate()
    expect(await until(() => first.attempts() > 2)).toBe(true)
    process.kill(pid, 'SIGUSR2')
    expect(await until(() => !isAlive(pid))).toBe(true)
    two.send({ type: 'engines', engines: [second.url] })
    named.shift()
    const attempts = first.attempts()
    expect(await until(() => first.attempts() > attempts + 20)).toBe(true)
    there(true)
    const next = await first.link(2)
    expect(await next.last(call)).toMatchObject({ outputs: { y: 7 } })
  })

  test('a worker with a result that its engine has not heard is not idle', async () => {
    const { first, links, there, end } = await pair({ maxIdleS: 2 })
    const [one] = links as [Link]
    const call = one.begin(answering)
    const pid = await waitingPidOf(one, call)
    there(false)
    one.socket.terminate()
    process.kill(pid, 'SIGUSR2')
    expect(await until(() => !isAlive(pid))).toBe(true)
    const attempts = first.attempts()
    let isOver = false
    void end.then(() => (isOver = true))
    // longer than it would take to be idle
    expect(await until(() => first.attempts() > attempts + 1000, 60_000)).toBe(true)
    expect(isOver).toBe(false)
    there(true)
    const next = await first.link(2)
    expect(await next.last(call)).toMatchObject({ outputs: { y: 7 } })
    next.send({ type: 'ack', seq: 9 })
    expect((await end).kind).toBe('idle')
  })
})
