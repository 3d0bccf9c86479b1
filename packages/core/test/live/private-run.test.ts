import type { FlowDocument } from '@flow-service/protocol'
import { expect, test } from 'vitest'

import { NodeRegistry, type PrivateRunResult, runPrivately } from '../../src/index.ts'
import { type MemoryHost, memoryHost } from '../../src/testing.ts'
import { flow, input, output, pass, recorder, type } from '../documents.ts'

type Definitions = ConstructorParameters<typeof NodeRegistry>[0]

function running(document: FlowDocument, definitions: Definitions, inputs: Record<string, unknown> = {}) {
  const host = memoryHost()
  const registry = new NodeRegistry([pass, ...definitions])
  return { host, run: runPrivately({ document, host, registry, inputs }) }
}

/** Lets time pass until the run is over. */
async function ended({ host, run }: { host: MemoryHost; run: Promise<PrivateRunResult> }): Promise<PrivateRunResult> {
  let isOver = false
  const end = (): void => void (isOver = true)
  run.then(end, end)
  while (!isOver) await host.advance(1000)
  return run
}

const wait = type('wait', (ctx) => ({
  onValue: (_port, value) => ctx.setTimer('t', ctx.now() + 20_000, value),
  onTimer: (_key, data) => ({ y: data }),
}))

test('inputs are published in turn, and the last value of each message is answered [R473]', async () => {
  const document = flow([{ id: 'a', type: 'pass', ports: [input('x'), output('y')] }], {
    inputs: [{ name: 'x', dtype: 'int' }],
  })
  const { status, values, nodes, cascade } = await ended(running(document, [], { x: 5 }))
  expect({ status, values }).toEqual({ status: 'ok', values: { 'f.x': 5, 'f.y': 5 } })
  expect(nodes.map(({ node, status: state }) => [node, state])).toEqual([['a', 'idle']])
  expect(cascade).toMatch(/^0/)
})

test('without inputs every node that has none acts, once', async () => {
  const source = type('source', () => ({ onTrigger: () => ({ y: 'go' }) }))
  const { calls, definition } = recorder('end')
  const document = flow([
    { id: 's', type: 'source', ports: [output('y')] },
    { id: 'a', type: 'end', ports: [input('y')] },
  ])
  expect(await ended(running(document, [source, definition]))).toMatchObject({ status: 'ok', values: { 'f.y': 'go' } })
  expect(calls).toEqual([['a', 'y', 'go']])
})

test('timers of its nodes are waited for, up to 30 s', async () => {
  const document = (count: number): FlowDocument =>
    flow(
      Array.from({ length: count }, (_, at) => ({
        id: `w${at}`,
        type: 'wait',
        ports: [input(`x:m${at}`), output(`y:m${at + 1}`)],
      })),
      { inputs: [{ name: 'm0' }] },
    )
  expect(await ended(running(document(1), [wait], { m0: 1 }))).toMatchObject({
    status: 'ok',
    values: { 'f.m0': 1, 'f.m1': 1 },
  })
  const late = await ended(running(document(2), [wait], { m0: 1 }))
  expect(late).toMatchObject({ status: 'timed_out', values: { 'f.m1': 1 } })
  expect(late.values).not.toHaveProperty('f.m2')
})

test('a node that fails makes the run an error, and its state tells why', async () => {
  const failing = type('failing', () => ({
    onValue: () => {
      throw new Error('broken')
    },
  }))
  const document = flow([{ id: 'a', type: 'failing', ports: [input('x')] }], { inputs: [{ name: 'x' }] })
  expect(await ended(running(document, [failing], { x: 1 }))).toMatchObject({
    status: 'error',
    nodes: [{ node: 'a', status: 'failed', error: { message: 'broken' } }],
  })
})

test('it listens to nothing, keeps no schedule, and leaves nothing behind: no value, event, route, timer or work', async () => {
  const listener = type('listener', (ctx) => {
    ctx.webhook({ path: 'p', secret: null, methods: ['POST'] }, () => {})
    ctx.routes(() => {})
    ctx.every(1, () => ctx.send('y', 'tick'))
    ctx.cron('* * * * *', () => ctx.send('y', 'tick'))
    ctx.after(1, () => ctx.send('y', 'start'))
    ctx.setTimer('tick', ctx.now() + 1000, null)
    return { onTimer: () => ({ y: 'tick' }) }
  })
  const document = flow(
    [
      { id: 'l', type: 'listener', ports: [output('y')] },
      { id: 'w', type: 'wait', ports: [input('x'), output('y:z')] },
    ],
    { inputs: [{ name: 'x' }] },
  )
  const { host, run } = running(document, [listener, wait], { x: 1 })
  const { values } = await ended({ host, run })
  expect(values).toEqual({ 'f.x': 1, 'f.z': 1 })
  expect(host.records).toEqual([])
  expect(host.events).toEqual([])
  expect(host.cascades).toEqual([])
  expect(host.work.items.size).toBe(0)
  expect(host.clock.pending).toBe(0)
  await expect(host.hook('f', 'p', {})).rejects.toThrow('there is no webhook')
  await expect(host.ask('listener/f/l', {} as never, {} as never)).rejects.toThrow('there is no node')
})

test('side effects are real: the host fetches and executes code in processes of its own', async () => {
  const fetched: string[] = []
  const called: string[] = []
  const host = memoryHost({
    fetch: async (url) => {
      fetched.push(url)
      return new Response('')
    },
    call: async ({ document, inputs }) => {
      called.push(document.name)
      return inputs
    },
  })
  const sender = type('sender', (ctx) => ({ onValue: async () => void (await ctx.fetch('http://127.0.0.1/x')) }))
  const coded = type('coded', (ctx) => ({ onInput: () => ctx.call({ y: 1 }) }), { arrival: 'combine', code: 'python' })
  const document = flow(
    [
      { id: 's', type: 'sender', ports: [input('x')] },
      { id: 'c', type: 'coded', ports: [input('x'), output('y')] },
    ],
    { inputs: [{ name: 'x' }] },
  )
  const registry = new NodeRegistry([sender, coded])
  await ended({ host, run: runPrivately({ document, host, registry, inputs: { x: 1 } }) })
  expect(fetched).toEqual(['http://127.0.0.1/x'])
  expect(called).toHaveLength(1)
  expect(called[0]).not.toBe('f')
  expect(host.released).toEqual([`${called[0]}/c`])
})

test('an input that the flow does not have, or a value off its dtype, is refused by name', async () => {
  const document = flow([{ id: 'a', type: 'pass', ports: [input('x'), output('y')] }], {
    inputs: [{ name: 'x', dtype: 'int' }],
  })
  await expect(running(document, [], { z: 1 }).run).rejects.toMatchObject({ port: 'z', name: 'TriggerError' })
  await expect(running(document, [], { x: 'one' }).run).rejects.toMatchObject({ port: 'x', name: 'TriggerError' })
})

test('starting and stopping are part of its 30 seconds; what still ends then is told when it has', async () => {
  const never = () => new Promise<never>(() => {})
  const run = async (nodes: number) => {
    const host = memoryHost()
    const slow = type('slow', async () => {
      await new Promise<void>((resolve) => host.clock.setTimer(9000, resolve))
      return { stop: never }
    })
    const document = flow(Array.from({ length: nodes }, (_, n) => ({ id: `s${n}`, type: 'slow', ports: [] })))
    const startMs = host.clock.now()
    const times = { answered: 0, ended: 0 }
    const passed = () => host.clock.now() - startMs
    const onEnd = () => void (times.ended = passed())
    const answer = runPrivately({ document, host, registry: new NodeRegistry([slow]), inputs: {}, onEnd }).then(
      ({ status }) => status,
      (error: Error) => error.message,
    )
    void answer.then(() => (times.answered = passed()))
    while (times.ended === 0) await host.advance(1000)
    return { answer: await answer, ...times }
  }
  // two starts of 9 s, and the first of two stops that hang
  expect(await run(2)).toMatchObject({ answer: 'ok', answered: 30_000, ended: 38_000 })
  const late = await run(4)
  expect(late).toMatchObject({ answer: 'flow "f" had not started after 30 s', answered: 30_000 })
  expect(late.ended).toBeGreaterThan(30_000)
})
