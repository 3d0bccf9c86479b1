/** Live flows of two engines on one database. */
import { generateKeyPairSync } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { defineNode } from '@flow-service/connector-sdk'
import { VirtualClock } from '@flow-service/core/testing'
import type { Flow, FlowDiff, FlowState, FlowVersion, Message, Problem } from '@flow-service/protocol'
import { afterEach, beforeEach, expect, test } from 'vitest'
import * as z from 'zod'

import { restoreLater } from '../../src/flows/late-restore.ts'
import { databaseAt } from '../backend.ts'
import { quiet } from '../use-database.ts'
import { openEngine, relay } from './engine.ts'
import { chain, input, listening, type LiveService, output, startLive } from './live-service.ts'

const oauthSigningKey = String(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }))

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

/** The engine that the row of a flow names. */
const engineOf = async (flow: string): Promise<string | null> => {
  const [row] = await one.engine.database.sql<{ engine: string | null }[]>`select engine from flow where name = ${flow}`
  return row?.engine ?? null
}

/** Nobody has heard of an engine for longer than counts as contact. */
const lose = (engine: string | null) =>
  one.engine.database.sql`update engine set contact_at = now() - interval '21 s' where id = ${engine}`

test('what another engine runs is neither started nor held, stepped or fed, and each refusal names that engine', async () => {
  await one.publish('porch', chain())
  const engine = await engineOf('porch')
  const refused = { status: 409, problem: { code: 'in_use', engine } }
  for (const verb of ['start', 'stop', 'pause', 'resume', 'step']) {
    expect(await two.control('porch', verb)).toMatchObject(refused)
  }
  for (const verb of ['trigger', 'cancel', 'acknowledge']) {
    expect(await two.node('porch', 'first', verb)).toMatchObject(refused)
  }
  await expect.poll(() => two.send('porch.on', 1)).toMatchObject(refused)
  const { problem } = await two.root('POST', '/flows/porch/rename', { name: 'porch-2' })
  expect(problem).toMatchObject({ code: 'in_use', detail: expect.stringContaining(`/${process.pid}`) })
  expect(await statusAt(two, 'porch')).toBe('active')
  await one.control('porch', 'pause')
  expect(await two.listed('porch')).toMatchObject({ status: 'paused' })
  expect(await one.control<Problem>('porch', 'start')).toMatchObject({ status: 200 })
})

test('a flow that was stopped at one engine is started at the other, with the values it had', async () => {
  await one.publish('porch', chain())
  await one.send('porch.on', 7)
  await one.history('porch.off', [7])
  await one.control('porch', 'stop')
  expect(await statusAt(two, 'porch')).toBe('stopped')
  expect((await two.control('porch', 'start')).value).toMatchObject({ status: 'active' })
  const { value } = await two.root<Message[]>('GET', '/messages/')
  expect(value.find(({ name }) => name === 'porch.off')).toMatchObject({ value: 7 })
  expect((await one.control('porch', 'start')).status).toBe(409)
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

test('an engine that opens starts what nobody runs, and leaves to others what they run', async () => {
  await one.publish('porch', listening())
  await two.publish('hall', listening())
  await two.close()
  expect(await statusAt(one, 'hall')).toBe('failed')
  two = await open()
  expect((await two.hook('hall/in', { temp: 20 })).status).toBe(202)
  expect((await two.hook('porch/in', { temp: 20 })).status).toBe(404)
  expect((await one.hook('porch/in', { temp: 20 })).status).toBe(202)
  for (const at of [one, two]) {
    for (const flow of ['porch', 'hall', 'lab']) expect([flow, await statusAt(at, flow)]).toEqual([flow, 'active'])
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

test('a flow whose engine is lost is started by another one; the lost one ends it when it is back', async () => {
  await one.publish('porch', listening())
  const lost = await engineOf('porch')
  await lose(lost)
  expect(await two.read('porch')).toMatchObject({
    status: 'failed',
    issues: [{ severity: 'advisory' }, { code: 'start_failed' }],
  })
  expect((await two.control('porch', 'start')).status).toBe(200)
  await expect.poll(async () => (await one.hook('porch/in', { temp: 20 })).status).toBe(404)
  expect((await two.hook('porch/in', { temp: 20 })).status).toBe(202)
  expect(await engineOf('porch')).not.toBe(lost)
  expect(await statusAt(one, 'porch')).toBe('active')
})

test('flows that an opening engine has left to another one are started when that one is lost a moment later', async () => {
  await using here = await openEngine()
  for (const name of ['porch', 'hall']) {
    await here.publish(name, chain())
    expect((await here.root('POST', `/flows/${name}/start`)).status).toBe(200)
  }
  await using there = await openEngine({ dataDir: here.dataDir })
  const clock = new VirtualClock(0)
  const end = await restoreLater({ ...there, clock, isMissing: () => false, log: quiet })
  await here.root('POST', '/flows/hall/stop')
  await here.database.sql`update engine set contact_at = now() - interval '21 s' where id in (select engine from flow)`
  await clock.advance(24_000)
  expect(there.live.running({ name: 'porch' })).toBeUndefined()
  await clock.advance(1_000)
  await expect.poll(() => there.live.running({ name: 'porch' })).toBeDefined()
  await end()
  expect(there.live.running({ name: 'hall' })).toBeUndefined()
})

test('of engines that start a flow at the same time one does', async () => {
  await one.publish('porch', listening())
  await one.control('porch', 'stop')
  const answers = await Promise.all([one, two].map(({ control }) => control('porch', 'start')))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]))
  const hooks = await Promise.all([one, two].map(({ hook }) => hook('porch/in', { temp: 20 })))
  expect(new Set(hooks.map(({ status }) => status))).toEqual(new Set([202, 404]))
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
