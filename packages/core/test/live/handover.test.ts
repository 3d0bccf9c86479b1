/** What nodes of a flow leave to those that take their place, and what waits meanwhile. */
import { expect, test } from 'vitest'

import { flow, input, output, recorder, type } from '../documents.ts'
import { turn } from '../turn.ts'
import { atCrash } from './kept-work.ts'
import { engine, gated } from './live-engine.ts'
import { anySettings, reader, rebuild, watched } from './rebuilding.ts'

test('what comes while nodes end and start waits for them, in order; all others go on at once', async () => {
  const { told, definition } = watched({ start: 5 })
  const { calls, definition: plain } = recorder('plain')
  const own = engine([definition, plain])
  const other = { id: 'other', type: 'plain', ports: [input('x')] }
  const starting = own.start(flow([reader('a', 1), other]))
  await own.host.advance(5000)
  const live = await starting
  const rebuilt = live.rebuild(flow([reader('a', 2), other]))
  for (let value = 0; value < 5; value++) {
    own.runtime.publish('f.x', value)
    // oxlint-disable-next-line no-await-in-loop -- one second after the other
    await own.host.advance(1000)
    expect(calls).toHaveLength(value + 1)
  }
  expect(await rebuilt).toEqual(['a'])
  await turn()
  expect(told).toEqual(['start a:1', 'stop a:1', 'start a:2', 'a:2 0', 'a:2 1', 'a:2 2', 'a:2 3', 'a:2 4'])
  expect([own.runtime.get('f'), own.host.deadLetters]).toEqual([live, []])
})

test('more than 10,000 deliveries that wait drop the oldest', async () => {
  const { told, definition } = watched({ start: 1 })
  const own = engine([definition])
  const starting = own.start(flow([reader('a', 1)]))
  await own.host.advance(1000)
  const live = await starting
  const rebuilt = live.rebuild(flow([reader('a', 2)]))
  for (let value = 0; value < 10_003; value++) own.runtime.publish('f.x', value)
  await live.idle()
  await own.host.advance(1000)
  await rebuilt
  await live.idle()
  expect(own.host.deadLetters.map(({ value, reason }) => [value, reason])).toEqual([
    [0, 'overflow'],
    [1, 'overflow'],
    [2, 'overflow'],
  ])
  expect(told).toHaveLength(10_000 + 3)
})

test('a join goes on with the values that it had, where ports are what they were', async () => {
  const { calls, definition } = recorder('both', 'combine')
  const own = engine([{ ...definition, settings: anySettings }])
  const join = (form: number, dtype = 'any') => [
    { id: 'j', type: 'both', settings: { form }, ports: [input('x'), input('y', { dtype } as never)] },
  ]
  const live = await own.start(flow(join(1)))
  own.runtime.publish('f.y', 'left')
  await rebuild(own, live, flow(join(2)))
  own.runtime.publish('f.x', 1)
  await turn()
  expect(calls).toEqual([['j', { x: 1, y: 'left' }]])
  await rebuild(own, live, flow(join(2, 'str')))
  own.runtime.publish('f.x', 2)
  await turn()
  expect(calls).toHaveLength(1)
})

test('a join goes on with what it has of a flow that gets another name', async () => {
  const { calls, definition } = recorder('both', 'combine')
  const own = engine([definition])
  const join = (from: string) =>
    flow([{ id: 'j', type: 'both', ports: [input('x'), input('y', { name: `${from}.y` } as never)] }])
  const live = await own.start(join('old'))
  own.runtime.publish('old.y', 'left')
  await rebuild(own, live, join('new'), { renamed: { from: 'old', to: 'new' } })
  own.runtime.publish('f.x', 1)
  await turn()
  expect(calls).toEqual([['j', { x: 1, y: 'left' }]])
})

test('a flow under another name goes on with its joins, and at the times of its schedules', async () => {
  const ticks: number[] = []
  const { calls, definition } = recorder('both', 'combine')
  const own = engine([
    definition,
    type('ticks', (ctx) => (ctx.every(10, () => void ticks.push(own.host.clock.now())), {})),
  ])
  const document = flow([
    { id: 'j', type: 'both', ports: [input('x'), input('y')] },
    { id: 't', type: 'ticks' },
  ])
  const startMs = own.host.clock.now()
  const live = await own.start(document)
  own.runtime.publish('f.y', 'left')
  await own.host.advance(4000)
  await live.stop({ keep: true })
  await own.host.advance(1000)
  const moved = { ...document, name: 'g' }
  await own.runtime.start(JSON.parse(JSON.stringify(moved).replaceAll('"f.', '"g.')), { after: live })
  own.runtime.publish('g.x', 1)
  await own.host.advance(5000)
  expect(calls).toEqual([['j', { x: 1, y: 'left' }]])
  expect(ticks).toEqual([startMs + 10_000])
})

test('what waits for a node, input or type that is gone is given up', async () => {
  const { definition } = watched({ start: 1 })
  const { definition: plain } = recorder('plain')
  const own = engine([definition, plain])
  const starting = own.start(
    flow([reader('gone'), reader('other'), reader('a', 1, { ports: [input('p:x'), input('q:x')] })]),
  )
  await own.host.advance(3000)
  const live = await starting
  const next = [{ id: 'other', type: 'plain', ports: [input('x')] }, reader('a', 2, { ports: [input('p:x')] })]
  const rebuilt = live.rebuild(flow(next))
  own.runtime.publish('f.x', 7)
  await own.host.advance(1000)
  await rebuilt
  const letters = own.host.deadLetters.map(({ node, message, value, reason }) => ({ node, message, value, reason }))
  const given = { message: 'f.x', value: 7, reason: 'stopped' }
  expect(letters).toHaveLength(3)
  expect(letters).toEqual(expect.arrayContaining(['a', 'gone', 'other'].map((node) => ({ node, ...given }))))
})

test.each([
  [true, [1, 1, 2], []],
  [false, [1, 2], [[1, 'stopped']]],
])('an execution that is cut off after 10 s, repeatable: %j', async (idempotent, executed, letters) => {
  const { running, definition } = gated({ idempotent, settings: anySettings } as never)
  const own = engine([definition])
  const at = (form: number) => flow([{ id: 'a', type: 'gated', settings: { form }, ports: [input('x')] }])
  const live = await own.start(at(1))
  own.runtime.publish('f.x', 1)
  own.runtime.publish('f.x', 2)
  await turn()
  await rebuild(own, live, at(2))
  for (let count = 0; count < 3; count++) {
    for (const { end } of running) end()
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await turn()
  }
  expect(running.map(({ value }) => value)).toEqual(executed)
  expect(own.host.deadLetters.map(({ value, reason }) => [value, reason])).toEqual(letters)
  expect(own.runtime.running()).toEqual([])
})

test('an execution that ends in time is what it was', async () => {
  const { running, definition } = gated({ idempotent: false, settings: anySettings } as never)
  const own = engine([definition])
  const at = (form: number) => flow([{ id: 'a', type: 'gated', settings: { form }, ports: [input('x')] }])
  const live = await own.start(at(1))
  own.runtime.publish('f.x', 1)
  await turn()
  const rebuilt = live.rebuild(at(2))
  await own.host.advance(9000)
  running[0]?.end()
  expect(await rebuilt).toEqual(['a'])
  expect([running.length, own.host.deadLetters]).toEqual([1, []])
})

test('a paused flow stays paused, and holds what it held in its order', async () => {
  const { told, definition } = watched()
  const own = engine([definition])
  const live = await own.start(flow([reader('a', 1), reader('b', 1)]))
  live.pause()
  own.runtime.publish('f.x', 1)
  own.runtime.publish('f.x', 2)
  told.splice(0)
  await rebuild(own, live, flow([reader('a', 2), reader('b', 1)]))
  expect([live.paused, live.held]).toEqual([true, 4])
  live.step()
  live.step()
  expect(told).toEqual(['stop a:1', 'start a:2', 'a:2 1', 'b:1 1'])
  live.resume()
  await turn()
  expect(told.slice(4)).toEqual(['a:2 2', 'b:1 2'])
  expect([own.host.deadLetters, atCrash(own.host)]).toEqual([[], []])
})

test('timers, and schedules that are equal, go on; one that was due meanwhile ticks once', async () => {
  const ticks: string[] = []
  const clocked = type('clocked', (ctx) => {
    ctx.every(10, () => ticks.push(`every ${ctx.now() % 100_000}`))
    if (ctx.timerDue('t') === null) ctx.setTimer('t', ctx.now() + 25_000, 'data')
    return { onTimer: (_key, data) => void ticks.push(`${String(data)} ${ctx.now() % 100_000}`) }
  })
  const own = engine([{ ...clocked, settings: anySettings }], { startMs: 0 })
  const at = (form: number) => flow([{ id: 'c', type: 'clocked', settings: { form } }])
  const live = await own.start(at(1))
  await own.host.advance(7000)
  await live.rebuild(at(2))
  await own.host.advance(20_000)
  expect(ticks).toEqual(['every 10000', 'every 20000', 'data 25000'])
  await live.rebuild(flow([]))
  expect([own.host.clock.pending, own.host.deadLetters]).toEqual([0, []])
})

test('a timer with data of a node that is gone is given up', async () => {
  const set = type('set', (ctx) => {
    ctx.setTimer('t', ctx.now() + 1000, 'data')
    return {}
  })
  const own = engine([set])
  const live = await own.start(flow([{ id: 'c', type: 'set' }]))
  await live.rebuild(flow([]))
  expect(own.host.deadLetters).toMatchObject([{ node: 'c', value: 'data', reason: 'stopped' }])
  expect(atCrash(own.host)).toEqual([])
})

test('requests wait for the new node, which reads them; a path that is gone is unknown then', async () => {
  const read: string[] = []
  const hook = type('hook', async (ctx) => {
    const { path, form } = ctx.settings as { path: string; form: number }
    await new Promise<void>((resolve) => void ctx.after(5, resolve))
    ctx.webhook({ path, secret: null, methods: ['POST'] }, () => {
      read.push(`${path} by ${form}`)
      ctx.send('x', form)
    })
    return {}
  })
  const { calls, definition } = recorder('end')
  const own = engine([{ ...hook, settings: anySettings }, definition])
  const at = (form: number, paths: string[]) =>
    flow([
      ...paths.map((path) => ({ id: path, type: 'hook', settings: { form, path }, ports: [output('x')] })),
      { id: 'end', type: 'end', ports: [input('x')] },
    ])
  const starting = own.start(at(1, ['in', 'gone']))
  await own.host.advance(10_000)
  const live = await starting
  await own.host.hook('f', 'in', {})
  const rebuilt = live.rebuild(at(2, ['in']))
  await turn()
  const waiting = [own.host.hook('f', 'in', {}), own.host.hook('f', 'gone', {}).catch((error: Error) => error.message)]
  await own.host.advance(4999)
  expect(read).toEqual(['in by 1'])
  await own.host.advance(1)
  await rebuilt
  expect(await Promise.all(waiting)).toEqual([undefined, 'there is no webhook "f/gone"'])
  expect(read).toEqual(['in by 1', 'in by 2'])
  expect(calls.map(([, , value]) => value)).toEqual([1, 2])
})

test('an execution that waits for an answer of its own flow gets it', async () => {
  const ends: string[] = []
  const caller = type(
    'caller',
    () => ({
      async onValue() {
        await own.host.hook('f', 'in', {})
        ends.push('answered')
      },
    }),
    { idempotent: false },
  )
  const hook = type('hook', (ctx) => {
    ctx.webhook({ path: 'in', secret: null, methods: ['POST'] }, () => void ends.push('called'))
    return {}
  })
  const own = engine([
    { ...caller, settings: anySettings },
    { ...hook, settings: anySettings },
  ])
  const at = (form: number) =>
    flow([
      { id: 'h', type: 'hook', settings: { form } },
      { id: 'c', type: 'caller', settings: { form }, ports: [input('x')] },
    ])
  const live = await own.start(at(1))
  own.runtime.publish('f.x', 1)
  const rebuilt = live.rebuild(at(2))
  own.runtime.publish('f.x', 2)
  await rebuilt
  await turn()
  expect([ends, own.host.deadLetters]).toEqual([['called', 'answered', 'called', 'answered'], []])
})

test.each([
  ['before', 5000],
  ['by the node that has taken its place, when the commit takes longer than that waits', 20_000],
])('a durable arrival that is being committed when its node is to end is published %s', async (_, commitMs) => {
  const { calls, definition } = recorder('end')
  const commits: (() => void)[] = []
  const hook = type('hook', (ctx) => {
    ctx.webhook({ path: 'in', secret: null, methods: ['POST'] }, () => ctx.emitDurably({ x: 1 }))
    return {}
  })
  const own = engine([{ ...hook, settings: anySettings }, definition])
  own.host.work.arrive = async (_work, publish) => {
    await new Promise<void>((resolve) => commits.push(resolve))
    publish()
  }
  const at = (form: number) =>
    flow([
      { id: 'h', type: 'hook', settings: { form }, ports: [output('x')] },
      { id: 'end', type: 'end', ports: [input('x')] },
    ])
  const live = await own.start(at(1))
  const taken = own.host.hook('f', 'in', {})
  await turn()
  const rebuilt = live.rebuild(at(2))
  await own.host.advance(commitMs)
  commits[0]?.()
  await Promise.all([taken, rebuilt])
  await turn()
  expect([calls, own.host.deadLetters]).toEqual([[['end', 'x', 1]], []])
})
