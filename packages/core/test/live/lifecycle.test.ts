import { HookRefusal, type NodeContext } from '@flow-service/connector-sdk'
import { expect, onTestFinished, test } from 'vitest'

import { type LiveFlow, LiveRuntime, NodeRegistry } from '../../src/index.ts'
import { memoryHost } from '../../src/testing.ts'
import { flow, input, output, pass, type } from '../documents.ts'
import { turn } from '../turn.ts'

function engine(...definitions: ConstructorParameters<typeof NodeRegistry>[0][]) {
  const host = memoryHost()
  const runtime = new LiveRuntime(host, new NodeRegistry([pass, ...definitions.flatMap((list) => [...list])]))
  onTestFinished(() => runtime.close())
  return { host, runtime }
}

/** Tells when its nodes start and stop. */
function witness() {
  const told: string[] = []
  const definition = type('witness', ({ node }) => {
    told.push(`start ${node}`)
    return { stop: () => void told.push(`stop ${node}`) }
  })
  return { told, definition }
}

const three = (last: string) =>
  flow([
    { id: 'a', type: 'witness' },
    { id: 'b', type: 'witness' },
    { id: 'c', type: last },
  ])

test('nodes start in the order of the document and stop in reverse', async () => {
  const { told, definition } = witness()
  const { runtime } = engine([definition])
  const live = await runtime.start(three('witness'))
  await Promise.all([live.stop(), live.stop()])
  expect(told).toEqual(['start a', 'start b', 'start c', 'stop c', 'stop b', 'stop a'])
  expect(runtime.get('f')).toBeUndefined()
})

test('a node that throws at its start refuses the flow, and what had started is stopped [R394]', async () => {
  const { told, definition } = witness()
  const closed: boolean[] = []
  const bad = type('bad', (ctx) => {
    ctx.every(1, () => {})
    ctx.signal.addEventListener('abort', () => closed.push(true))
    throw new Error('no broker at host "x"')
  })
  const { runtime, host } = engine([definition, bad])
  await expect(runtime.start(three('bad'))).rejects.toMatchObject({
    name: 'StartError',
    node: 'c',
    message: 'no broker at host "x"',
  })
  expect(told).toEqual(['start a', 'start b', 'stop b', 'stop a'])
  expect([closed, host.clock.pending]).toEqual([[true], 0])
  expect(runtime.publish('f.x', 1).cascade).toBeNull()
})

test('a node that takes longer than 10 s to start refuses the flow, and is stopped should it start later', async () => {
  const { told, definition } = witness()
  const late = Promise.withResolvers<{ stop: () => void }>()
  const slow = type('slow', () => late.promise)
  const { runtime, host } = engine([definition, slow])
  const started = runtime.start(three('slow')).catch((error: unknown) => error)
  await turn()
  await host.advance(10_000)
  expect(await started).toMatchObject({ node: 'c', message: 'node "c" took longer than 10 s to start' })
  late.resolve({ stop: () => void told.push('stop late') })
  await turn()
  expect(told).toEqual(['start a', 'start b', 'stop b', 'stop a', 'stop late'])
})

test('an unknown type and refused settings refuse the start by name', async () => {
  const { runtime } = engine()
  await expect(runtime.start(flow([{ id: 'a', type: 'nope' }]))).rejects.toMatchObject({
    node: 'a',
    name: 'StartError',
  })
  const settings = { nope: 1 }
  await expect(runtime.start(flow([{ id: 'a', type: 'pass', settings }]))).rejects.toMatchObject({ node: 'a' })
})

test('a flow that runs cannot be started again before it has stopped', async () => {
  const { runtime } = engine()
  const live = await runtime.start(flow([]))
  await expect(runtime.start(flow([]))).rejects.toThrow('flow "f" runs already; stop it first')
  await live.stop()
  await expect(runtime.start(flow([]))).resolves.toBeDefined()
})

test('what nodes publish at their start goes out once all have started, in order', async () => {
  const eager = type('eager', (ctx) => {
    ctx.send('y', 1)
    ctx.emit({ y: 2 })
    return {}
  })
  const seen: unknown[] = []
  const end = type('end', () => ({ onValue: (_port, value) => void seen.push(value) }))
  const { runtime, host } = engine([eager, end])
  const live = await runtime.start(
    flow([
      { id: 'a', type: 'eager', ports: [output('y')] },
      { id: 'b', type: 'end', ports: [input('y')] },
    ]),
  )
  await live.idle()
  expect([seen, host.values('f.y')]).toEqual([
    [1, 2],
    [1, 2],
  ])
})

test('nothing comes in before the start is committed, and a start that is not leaves nothing', async () => {
  const { told, definition } = witness()
  const hook = type('hook', (ctx) => {
    ctx.webhook({ path: 'in', secret: null, methods: ['POST'] }, () => ctx.send('y', 'hook'))
    ctx.send('y', 'early')
    return {}
  })
  const { runtime, host } = engine([definition, hook])
  const document = flow([
    { id: 'w', type: 'witness' },
    { id: 'h', type: 'hook', ports: [output('y')] },
  ])
  const refusing = Promise.withResolvers<void>()
  const refused = runtime.start(document, { commit: () => refusing.promise })
  await turn()
  expect([told.splice(0), runtime.get('f')]).toEqual([['start w'], undefined])
  const waiting = host.hook('f', 'in', {}).catch((error: unknown) => error)
  refusing.reject(new Error('version_conflict'))
  await expect(refused).rejects.toThrow('version_conflict')
  expect(await waiting).toMatchObject({ message: 'there is no webhook "f/in"' })
  expect([told.splice(0), runtime.get('f'), host.values('f.y')]).toEqual([['stop w'], undefined, []])

  await runtime.start(document, { commit: () => Promise.resolve() })
  await host.hook('f', 'in', {})
  expect(host.values('f.y')).toEqual(['early', 'hook'])
})

test('a stop lets executing nodes end, and gives waiting deliveries up as dead letters, the oldest first', async () => {
  const ends: (() => void)[] = []
  const slow = type('slow', () => ({
    onValue: (_p, v) => new Promise((resolve) => ends.push(() => resolve({ y: v }))),
  }))
  const { runtime, host } = engine([slow])
  const live = await runtime.start(
    flow([
      { id: 'a', type: 'slow', ports: [input('x'), output('y')] },
      { id: 'b', type: 'pass', ports: [input('y')] },
    ]),
  )
  for (const value of [1, 2]) runtime.publish('f.x', value)
  await turn()
  runtime.publish('f.x', 3)
  const stopped = live.stop()
  ends[0]?.()
  await stopped
  expect(host.values('f.y')).toEqual([1])
  expect(host.deadLetters.map(({ node, value, reason }) => [node, value, reason])).toEqual([
    ['a', 2, 'stopped'],
    ['a', 3, 'stopped'],
    ['b', 1, 'stopped'],
  ])
})

test('a stop waits 10 s for an execution, then aborts it and ends', async () => {
  let aborted = false
  const stuck = type('stuck', (ctx) => ({
    onValue: () => {
      ctx.signal.addEventListener('abort', () => (aborted = true))
      return new Promise<undefined>(() => {})
    },
  }))
  const { runtime, host } = engine([stuck])
  const live = await runtime.start(flow([{ id: 'a', type: 'stuck', ports: [input('x')] }]))
  runtime.publish('f.x', 1)
  await turn()
  let ended = false
  const stopped = live.stop().then(() => (ended = true))
  await host.advance(9_999)
  expect([aborted, ended]).toEqual([false, false])
  await host.advance(1)
  await stopped
  expect([aborted, host.clock.pending]).toEqual([true, 0])
})

test('a node whose stop throws or hangs keeps no other from stopping', async () => {
  const { told, definition } = witness()
  const rude = type('rude', ({ node }) => ({
    stop: node === 'x' ? () => Promise.reject(new Error('busy')) : () => new Promise<void>(() => {}),
  }))
  const { runtime, host } = engine([definition, rude])
  const live = await runtime.start(
    flow([
      { id: 'a', type: 'witness' },
      { id: 'x', type: 'rude' },
      { id: 'y', type: 'rude' },
    ]),
  )
  const stopped = live.stop()
  await host.advance(10_000)
  await stopped
  expect(told).toEqual(['start a', 'stop a'])
  expect(host.logs.map(({ node, text }) => [node, text])).toEqual([
    ['y', 'the node did not stop cleanly: it took longer than 10 s'],
    ['x', 'the node did not stop cleanly: Error: busy'],
  ])
})

test('timers, schedules and webhooks of a stopped flow are gone, and a late publication does nothing', async () => {
  let kept: NodeContext | undefined
  const source = type('source', (ctx) => {
    kept = ctx
    ctx.after(5, () => ctx.send('y', 'after'))
    ctx.every(1, () => ctx.send('y', 'every'))
    ctx.cron('* * * * *', () => ctx.send('y', 'cron'))
    ctx.webhook({ path: 'in', secret: null, methods: ['POST'] }, () => ctx.send('y', 'hook'))
    return {}
  })
  const { runtime, host } = engine([source])
  const live = await runtime.start(flow([{ id: 's', type: 'source', ports: [output('y')] }]))
  await host.hook('f', 'in', {})
  await host.advance(1000)
  await live.stop()
  await host.advance(100_000)
  kept?.send('y', 'late')
  kept?.after(1, () => kept?.send('y', 'later'))
  await host.advance(100_000)
  expect(host.values('f.y')).toEqual(['hook', 'every'])
  expect(host.clock.pending).toBe(0)
  await expect(host.hook('f', 'in', {})).rejects.toThrow('there is no webhook "f/in"')
})

test('a webhook tells its sender of refusals and off-dtype values; other errors are the node’s failure too', async () => {
  const hook = type('hook', (ctx) => {
    ctx.webhook({ path: 'in', secret: null, methods: ['POST'] }, ({ body }) => {
      const text = new TextDecoder().decode(body)
      if (text === '"refuse"') throw new HookRefusal('no port')
      if (text === '"crash"') throw new Error('bug')
      ctx.send('y', JSON.parse(text))
    })
    return {}
  })
  const { runtime, host } = engine([hook])
  const live = await runtime.start(flow([{ id: 'h', type: 'hook', ports: [output('y', { dtype: 'int' })] }]))
  await expect(host.hook('f', 'in', { json: 'refuse' })).rejects.toThrow(HookRefusal)
  await expect(host.hook('f', 'in', { json: 'text' })).rejects.toMatchObject({ name: 'DtypeViolation' })
  expect(live.nodeStates()).toMatchObject([{ status: 'idle' }])
  await expect(host.hook('f', 'in', { json: 'crash' })).rejects.toThrow('bug')
  expect(live.nodeStates()).toMatchObject([{ status: 'failed' }])
  await host.hook('f', 'in', { json: 4 })
  expect(host.values('f.y')).toEqual([4])
})

test('a request that the stop overtakes is refused, and is no failure of the node', async () => {
  const gate = Promise.withResolvers<void>()
  const hook = type('hook', (ctx) => {
    ctx.webhook({ path: 'in', secret: null, methods: ['POST'] }, async () => {
      await gate.promise
      await ctx.emitDurably({ y: 1 })
    })
    return {}
  })
  const { runtime, host } = engine([hook])
  const live = await runtime.start(flow([{ id: 'h', type: 'hook', ports: [output('y')] }]))
  const request = host.hook('f', 'in', {})
  const stopped = live.stop()
  gate.resolve()
  await expect(request).rejects.toThrow(HookRefusal)
  await stopped
  expect(live.nodeStates()).toMatchObject([{ status: 'idle' }])
  expect([host.values('f.y'), host.work.items.size]).toEqual([[], 0])
})

test('the warm process of a code node is released at the stop', async () => {
  const code = type('code', () => ({}), { code: 'python' })
  const { runtime, host } = engine([code])
  const live = await runtime.start(
    flow([
      { id: 'a', type: 'code', source: '' },
      { id: 'b', type: 'pass' },
    ]),
  )
  await live.stop()
  expect(host.released).toEqual(['f/a'])
})

test('closing the runtime stops the flows that run and those that start', async () => {
  const { told, definition } = witness()
  const { runtime } = engine([definition])
  await runtime.start(flow([{ id: 'a', type: 'witness' }], { name: 'one' }))
  const second = runtime.start(flow([{ id: 'b', type: 'witness' }], { name: 'two' }))
  await runtime.close()
  await second
  expect(told.toSorted()).toEqual(['start a', 'start b', 'stop a', 'stop b'])
})

test('a thousand starts and stops leave no reader behind', async () => {
  const { runtime, host } = engine()
  let live: LiveFlow | undefined
  for (let round = 0; round < 1000; round++) {
    live = await runtime.start(flow([{ id: 'a', type: 'pass', ports: [input('x'), output('y', { interval: 1 })] }]))
    await live.stop()
  }
  expect(runtime.publish('f.x', 1).cascade).toBeNull()
  expect(host.clock.pending).toBe(0)
})
