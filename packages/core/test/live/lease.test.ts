/** What a live flow does while the engine may have lost it to another one: nothing (loop.L6). */
import type { NodeContext } from '@flow-service/connector-sdk'
import type { FlowDocument } from '@flow-service/protocol'
import { expect, onTestFinished, test } from 'vitest'

import { type Lease, LiveRuntime, NodeRegistry } from '../../src/index.ts'
import { memoryHost, type MemoryHostOptions } from '../../src/testing.ts'
import { flow, input, output, pass, recorder, type } from '../documents.ts'
import { turn } from '../turn.ts'
import { gated } from './live-engine.ts'

/** A lease that the test takes away and gives back. */
class TestLease implements Lease {
  #lost: PromiseWithResolvers<void> | null = null

  holds(): boolean {
    return this.#lost === null
  }

  async held(): Promise<void> {
    await this.#lost?.promise
  }

  lose(): void {
    this.#lost = Promise.withResolvers()
  }

  async back(): Promise<void> {
    this.#lost?.resolve()
    this.#lost = null
    await turn()
  }
}

/** An engine that has a lease, and a flow on it. */
async function leased(
  document: FlowDocument,
  definitions: ConstructorParameters<typeof NodeRegistry>[0],
  options: MemoryHostOptions = {},
) {
  const lease = new TestLease()
  const host = { ...memoryHost(options), lease }
  const runtime = new LiveRuntime(host, new NodeRegistry([pass, ...definitions]))
  onTestFinished(async () => {
    await lease.back()
    await runtime.close()
  })
  return { lease, host, runtime, live: await runtime.start(document) }
}

const chain = (last: string) =>
  flow([
    { id: 'a', type: 'pass', ports: [input('x'), output('y')] },
    { id: 'b', type: last, ports: [input('y')] },
  ])

/** A node that gives its context away. */
function outlet() {
  const contexts: NodeContext[] = []
  const definition = type('outlet', (ctx) => {
    contexts.push(ctx)
    return {}
  })
  return { definition, ctx: () => contexts.at(-1)! }
}

const alone = (name: string) => flow([{ id: 'n', type: name, ports: [] }])

test('without the lease nothing is delivered, what is held is not stepped, and all of it goes on in its order (loop.L6)', async () => {
  const { calls, definition } = recorder('end')
  const { lease, live, runtime } = await leased(chain('end'), [definition])
  runtime.publish('f.x', 0)
  lease.lose()
  for (const value of [1, 2]) runtime.publish('f.x', value)
  await turn()
  expect(calls).toEqual([])
  live.pause()
  expect([live.held, live.step()]).toEqual([3, 0])
  live.resume()
  runtime.publish('f.x', 3)
  await turn()
  expect(calls).toEqual([])
  await lease.back()
  await live.idle()
  expect(calls.map(([, , value]) => value)).toEqual([0, 1, 2, 3])
})

test('an execution that ends without the lease is followed by no other one of its node, until it holds again (loop.L6)', async () => {
  const { running, definition } = gated()
  const { lease, live, runtime } = await leased(chain('gated'), [definition])
  for (const value of [1, 2, 3]) runtime.publish('f.x', value)
  await turn()
  lease.lose()
  running[0]?.end()
  await turn()
  expect(running.map(({ value }) => value)).toEqual([1])
  await lease.back()
  for (const at of [1, 2]) {
    running[at]?.end()
    // oxlint-disable-next-line no-await-in-loop -- one execution after the other
    await turn()
  }
  await live.idle()
  expect(running.map(({ value }) => value)).toEqual([1, 2, 3])
})

test('without the lease no timer fires; each goes on once when it holds again, whatever it has missed (loop.L6)', async () => {
  const fired: string[] = []
  const timed = type('timed', (ctx) => {
    const note = (what: string) => () => void fired.push(what)
    ctx.after(30, note('after'))
    ctx.every(10, note('every'))
    ctx.cron('* * * * *', note('cron'))
    ctx.setTimer('t', ctx.now() + 40_000, null)
    return { onTimer: note('lasting') }
  })
  const { host, lease } = await leased(alone('timed'), [timed])
  await host.advance(10_000)
  expect(fired.splice(0)).toEqual(['every'])
  lease.lose()
  await host.advance(170_000)
  expect(fired).toEqual([])
  await lease.back()
  expect(fired.splice(0).toSorted()).toEqual(['after', 'cron', 'every', 'lasting'])
  await host.advance(10_000)
  expect(fired).toEqual(['every'])
})

test('without the lease nothing leaves the engine: requests, code, programs; it does when it holds again (loop.L6)', async () => {
  const { ctx, definition } = outlet()
  const done: string[] = []
  const { lease } = await leased(alone('outlet'), [definition], {
    fetch: async () => (done.push('fetch'), new Response()),
    call: async () => (done.push('call'), {}),
    spawn: async () => (done.push('spawn'), { exitCode: 0, stdout: '', stderr: '', dropped: 0 }),
    connect: () => {
      throw new Error('nobody connects')
    },
  })
  lease.lose()
  const acts = [ctx().fetch('http://a/'), ctx().call({}), ctx().spawn({ file: 'a', args: [], signal: ctx().signal })]
  expect(() => ctx().connect({ host: 'a', port: 1 })).toThrow('the node stops')
  await turn()
  expect(done).toEqual([])
  await lease.back()
  await Promise.all(acts)
  expect(done).toEqual(['fetch', 'call', 'spawn'])
})

test('without the lease a request is not taken, nor a durable arrival kept, until it holds again (loop.L6)', async () => {
  const { ctx, definition } = outlet()
  const bodies: string[] = []
  const hook = type('hook', (ctx) => {
    ctx.webhook(
      { path: 'in', secret: null, methods: ['POST'] },
      ({ body }) => void bodies.push(Buffer.from(body).toString()),
    )
    return {}
  })
  const document = flow([
    { id: 'h', type: 'hook', ports: [] },
    { id: 'o', type: 'outlet', ports: [output('y')] },
  ])
  const { host, lease } = await leased(document, [definition, hook])
  lease.lose()
  const taking = [host.hook('f', 'in', { json: 1 }), ctx().emitDurably({ y: 2 })]
  await turn()
  expect([bodies, host.values('f.y')]).toEqual([[], []])
  await lease.back()
  await Promise.all(taking)
  expect([bodies, host.values('f.y')]).toEqual([['1'], [2]])
})

test('a flow that is stopped without the lease ends at once, keeps what waits, and does none of it later (loop.L6)', async () => {
  const { ctx, definition } = outlet()
  const { calls, definition: end } = recorder('end')
  const acted: string[] = []
  const timed = type('timed', (timing) => {
    timing.every(1, () => void acted.push('every'))
    timing.after(1, () => void acted.push('after'))
    timing.webhook({ path: 'in', secret: null, methods: ['POST'] }, () => void acted.push('hook'))
    return {}
  })
  const document = flow([
    { id: 'e', type: 'end', ports: [input('x')] },
    { id: 'o', type: 'outlet', ports: [] },
    { id: 't', type: 'timed', ports: [] },
  ])
  const fetch = async () => (acted.push('fetch'), new Response())
  const { host, lease, live, runtime } = await leased(document, [definition, end, timed], { fetch })
  lease.lose()
  runtime.publish('f.x', 1)
  const refused = [ctx().fetch('http://a/'), host.hook('f', 'in', { json: 1 })].map((act) =>
    act.then(
      () => 'done',
      () => 'refused',
    ),
  )
  await host.advance(5_000)
  let isStopped = false
  const stopped = live.stop({ keep: true }).then(() => (isStopped = true))
  await host.advance(0)
  expect(isStopped).toBe(true)
  await stopped
  await lease.back()
  await host.advance(5_000)
  expect(await Promise.all(refused)).toEqual(['refused', 'refused'])
  expect([calls, acted]).toEqual([[], []])
  expect([...host.work.items.values()]).toMatchObject([{ node: 'e', body: { is: 'delivery' } }])
})
