import type { NodeContext } from '@flow-service/connector-sdk'
import { type FlowDocument, MAX_CASCADE_EXECUTIONS, MAX_MAILBOX } from '@flow-service/protocol'
import { describe, expect, onTestFinished, test } from 'vitest'

import { LiveRuntime, NodeRegistry } from '../../src/index.ts'
import { memoryHost } from '../../src/testing.ts'
import { flow, input, output, pass, recorder, type } from '../documents.ts'
import { turn } from '../turn.ts'

type Definition = ReturnType<typeof type>

function engine(...definitions: Definition[]) {
  const host = memoryHost()
  const runtime = new LiveRuntime(host, new NodeRegistry([pass, ...definitions]))
  onTestFinished(() => runtime.close())
  return { host, runtime }
}

const errorsOf = (runtime: LiveRuntime, name = 'f') =>
  Object.fromEntries((runtime.get(name)?.nodeStates() ?? []).map(({ node, error }) => [node, error?.message ?? null]))

describe('a loop of messages ends [F47]', () => {
  const one = flow([{ id: 'a', type: 'pass', ports: [input('x:two.y'), output('y')] }], { name: 'one' })
  const two = flow([{ id: 'b', type: 'pass', ports: [input('x:one.y'), output('y')] }], { name: 'two' })

  test('across two flows as within one, and both flows go on', async () => {
    const { runtime, host } = engine()
    await runtime.start(one)
    await runtime.start(two)
    for (const round of [1, 2]) {
      runtime.publish('two.y', round)
      for (let seen = 0; seen < host.records.length;) {
        seen = host.records.length
        await turn()
      }
      expect(host.records).toHaveLength(round * (1 + MAX_CASCADE_EXECUTIONS))
      expect(host.deadLetters.map(({ reason, value }) => [reason, value])).toEqual(
        Array.from({ length: round }, (_, index) => ['loop_limit', index + 1]),
      )
    }
    expect([errorsOf(runtime, 'one').a, errorsOf(runtime, 'two').b]).toEqual([
      expect.stringContaining('break the loop'),
      null,
    ])
  })

  test('when it waits in between, with the event loop free all the while', async () => {
    const later = type('later', () => ({
      onValue: async (_port, value) => {
        await turn()
        return { y: value }
      },
    }))
    const { runtime, host } = engine(later)
    const live = await runtime.start(flow([{ id: 'a', type: 'later', ports: [input('x:f.y'), output('y')] }]))
    runtime.publish('f.y', 1)
    let turns = 0
    let isDone = false
    const idle = live.idle().then(() => (isDone = true))
    while (!isDone) {
      turns += 1
      await turn()
    }
    await idle
    expect(turns).toBeGreaterThan(MAX_CASCADE_EXECUTIONS / 2)
    expect(host.deadLetters).toMatchObject([{ reason: 'loop_limit' }])
  })

  test('when every round doubles it, before it fills the memory', async () => {
    const { runtime, host } = engine()
    const live = await runtime.start(
      flow([
        { id: 'a', type: 'pass', ports: [input('x:f.y'), output('y')] },
        { id: 'b', type: 'pass', ports: [input('x:f.y'), output('z:f.y')] },
      ]),
    )
    runtime.publish('f.y', 1)
    await live.idle()
    expect(host.records).toHaveLength(1 + MAX_CASCADE_EXECUTIONS)
    expect(host.deadLetters.length).toBeLessThan(2 * MAX_CASCADE_EXECUTIONS)
    expect(new Set(host.deadLetters.map(({ reason }) => reason))).toEqual(new Set(['loop_limit']))
    expect(live.nodeStates().filter(({ error }) => error !== null)).toHaveLength(1)
  })

  test('and keeps no other flow from its own messages', async () => {
    const { calls, definition } = recorder('end')
    const { runtime } = engine(definition)
    await runtime.start(one)
    await runtime.start(two)
    const other = await runtime.start(flow([{ id: 'e', type: 'end', ports: [input('v')] }], { name: 'other' }))
    runtime.publish('two.y', 0)
    for (let value = 0; value < 10; value += 1) runtime.publish('other.v', value)
    await other.idle()
    expect(calls.map(([, , value]) => value)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  })
})

describe('a flow that is built anew over and over [F57]', () => {
  const ROUNDS = 1000
  /** Listens by every means that there is. */
  const ears = type('ears', (ctx) => {
    ctx.every(60, () => ctx.send('y', 'every'))
    ctx.cron('0 * * * *', () => ctx.send('y', 'cron'))
    ctx.after(3600, () => ctx.send('y', 'after'))
    ctx.webhook({ path: 'in', secret: null, methods: ['POST'] }, () => ctx.send('y', 'hook'))
    return {}
  })
  const document = (): FlowDocument =>
    flow([
      { id: 's', type: 'ears', ports: [output('y')] },
      { id: 'p', type: 'pass', ports: [input('x'), output('z', { interval: 1 })] },
      { id: 'e', type: 'end', ports: [input('z')] },
    ])

  test('handles every value once, and leaves no timer, route or reader of an earlier life', async () => {
    const { calls, definition } = recorder('end')
    const { runtime, host } = engine(ears, definition)
    let live = await runtime.start(document())
    const timers = host.clock.pending
    for (let round = 0; round < ROUNDS; round += 1) {
      runtime.publish('f.x', round)
      await live.idle()
      await live.stop()
      live = await runtime.start(document())
    }
    expect(calls.map(([, , value]) => value)).toEqual(Array.from({ length: ROUNDS }, (_, round) => round))
    // beside the listeners, at most the open interval of the port
    expect(host.clock.pending - timers).toBeLessThanOrEqual(1)
    await host.hook('f', 'in', {})
    await host.advance(60_000)
    expect(host.values('f.y')).toEqual(['hook', 'every'])
    await live.stop()
    expect(host.clock.pending).toBe(0)
    expect(runtime.publish('f.x', 0).cascade).toBeNull()
    await expect(host.hook('f', 'in', {})).rejects.toThrow('there is no webhook')
  })

  test('loses and doubles nothing of what comes while it is built: it is handled, or told as a dead letter', async () => {
    const { calls, definition } = recorder('end')
    const { runtime, host } = engine(definition)
    const single = flow([{ id: 'e', type: 'end', ports: [input('v')] }])
    let live = await runtime.start(single)
    let unread = 0
    for (let round = 0; round < 100; round += 1) {
      const stopped = live.stop()
      if (runtime.publish('f.v', round).cascade === null) unread += 1
      await stopped
      live = await runtime.start(single)
      runtime.publish('f.v', -1)
      await live.idle()
    }
    expect(calls.filter(([, , value]) => value === -1)).toHaveLength(100)
    const handled = calls.filter(([, , value]) => value !== -1).length
    expect(handled + host.deadLetters.length + unread).toBe(100)
  })
})

describe('a message that its node cannot take', () => {
  test('marks the node each time, is tried once, and keeps no other value back [R064, F59]', async () => {
    let tries = 0
    const picky = type('picky', () => ({
      onValue: (_port, value) => {
        tries += 1
        if (value === 'poison') throw new Error(`cannot take ${String(value)}`)
        return { y: value }
      },
    }))
    const { calls, definition } = recorder('end')
    const { runtime, host } = engine(picky, definition)
    const live = await runtime.start(
      flow([
        { id: 'a', type: 'picky', ports: [input('x'), output('y')] },
        { id: 'b', type: 'end', ports: [input('y')] },
      ]),
    )
    for (let round = 0; round < 50; round += 1) {
      runtime.publish('f.x', 'poison')
      runtime.publish('f.x', round)
    }
    await live.idle()
    await host.advance(3_600_000)
    expect([tries, calls.length]).toEqual([100, 50])
    expect(errorsOf(runtime)).toEqual({ a: 'cannot take poison', b: null })
  })
})

describe('a node type that misbehaves is alone with it [F71, F73]', () => {
  let kept: NodeContext | undefined
  const hang = (): Promise<undefined> => new Promise(() => {})
  /** Every way to misbehave, by the name of the node. */
  const rude = type('rude', (ctx) => {
    kept = ctx
    const ways: Record<string, () => object> = {
      throws: () => ({
        onValue: () => {
          throw new Error('thrown')
        },
      }),
      rejects: () => ({ onValue: () => Promise.reject(new Error('rejected')) }),
      nothing: () => ({ onValue: () => Promise.reject(undefined as unknown as Error) }),
      text: () => ({ onValue: () => Promise.reject('only text' as unknown as Error) }),
      frozen: () => ({ onValue: () => Promise.reject(Object.freeze(Object.create(null)) as Error) }),
      hangs: () => ({ onValue: hang }),
      wrong: () => ({ onValue: () => ({ nowhere: 1 }) }),
      ticks: () => {
        ctx.every(1, () => {
          throw new Error('tick')
        })
        return {}
      },
      ticks_later: () => {
        ctx.every(1, (async () => Promise.reject(new Error('late tick'))) as () => void)
        return {}
      },
      ticks_hang: () => {
        ctx.every(1, hang as () => void)
        return {}
      },
      stops_badly: () => ({
        stop: () => {
          throw new Error('no stop')
        },
      }),
      stops_oddly: () => ({ stop: () => Promise.reject(Object.create(null) as Error) }),
      never_stops: () => ({ stop: hang }),
    }
    return ways[ctx.node]?.() ?? {}
  })
  const names = ['throws', 'rejects', 'nothing', 'text', 'frozen', 'hangs', 'wrong']
  const silent = ['ticks', 'ticks_later', 'ticks_hang', 'stops_badly', 'stops_oddly', 'never_stops']
  const crowd = flow([
    ...names.map((id) => ({ id, type: 'rude', ports: [input('x')] })),
    ...silent.map((id) => ({ id, type: 'rude' })),
    { id: 'end', type: 'end', ports: [input('x')] },
  ])

  test('others get every value, each failure marks its own node, and the flow stops and starts again', async () => {
    const { calls, definition } = recorder('end')
    const { runtime, host } = engine(rude, definition)
    const live = await runtime.start(crowd)
    for (let round = 0; round < 20; round += 1) {
      runtime.publish('f.x', round)
      await host.advance(1000)
    }
    expect(calls).toHaveLength(20)
    expect(errorsOf(runtime)).toEqual({
      throws: 'thrown',
      rejects: 'rejected',
      nothing: expect.any(String),
      text: 'only text',
      frozen: expect.any(String),
      hangs: null,
      wrong: expect.stringContaining('no output port "nowhere"'),
      ticks: 'tick',
      ticks_later: 'late tick',
      ticks_hang: null,
      stops_badly: null,
      stops_oddly: null,
      never_stops: null,
      end: null,
    })

    let isStopped = false
    const stopped = Promise.all([live.stop(), live.stop()]).then(() => (isStopped = true))
    // an execution that hangs gets its 10 s, and so does a stop
    for (let second = 0; second < 60 && !isStopped; second += 1) await host.advance(1000)
    await stopped
    expect(host.clock.pending).toBe(0)
    expect(runtime.get('f')).toBeUndefined()

    await runtime.start(crowd)
    runtime.publish('f.x', 'again')
    await turn()
    expect(calls.at(-1)?.[2]).toBe('again')
    const closed = runtime.close()
    for (let second = 0; second < 60; second += 1) await host.advance(1000)
    await closed
  })

  test('one that never answers is waited for by its own values only, and those are bounded', async () => {
    const { calls, definition } = recorder('end')
    const { runtime, host } = engine(rude, definition)
    await runtime.start(
      flow([
        { id: 'hangs', type: 'rude', ports: [input('x')] },
        { id: 'end', type: 'end', ports: [input('x')] },
      ]),
    )
    const sent = MAX_MAILBOX + 50
    for (let value = 0; value <= sent; value += 1) {
      runtime.publish('f.x', value)
      if (value % 100 === 0) await turn()
    }
    // a busy machine takes more than one turn for a burst (loop.L2)
    await expect.poll(() => calls.length).toBe(sent + 1)
    expect(host.deadLetters.map(({ node, reason }) => `${node} ${reason}`)).toEqual(
      Array.from({ length: 50 }, () => 'hangs overflow'),
    )
    const closed = runtime.close()
    for (let second = 0; second < 60; second += 1) await host.advance(1000)
    await closed
  })

  test.each([
    ['an error', () => new Error('no broker'), 'no broker'],
    ['a text', () => 'no broker', 'no broker'],
    ['nothing', () => undefined, 'undefined'],
    ['an object without a text', () => Object.create(null) as object, 'it threw an object that has no text'],
  ])(
    'its start may throw %s: the flow is refused by its name and can be started later',
    async (_what, made, message) => {
      let isBad = true
      const bad = type('bad', () => {
        if (isBad) throw made() as Error
        return {}
      })
      const { runtime, host } = engine(bad)
      const document = flow([{ id: 'b', type: 'bad' }])
      await expect(runtime.start(document)).rejects.toMatchObject({ name: 'StartError', node: 'b', message })
      isBad = false
      await runtime.start(document)
      expect(host.clock.pending).toBe(0)
    },
  )

  test('whatever it does after its stop, nothing comes of it', async () => {
    const { runtime, host } = engine(rude)
    const live = await runtime.start(flow([{ id: 'quiet', type: 'rude', ports: [output('y')] }]))
    await live.stop()
    const before = [host.records.length, host.events.length, host.logs.length]
    kept?.send('y', 1)
    kept?.emit({ y: 2 })
    kept?.reportHealth('down', 'late')
    kept?.after(1, () => kept?.send('y', 3))
    kept?.every(1, () => kept?.send('y', 4))
    kept?.cron('* * * * *', () => kept?.send('y', 5))
    await host.advance(120_000)
    expect([host.records.length, host.events.length, host.logs.length]).toEqual(before)
    expect(host.clock.pending).toBe(0)
  })
})
