/** Live flows of two engines on one database. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { defineNode } from '@flow-service/connector-sdk'
import type { Flow, FlowDiff, FlowState, FlowVersion, Message, Run } from '@flow-service/protocol'
import { afterEach, beforeEach, expect, test } from 'vitest'
import * as z from 'zod'

import { newSigningKey } from '../auth/new-signing-key.ts'
import { databaseAt } from '../backend.ts'
import { engineOf, lose } from '../engines/living.ts'
import { scaled } from '../runs/flows.ts'
import { openEngine, relay } from './engine.ts'
import { chain, input, listening, type LiveService, output, startLive } from './live-service.ts'

const oauthSigningKey = newSigningKey()

let shared: string
let one: LiveService
let two: LiveService
const open = async (): Promise<LiveService> => {
  const { databaseUrl } = await databaseAt(shared)
  return startLive({ databaseUrl, oauthSigningKey, artifactsDir: join(shared, 'artifacts') })
}
beforeEach(async () => {
  shared = await mkdtemp(join(tmpdir(), 'engines-'))
  one = await open()
  two = await open()
})
afterEach(async () => {
  await one?.[Symbol.asyncDispose]()
  await two?.[Symbol.asyncDispose]()
  await rm(shared, { recursive: true, force: true })
})

const statusAt = async (at: LiveService, flow: string): Promise<string> =>
  (await at.root<Flow>('GET', `/flows/${flow}`)).value.status

/** The engine that has a flow. */
const homeOf = (flow: string): Promise<string | null> => engineOf(one.engine.database.sql, flow)

/** The services by who runs a flow: that one first. */
async function byHome(flow: string): Promise<[home: LiveService, other: LiveService]> {
  const engine = await homeOf(flow)
  return one.engineId === engine ? [one, two] : [two, one]
}

test('what is asked of either engine is done by the one that runs the flow: control, nodes, values, webhooks, content, name', async () => {
  await one.publish('porch', listening())
  await expect.poll(() => homeOf('porch')).not.toBeNull()
  for (const at of [one, two]) {
    expect(await at.control('porch', 'pause')).toMatchObject({ status: 200, value: { status: 'paused' } })
    expect((await at.hook('porch/in', { temp: 20 })).status).toBe(202)
    expect(await at.control('porch', 'step')).toMatchObject({ status: 200, value: { released: 1 } })
    expect(await at.control('porch', 'resume')).toMatchObject({ status: 200, value: { status: 'active' } })
    expect(await at.node('porch', 'pass', 'trigger', { values: { temp: 21 } })).toMatchObject({ status: 202 })
    expect(await at.node('porch', 'pass', 'cancel')).toMatchObject({ status: 200 })
    expect(await at.node('porch', 'pass', 'acknowledge')).toMatchObject({ status: 200 })
    expect(await at.send('porch.temp', 22)).toMatchObject({ status: 200, value: { cascade: expect.any(String) } })
    expect(await at.send('temp', 23)).toMatchObject({ status: 200 })
    expect(await at.control('porch', 'start')).toMatchObject({ status: 200, value: { status: 'active' } })
    await at.next('porch', listening({ durable: at === two }))
  }
  const [home, other] = await byHome('porch')
  for (const at of [home, other]) expect(await at.values('porch.seen')).toContain(23)
  const refused = await other.node('porch', 'nobody', 'trigger')
  expect(refused).toMatchObject({ status: 404, problem: { detail: 'flow "porch" has no node "nobody"' } })
  expect(await other.send('porch.temp', 'warm')).toMatchObject({
    status: 422,
    problem: { errors: [{ path: '/value' }] },
  })
  expect((await other.root('POST', '/flows/porch/rename', { name: 'hall' })).status).toBe(200)
  await expect.poll(async () => (await other.hook('hall/in', { temp: 20 })).status).toBe(202)
  expect(await other.control('hall', 'stop')).toMatchObject({ status: 200, value: { status: 'stopped' } })
  expect((await home.hook('hall/in', { temp: 20 })).status).toBe(404)
})

test('a flow that was stopped at one engine is started at the other, with the values it had', async () => {
  await one.publish('porch', chain())
  await one.send('porch.on', 7)
  await one.history('porch.off', [7])
  await one.control('porch', 'stop')
  await expect.poll(() => statusAt(two, 'porch')).toBe('stopped')
  expect((await two.control('porch', 'start')).value).toMatchObject({ status: 'active' })
  const { value } = await two.root<Message[]>('GET', '/messages/')
  expect(value.find(({ name }) => name === 'porch.off')).toMatchObject({ value: 7 })
  expect(await statusAt(one, 'porch')).toBe('active')
})

test('what durable requests have published is recorded once, whichever engine starts their flow again', async () => {
  await one.publish('porch', listening({ durable: true }))
  const sent: number[] = []
  for (const at of [one, one, two, one]) {
    await one.control('porch', 'stop')
    await two.control('porch', 'stop')
    expect((await at.control('porch', 'start')).status).toBe(200)
    for (const temp of [20, 21, 22]) {
      sent.push(temp)
      expect((await at.hook('porch/in', { temp })).status).toBe(202)
    }
  }
  await one.history('porch.temp', sent)
  await one.history('porch.seen', sent)
})

test('an engine that ends leaves its flows to the other, which answers for them meanwhile; one that opens gets its share', async () => {
  const names = ['porch', 'hall', 'attic']
  for (const name of names) await one.publish(name, listening())
  const homes = async () => new Set(await Promise.all([...names, 'lab'].map(homeOf)))
  await expect.poll(homes).toEqual(new Set([one.engineId, two.engineId]))
  const knocks = async (at: LiveService) =>
    Promise.all(
      names.map(async (name) => {
        const answer = await at.hook(`${name}/in`, { temp: 20 })
        return answer.status === 202 ? 202 : await answer.text()
      }),
    )
  const during = two.close()
  expect(await knocks(one)).toEqual([202, 202, 202])
  await during
  await expect.poll(homes).toEqual(new Set([one.engineId]))
  two = await open()
  await expect.poll(homes).toEqual(new Set([one.engineId, two.engineId]))
  for (const at of [one, two]) {
    expect(await knocks(at)).toEqual([202, 202, 202])
    for (const flow of [...names, 'lab']) await expect.poll(() => statusAt(at, flow)).toBe('active')
  }
})

test('a content that is published at one engine is executed by the one that runs the flow', async () => {
  await one.publish('porch', chain(2))
  await two.next('porch', chain(3))
  await expect.poll(async () => (await one.read('porch')).published_version).toBe(2)
  const scaled = async (): Promise<unknown> => {
    await one.send('porch.on', 1)
    return (await one.values('porch.mid')).at(-1)
  }
  await expect.poll(scaled).toBe(3)
})

test('a content that another engine has published and that does not start here is an issue, and the one before goes on', async () => {
  const starting = (refused: string | null) =>
    defineNode({
      type: 'door',
      title: 'Door',
      description: '',
      category: 'logic',
      settings: z.strictObject({ key: z.string() }),
      arrival: 'each',
      start({ settings: { key } }) {
        if (key === refused) throw new Error('no door takes the key')
        return { onValue: () => ({ '': key }) }
      },
    })
  const door = (key: string) => ({
    inputs: [{ name: 'x' }],
    nodes: [{ id: 'n', type: 'door', settings: { key }, ports: [input('x')] }],
  })
  await using here = await openEngine({ types: [starting('bent')] })
  await using there = await openEngine({ types: [starting(null)], dataDir: here.dataDir })
  await here.publish('porch', door('good'))
  expect((await here.root('POST', '/flows/porch/start')).status).toBe(200)
  const { value } = await there.root('PUT', '/flows/porch', { ...door('bent'), version: 1 })
  expect((await there.root('POST', '/flows/porch/publish', { version: value.version })).status).toBe(200)
  await expect
    .poll(async () => (await here.root('GET', '/flows/porch')).value.issues)
    .toEqual([expect.objectContaining({ code: 'start_failed', node: 'n', message: 'no door takes the key' })])
  expect((await here.root('GET', '/flows/porch')).value.status).toBe('active')
})

test('versions that were published at one engine are listed, compared and restored at the other; of two that restore at once one is refused', async () => {
  await using here = await openEngine()
  await using there = await openEngine({ dataDir: here.dataDir })
  const titled = (title: string) => ({ ...relay, mode: 'batch' as const, title })
  await here.publish('log', titled('First'))
  await here.publish('log', { ...titled('Second'), version: 1 })
  const versions = await here.root<FlowVersion[]>('GET', '/flows/log/versions')
  expect(versions.value.map(({ version }) => version)).toEqual([2, 1])
  expect((await there.root('GET', '/flows/log/versions')).value).toEqual(versions.value)
  const { value: diff } = await there.root<FlowDiff>('GET', '/flows/log/versions/1/diff')
  expect(diff).toMatchObject({ to: 'published', flow: [{ path: '/title', from: 'First', to: 'Second' }], nodes: [] })

  for (const version of [2, 3, 4]) {
    const answers = await Promise.all(
      [here, there].map((engine) => engine.root('POST', '/flows/log/versions/1/restore', { version })),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]))
    expect(answers.find(({ status }) => status === 409)?.problem).toMatchObject({ code: 'version_conflict' })
    for (const engine of [here, there])
      expect((await engine.root('GET', '/flows/log')).value).toMatchObject({ version: version + 1, title: 'First' })
  }
})

test('a flow that is deleted at one engine ends at the other: its webhook, its messages, and whatever it published', async () => {
  await one.publish('porch', listening({ durable: true }))
  await one.hook('porch/in', { temp: 20 })
  await one.history('porch.seen', [20])
  expect((await two.root('DELETE', '/flows/porch')).status).toBe(204)
  const answers = new Set<number>()
  const knocked = async (): Promise<number> => {
    const { status } = await one.hook('porch/in', { temp: 21 })
    answers.add(status)
    return status
  }
  await expect.poll(knocked).toBe(404)
  expect(answers.has(500)).toBe(false)
  const names = async (at: LiveService) => (await at.root<Message[]>('GET', '/messages/')).value.map(({ name }) => name)
  for (const at of [one, two]) await expect.poll(() => names(at)).not.toContain('porch.temp')
  await expect
    .poll(() =>
      one.engine.database.sql`select from message_value where message like 'porch.%'`.then(({ count }) => count),
    )
    .toBe(0)
})

test('a flow that is renamed or made at one engine is so at the other', async () => {
  await one.publish('porch', chain())
  await one.send('porch.on', 7)
  await one.history('porch.off', [7])
  const names = async () =>
    (await two.root<Message[]>('GET', '/messages/')).value.flatMap(({ name }) =>
      /^(?:porch|hall)/.test(name) ? [name] : [],
    )
  await expect.poll(names).toEqual(['porch.mid', 'porch.off', 'porch.on'])
  expect((await one.root('POST', '/flows/porch/rename', { name: 'hall' })).status).toBe(200)
  await expect.poll(names).toEqual(['hall.mid', 'hall.off', 'hall.on'])
  expect((await two.root<FlowState[]>('GET', '/flows/')).value.map(({ name }) => name)).toContain('hall')
})

test('a flow whose engine is lost is taken by another one, and only then does the lost one end it', async () => {
  await one.publish('porch', listening())
  await expect.poll(() => homeOf('porch')).not.toBeNull()
  const lost = await homeOf('porch')
  // its lease is over again and again, however often it gets another one
  const taken = async (): Promise<boolean> => {
    await lose(one.engine.database.sql, lost)
    const now = await homeOf('porch')
    return now !== null && now !== lost
  }
  await expect.poll(taken).toBe(true)
  for (const at of [one, two]) await expect.poll(async () => (await at.hook('porch/in', { temp: 20 })).status).toBe(202)
  for (const at of [one, two]) await expect.poll(() => statusAt(at, 'porch')).toBe('active')
})

test('of engines that start a flow at the same time one does', async () => {
  await one.publish('porch', listening())
  await one.control('porch', 'stop')
  const answers = await Promise.all([one, two].map(({ control }) => control('porch', 'start')))
  for (const { status } of answers) expect([200, 409]).toContain(status)
  expect(answers.some(({ status }) => status === 200)).toBe(true)
  const hooks = await Promise.all([one, two].map(({ hook }) => hook('porch/in', { temp: 20 })))
  expect(await Promise.all(hooks.map((each) => each.text()))).toEqual(['{"accepted":true}', '{"accepted":true}'])
})

test('shared code that is changed at one engine is executed by the one that runs its users', async () => {
  const code = (factor: number): string => `def run(x):\n    return {"y": x * ${factor}}\n`
  const ports = [input('x', { dtype: 'int' }), output('y', { dtype: 'int' })]
  await one.publish('porch', {
    inputs: [{ name: 'x', dtype: 'int' }],
    nodes: [{ id: 'n', type: 'python', source: code(2), ports }],
  })
  expect((await one.node('porch', 'n', 'share', { name: 'scale' })).status).toBe(200)
  const put = await two.root('PUT', '/flows/porch/nodes/n/source', { code: code(3), version: 1 })
  expect([put.status, put.value]).toMatchObject([200, { version: 2 }])
  const last = async (): Promise<unknown> => {
    await one.send('porch.x', 1)
    return (await one.values('porch.y')).at(-1)
  }
  await expect.poll(last).toBe(3)
})

test('a run that is submitted to either engine executes what was published last, at whichever', async () => {
  const results: unknown[] = []
  await one.publish('sum', { mode: 'batch', ...scaled(1) })
  for (const scale of [2, 3, 4]) {
    for (const [publisher, at] of [
      [one, two],
      [two, one],
    ] as const) {
      await publisher.next('sum', { mode: 'batch', ...scaled(scale) })
      const { value } = await at.root<Run>('POST', '/runs/flows/sum', { params: { x: 10 } })
      await expect.poll(async () => (await at.root<Run>('GET', `/runs/${value.id}`)).value.status).toBe('ok')
      results.push((await at.root<Run>('GET', `/runs/${value.id}`)).value.result)
    }
  }
  expect(results).toEqual([20, 20, 30, 30, 40, 40].map((y) => ({ y })))
})
