/**
 * Commands in English, from the API to the devices of another flow, on engines that are killed between a prompt and the time
 * at which it is due.
 */
import type { CommandRecord } from '@flow-service/protocol'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'

import { hasPostgres } from './components/postgres.ts'
import { publishFlow } from './documents.ts'
import { DataDirectory, type EngineProcess } from './engine-process.ts'
import { useServerDatabases } from './server-databases.ts'
import { problemOf, startService, type TestService } from './service.ts'

/** Each of the last tests starts two engines one after the other. */
vi.setConfig({ testTimeout: 180_000 })

type Client = EngineProcess['client']

/** Lamps, as a bridge to real ones would declare them. */
const lights = {
  mode: 'live',
  inputs: [
    { name: 'k1', dtype: 'bool' },
    { name: 'o1', dtype: 'int' },
  ],
}

/** Who listens to people, and writes to the lamps. */
const home = (settings: object = { apply: true }) => ({
  mode: 'live',
  inputs: [
    { name: 'said', dtype: 'str' },
    { name: 'room', dtype: 'str' },
  ],
  nodes: [
    {
      id: 'lm',
      type: 'commands_lm',
      settings,
      ports: [
        { direction: 'input', name: 'said', port: 'prompt', dtype: 'str' },
        { direction: 'input', name: 'room', port: 'presence', dtype: 'str' },
        { direction: 'output', name: 'actions', dtype: 'list' },
        { direction: 'output', name: 'lights.k1', port: 'kitchen_light', dtype: 'bool' },
        { direction: 'output', name: 'lights.o1', port: 'office_lamp', dtype: 'int' },
      ],
    },
  ],
})

async function openHouse(client: Client, settings?: object): Promise<void> {
  await publishFlow(client, 'lights', lights)
  await publishFlow(client, 'home', home(settings))
  for (const name of ['lights', 'home']) await client.http.flows.start({ name })
}

/** Values of a message, oldest first. */
const values = async (client: Client, message: string): Promise<unknown[]> =>
  (await client.http.messages.history({ message })).map(({ value }) => value).toReversed()

/** Says something, and answers its records. */
async function say(client: Client, prompt: string): Promise<readonly CommandRecord[]> {
  const before = (await values(client, 'home.actions')).length
  await client.http.messages.publish({ message: 'home.said', value: prompt })
  await expect.poll(async () => (await values(client, 'home.actions')).length).toBe(before + 1)
  return (await values(client, 'home.actions')).at(-1) as CommandRecord[]
}

describe('in one engine', () => {
  let at: TestService
  beforeAll(async () => {
    at = await startService()
  })
  afterAll(() => at[Symbol.asyncDispose]())

  test('a sentence that comes in by the API switches the lamp of another flow, and no other [R003, R299, R308, R309]', async () => {
    const { client } = at
    const type = (await client.flows.nodeTypes()).find((each) => each.type === 'commands_lm')
    expect(type).toMatchObject({ available: true, missing: null, modes: ['live', 'batch'] })
    await openHouse(client)
    await client.http.messages.publish({ message: 'home.room', value: 'office' })
    expect(await say(client, 'turn on the kitchen light')).toMatchObject([
      { message: 'lights.k1', value: true, applied: true, delay_s: 0, call: 'lights_on' },
    ])
    expect(await say(client, 'turn on the light')).toMatchObject([{ message: 'lights.o1', value: 100, applied: true }])
    expect(await say(client, 'turn on the bedroom light')).toMatchObject([{ message: '', value: null, applied: false }])
    await say(client, 'is the kitchen light off?')
    expect(await values(client, 'lights.k1')).toEqual([true])
    expect(await values(client, 'lights.o1')).toEqual([100])
  })

  test('a flow whose node names an area that nobody knows is not published [R310]', async () => {
    const port = { direction: 'output', name: 'cellar_light', dtype: 'bool' }
    const { nodes } = home()
    const saved = await at.send('PUT', '/flows/cellar', {
      ...home(),
      nodes: [{ ...nodes[0], ports: [...nodes[0]!.ports, port] }],
    })
    const refused = await at.send('POST', '/flows/cellar/publish', { version: saved.body?.version })
    expect([refused.status, problemOf(refused).code]).toEqual([422, 'flow_invalid'])
    expect(problemOf(refused).errors).toMatchObject([
      {
        code: 'unsupported_ports',
        message: expect.stringContaining('output "cellar_light" is no device that commands know'),
      },
    ])
  })

  test('a run of a batch flow carries a command out and holds nothing', async () => {
    const { nodes } = home()
    await publishFlow(at.client, 'once', {
      mode: 'batch',
      inputs: [{ name: 'said', dtype: 'str', initial: 'turn off the kitchen light in ten minutes' }],
      nodes: [
        {
          ...nodes[0],
          ports: [
            { direction: 'input', name: 'said', port: 'prompt', dtype: 'str' },
            { direction: 'output', name: 'actions', dtype: 'list' },
            { direction: 'output', name: 'kitchen_light', dtype: 'bool' },
          ],
        },
      ],
      outputs: [{ name: 'actions' }, { name: 'kitchen_light' }],
    })
    const { id } = await at.client.http.runs.submit({ name: 'once' })
    await expect.poll(async () => (await at.client.http.runs.get({ id })).status).toBe('ok')
    expect((await at.client.http.runs.get({ id })).result).toMatchObject({
      actions: [{ call: 'lights_off', delay_s: 600, applied: false }],
      kitchen_light: null,
    })
  })
})

/** An engine for which it is so many seconds later than it is. */
function ahead(seconds: number): NodeJS.ProcessEnv {
  const script = `
    const { now } = Date
    globalThis.Date = class extends Date {
      static now() { return now() + ${seconds * 1000} }
      constructor(...of) { super(...(of.length === 0 ? [now() + ${seconds * 1000}] : of)) }
    }`
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}` }
}

/** Holds what it gets. */
const shelf = {
  mode: 'live',
  inputs: [{ name: 'item', dtype: 'int' }],
  nodes: [
    {
      id: 'keep',
      type: 'change',
      ports: [
        { direction: 'input', name: 'item', dtype: 'int' },
        { direction: 'output', name: 'kept', dtype: 'float' },
      ],
    },
  ],
}

/** What lamps were told by an engine that is killed before what was said is due, and by one that starts when it was. */
async function toldOverKill(env: NodeJS.ProcessEnv) {
  using data = new DataDirectory()
  const first = await data.start(env)
  await openHouse(first.client)
  await publishFlow(first.client, 'shelf', shelf)
  await first.client.http.flows.start({ name: 'shelf' })
  await first.client.http.flows.pause({ name: 'shelf' })
  const said = [
    await say(first.client, 'turn on the kitchen light in ten minutes'),
    await say(first.client, 'turn off the office light in five minutes'),
    await say(first.client, 'turn on the office light'),
  ]
  // what a paused flow holds is acknowledged when it is committed, behind all that was kept before
  await first.client.http.messages.publish({ message: 'shelf.item', value: 1 })
  await first.end('SIGKILL')

  const second = await data.start({ ...env, ...ahead(660) })
  const { client } = second
  await expect.poll(() => values(client, 'lights.k1')).toEqual([true])
  // what is said now comes after all that was due
  await say(client, 'turn off the kitchen light')
  const letters = await client.observability.deadLetter()
  const told = { said, letters, kitchen: await values(client, 'lights.k1'), office: await values(client, 'lights.o1') }
  await second.end('SIGTERM')
  return told
}

const applied = { applied: true }
const once = {
  said: [
    [{ ...applied, delay_s: 600 }],
    [{ ...applied, delay_s: 300 }],
    [applied, { applied: false, call: 'lights_off', superseded: true }],
  ],
  letters: [],
  kitchen: [true, false],
}

describe('over a kill', () => {
  test('a call that comes due while there is no engine is written once by the next one: embedded [R331, R332]', async () => {
    const told = await toldOverKill({})
    expect(told).toMatchObject(once)
    expect(told.office).not.toContain(0)
  })
})

describe.skipIf(!hasPostgres())('over a kill, on a PostgreSQL server', () => {
  const databases = useServerDatabases()

  test('a call that comes due while there is no engine is written once by the next one: server [R331, R332]', async () => {
    const told = await toldOverKill(await databases.env('commands'))
    expect(told).toMatchObject(once)
    expect(told.office).not.toContain(0)
  })
})
