/**
 * A request to every operation that its handler would accept, made from the API document: what a schema asks for is
 * filled in, and what only the seeded data can tell stands in the tables below.
 */
import { writeFile } from 'node:fs/promises'

import { apiDocument } from '@flow-service/api-server'
import { createClient } from '@flow-service/client-sdk'
import { Connector } from '@flow-service/connector-sdk'
import type { Scope } from '@flow-service/protocol'
import { vi } from 'vitest'

import { alarmFlow, pythonFlow, scaleFlow } from './documents.ts'
import { publish, type TestService } from './service.ts'

/** An operation of the API document. */
export interface Operation {
  readonly id: string
  readonly method: string
  /** Template below the base URL. */
  readonly path: string
  /** What the endpoint says of its callers. */
  readonly levels: readonly string[]
  /** What a key has to cover, as the endpoint says; undefined where no user is let in. */
  readonly scope: Scope | null | undefined
  readonly body: { readonly type: string; readonly schema: Schema } | null
  readonly queries: readonly { readonly name: string; readonly schema: Schema }[]
}

interface Schema {
  readonly [keyword: string]: unknown
}

const methods = new Set(['get', 'put', 'post', 'patch', 'delete'])
const { paths, components } = apiDocument() as unknown as {
  paths: Record<string, Record<string, Record<string, unknown>>>
  components?: { schemas?: Record<string, Schema> }
}

/** Every operation, in the order of the document. */
export const operations: readonly Operation[] = Object.entries(paths).flatMap(([path, item]) =>
  Object.entries(item)
    .filter(([method]) => methods.has(method))
    .map(([method, operation]) => ({
      id: String(operation.operationId),
      method: method.toUpperCase(),
      path,
      levels: [operation['x-auth-level']].flat() as string[],
      scope: operation['x-scope'] as Operation['scope'],
      body: bodyOf(operation),
      queries: ((operation.parameters ?? []) as { in: string; name: string; required?: boolean; schema: Schema }[])
        .filter((parameter) => parameter.in === 'query' && parameter.required === true)
        .map(({ name, schema }) => ({ name, schema })),
    })),
)

function bodyOf(operation: Record<string, unknown>): Operation['body'] {
  const { content = {} } = (operation.requestBody ?? {}) as { content?: Record<string, { schema: Schema }> }
  const [entry] = Object.entries(content)
  return entry ? { type: entry[0], schema: entry[1].schema } : null
}

/** What the samples are about. */
export interface Seeds {
  readonly run: string
  /** A run whose node `work` has returned something that is kept. */
  readonly stageRun: string
  /** A run that the user tells of. */
  readonly trackedRun: string
  readonly digest: string
  readonly deadLetter: string
  /** The id of an API key. */
  readonly key: string
  /** The id of a worker token. */
  readonly jti: string
  /** The id of a test of a provisioner. */
  readonly test: string
  /** The ids of an agent that the user has let in, and of a program that may ask for it. */
  readonly agent: string
  readonly program: string
  /** The credential of the device `panel`. */
  readonly credential: string
  /** Of a device that waits to be paired. */
  readonly code: string
  readonly secret: string
  /** The id of a user who has been invited, and the token of the invite of another one. */
  readonly user: string
  readonly invite: string
  /** A code of the console, which counts for a minute. */
  readonly consoleCode: () => string
  readonly email: string
  readonly password: string
}

class Pairing extends Connector {
  static readonly contract = 1

  override async start() {
    await this.store.set('pairing', 'a value that nobody sees')
    await super.start()
  }
}

/** Packages that the service to be filled has. */
export const connectors = ['acme', 'other'].map((name) => ({
  package: name,
  version: '1.0.0',
  nodeTypes: { [`${name}_meter`]: Pairing },
}))

const pairs = (type: string) => ({ id: type, type, ports: [{ direction: 'output', name: type }] })

/** Fills a service with something that every operation can work on; agents act for the user of `token`. */
export async function seed(
  at: TestService,
  account: Pick<Seeds, 'email' | 'password'>,
  token = at.token,
): Promise<Seeds> {
  await publish(at, 'alarm', alarmFlow)
  await at.send('POST', '/flows/alarm/start')
  await publish(at, 'paired', { mode: 'live', nodes: [pairs('acme_meter'), pairs('other_meter')] })
  await at.send('POST', '/flows/paired/start')
  await publish(at, 'scale', scaleFlow)
  for (const spare of ['spare', 'draft', 'other']) await publish(at, spare, scaleFlow)
  await at.send('PUT', '/flows/draft', { ...scaleFlow, title: 'A draft', version: 1 })
  await publish(at, 'coded', pythonFlow('def run(n):\n    return {"out": n}\n'))
  await at.send('POST', '/flows/coded/nodes/work/share', { name: 'sample' })
  const { id } = await at.client.http.runs.submit({ name: 'scale' })
  const { id: stageRun } = await at.client.http.runs.submit({ name: 'coded' })
  await Promise.all([id, stageRun].map((run) => at.client.wait(run)))
  const tracker = createClient({ baseUrl: at.baseUrl, token })
  const { id: trackedRun } = await tracker.runs.track({ flow: 'tracked' })
  await tracker.http.runs.append({ id: trackedRun, seq: 1, status: 'ok' })
  const stored = await fetch(`${at.baseUrl}/artifacts?name=a.txt`, {
    method: 'PUT',
    body: 'bytes',
    headers: { authorization: `Bearer ${at.token}`, 'content-type': 'text/plain' },
  })
  const shown = (await stored.json()) as { digest: string }
  const { digest } = shown
  await at.send('PUT', '/secrets/spare', { value: 'not needed' })
  await at.send('PUT', '/alerts/config', webhookAlerts)
  await at.send('POST', '/messages/alarm.temp', { value: 30 })
  const { jti } = await at.client.workers.mintToken({ name: 'spare' })
  const { id: key } = await at.client.keys.create({ name: 'spare', scopes: ['flows:read'] })
  const { id: agent } = await createClient({ baseUrl: at.baseUrl, token }).oauth.mintToken({
    client: 'spare',
    scopes: ['flows:read'],
  })
  const { id: program } = await at.client.http.oauth.addClient({
    name: 'spare',
    redirect_uris: ['http://127.0.0.1/back'],
  })
  await at.client.http.flavors.create({ name: 'spare', cpus: 1, gpus: 0, ram_mb: 512 })
  const spare = await at.client.users.create({ email: 'spare@example.org' })
  const invited = await at.client.users.create({ email: 'invited@example.org' })
  for (const name of ['panel', 'spare', 'other']) await at.client.http.dashboards.create({ name })
  await at.send('POST', '/dashboards/panel/publish')
  return {
    user: spare.id,
    invite: invited.invite_url?.split('#token=')[1] ?? '',
    consoleCode: () => at.service.consoleCode(),
    run: id,
    stageRun,
    trackedRun,
    digest,
    deadLetter: await deadLetter(at),
    key,
    jti,
    test: await provisionerTest(at),
    agent,
    program,
    ...(await pairedDevice(at, shown)),
    ...account,
  }
}

/** A flow that knows the device `panel`. */
const boardFlow = {
  mode: 'live',
  inputs: [{ name: 'shown', dtype: 'any' }],
  nodes: [
    {
      id: 'panel',
      type: 'device',
      settings: { device: 'panel' },
      ports: [
        { direction: 'output', name: 'alarm.temp', dtype: 'float' },
        { direction: 'input', name: 'shown', dtype: 'any' },
      ],
    },
  ],
}

/** Begins to test a provisioner that nobody reaches. */
async function provisionerTest(at: TestService): Promise<string> {
  const profiles = [{ name: 'spare', cpus: 1, ram_mb: 512, labels: ['spare'] }]
  const engine = { login: 'nowhere.invalid', engine_url: 'wss://flows.invalid/api/v1/workers/attach' }
  const nowhere = { type: 'batch_scheduler', name: 'nowhere', ...engine, profiles }
  await writeFile(`${at.dataDir}/provisioners.json`, JSON.stringify([nowhere]))
  await at.client.workers.provisioners.reload()
  return (await at.client.http.workers.provisioners.test({ name: 'nowhere', profile: 'spare' })).test
}

/** Pairs the device `panel`, which may read what it is shown; another one waits. */
async function pairedDevice(at: TestService, shown: object): Promise<Pick<Seeds, 'credential' | 'code' | 'secret'>> {
  const { client } = at
  await publish(at, 'board', boardFlow)
  await at.send('POST', '/messages/board.shown', { value: shown })
  for (const id of ['panel', 'spare', 'adopting']) await client.http.devices.create({ id })
  const { code, secret } = await client.pairing.start({})
  await client.http.devices.pair({ id: 'panel', body: { code } })
  const { device } = await client.http.pairing.poll({ code, secret })
  const waiting = await client.pairing.start({})
  return { credential: device?.credential ?? '', code: waiting.code, secret: waiting.secret }
}

const wire = (from: string, to: string) => [
  { direction: 'input', port: 'x', name: from, dtype: 'int' },
  { direction: 'output', name: to, dtype: 'int' },
]
/** Two nodes that feed each other until the engine gives the message up. */
const loop = {
  mode: 'live',
  nodes: [
    { id: 'there', type: 'change', settings: { scale: 1 }, ports: wire('p', 'q') },
    { id: 'back', type: 'change', settings: { scale: 1 }, ports: wire('q', 'p') },
  ],
}

async function deadLetter(at: TestService): Promise<string> {
  await publish(at, 'loop', loop)
  await at.send('POST', '/flows/loop/start')
  await at.send('POST', '/messages/loop.p', { value: 1 })
  const given = async () => (await at.send('GET', '/observability/dead-letter')).body as unknown as { id: string }[]
  const { id } = await vi.waitUntil(async () => (await given())[0], { timeout: 60_000 })
  await at.send('POST', '/flows/loop/stop')
  return id
}

/** A path parameter by the operation or group that has it, and otherwise by its name. */
const places: Record<string, Record<string, string>> = {
  'flows.nodes': { name: 'coded', id: 'work' },
  'flows.nodes.trigger': { name: 'alarm', id: 'hook' },
  'flows.nodes.cancel': { name: 'alarm', id: 'route' },
  'flows.nodes.acknowledge': { name: 'alarm', id: 'route' },
  'flows.nodes.logs': { name: 'alarm', node: 'route' },
  'flows.delete': { name: 'spare' },
  'flows.rename': { name: 'other' },
  'flows.save': { name: 'fresh' },
  'flows.version': { name: 'scale', version: '1' },
  'flows.diff': { name: 'scale', version: '1' },
  'flows.restore': { name: 'scale', version: '1' },
  'flows.publish': { name: 'draft' },
  'flows.discardDraft': { name: 'draft' },
  'runs.submit': { name: 'scale' },
  'runs.plan': { name: 'scale' },
  'runs.sweep': { name: 'scale' },
  'secrets.delete': { name: 'spare' },
  flavors: { name: 'spare' },
  dashboards: { name: 'panel' },
  'dashboards.create': { name: 'fresh' },
  'dashboards.fromFlow': { flow: 'scale' },
  'dashboards.rename': { name: 'other' },
  'dashboards.delete': { name: 'spare' },
  devices: { id: 'panel' },
  panels: { id: 'panel' },
  'devices.create': { id: 'fresh' },
  'devices.delete': { id: 'spare' },
  'devices.unpair': { id: 'spare' },
  'devices.pair': { id: 'adopting' },
  connectors: { node_type: 'acme_meter', key: 'pairing' },
  'connectors.clearState': { node_type: 'other_meter' },
  'workers.provisioners': { name: 'nowhere', profile: 'spare' },
  alerts: { channel: 'webhook' },
  'runs.nodeOutputs': { node: 'work' },
  'runs.nodeLogs': { node: 'work' },
  'artifacts.completeUpload': { upload: '01900000-0000-7000-8000-0000000000aa' },
  flows: { name: 'alarm' },
}

/** Operations on a run that has to be there, finished and with kept outputs, when others have deleted more. */
const onStageRun: ReadonlySet<string> = new Set(['runs.nodeOutputs', 'runs.nodeLogs', 'runs.delete'])

const bodies: Record<string, (seeds: Seeds) => unknown> = {
  'login.accessToken': ({ email, password }) => ({ username: email, password }),
  'login.code': ({ consoleCode }) => ({ code: consoleCode() }),
  'login.resetPassword': ({ invite }) => ({ token: invite, new_password: 'another password' }),
  'users.create': () => ({ email: 'fresh@example.org' }),
  'users.update': () => ({ full_name: 'Spare' }),
  'users.changePassword': ({ password }) => ({ current_password: password, new_password: password }),
  'flows.save': () => scaleFlow,
  'flows.publish': () => ({ version: 2 }),
  'flows.restore': () => ({ version: 1 }),
  'flows.saveLayout': () => ({ nodes: {} }),
  'flows.rename': () => ({ name: 'renamed' }),
  'dashboards.rename': () => ({ name: 'renamed' }),
  'runs.append': () => ({ seq: 1 }),
  'runs.update': () => ({ note: 'sample' }),
  'runs.updateMany': ({ run }) => ({ ids: [run], pinned: true }),
  'metrics.compareMany': ({ run }) => ({ ids: [run], metrics: ['loss'] }),
  'flows.run': () => ({}),
  'flows.try': () => ({}),
  'flows.nodes.trigger': () => ({ values: { temp: 20 } }),
  'flows.nodes.putSource': () => ({ code: 'def run(n):\n    return {"out": n + 1}\n' }),
  'messages.publish': () => ({ value: 20 }),
  'oauth.addClient': () => ({ name: 'sample', redirect_uris: ['https://agent.example/back'] }),
  'devices.pair': ({ code }) => ({ code }),
  'devices.save': () => ({ version: 1, name: 'Panel' }),
  'devices.report': () => ({ board: 'esp32' }),
  'alerts.put': () => webhookAlerts,
  'artifacts.beginUpload': ({ digest }) => ({ digest, size: 5 }),
  // a package would be fetched
  'modules.apply': () => ({ requirements: '# nothing' }),
  'runs.import': () => ({
    runs: [{ flow: 'scale', external_id: 'sample', status: 'ok', created_at: '2024-01-01T00:00:00Z' }],
  }),
}

/** A channel where nobody listens. */
const webhookAlerts = { channels: { webhook: { url: 'http://127.0.0.1:1/' } } }

const queries: Record<string, (seeds: Seeds) => string> = {
  'pairing.poll': ({ secret }) => `?secret=${secret}`,
  'artifacts.put': () => '?volatile=true&name=alarm.temp',
  'panels.pollPairing': ({ secret }) => `?secret=${secret}`,
  'runs.deleteAll': () => '?flow=scale',
  'metrics.compare': ({ run }) => `?ids=${run}&metric=out`,
}

/** A request as `fetch` takes it, without a credential. */
export interface Sample {
  readonly path: string
  readonly init: { readonly method: string; readonly headers: Record<string, string>; readonly body?: string }
}

/** The sample of an operation. */
export function sampleOf(operation: Operation, seeds: Seeds): Sample {
  const given = {
    message: 'alarm.temp',
    digest: seeds.digest,
    jti: seeds.jti,
    test: seeds.test,
    code: seeds.code,
    email: 'nobody@example.org',
    id: idOf(operation, seeds),
  }
  const named: Record<string, string> = { ...given, ...closest(places, operation.id) }
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(named[name] ?? 'sample'))
  const search = operation.queries.map(({ name, schema }) => `${name}=${encodeURIComponent(String(valueOf(schema)))}`)
  const query = queries[operation.id]?.(seeds) ?? (search.length === 0 ? '' : `?${search.join('&')}`)
  return { path: path + query, init: { method: operation.method, ...contentOf(operation, seeds) } }
}

/** An answer without what moves by itself: when tokens were used last, and devices heard of. */
export const atRest = (text: string): string => text.replaceAll(/"(last_used_at|last_seen)":"[^"]*"/g, '"$1":null')

/** The credential of the device for what only devices may do; for all else that of a user. */
export const bearerOf = ({ levels }: Operation, { credential }: Seeds, user: string): string =>
  `Bearer ${levels.every((level) => level === 'device') ? credential : user}`

/** The id in a path that names no thing of its own. */
function idOf(operation: Operation, seeds: Seeds): string {
  if (operation.path.startsWith('/users')) return seeds.user
  if (operation.path.startsWith('/runs')) return runOf(operation, seeds)
  if (operation.path.startsWith('/keys')) return seeds.key
  if (operation.path.startsWith('/oauth/tokens')) return seeds.agent
  return operation.path.startsWith('/oauth') ? seeds.program : seeds.deadLetter
}

function runOf({ id }: Operation, { run, stageRun, trackedRun }: Seeds): string {
  if (id === 'runs.append') return trackedRun
  return onStageRun.has(id) ? stageRun : run
}

function contentOf({ id, body }: Operation, seeds: Seeds): Pick<Sample['init'], 'headers' | 'body'> {
  if (!body) return { headers: {} }
  const headers = { 'content-type': body.type }
  if (body.type === 'application/octet-stream') return { headers, body: 'other bytes' }
  const value = bodies[id]?.(seeds) ?? valueOf(body.schema)
  return {
    headers,
    body:
      body.type === 'application/json'
        ? JSON.stringify(value)
        : new URLSearchParams(value as Record<string, string>).toString(),
  }
}

/** The entry of an id, or of the longest group that it is in. */
function closest<T>(table: Record<string, T>, id: string): T | undefined {
  const steps = id.split('.')
  for (let length = steps.length; length > 0; length -= 1) {
    const entry = table[steps.slice(0, length).join('.')]
    if (entry !== undefined) return entry
  }
  return undefined
}

/** The least that a JSON Schema accepts, as far as schemas of requests go. */
function valueOf(schema: Schema): unknown {
  if (typeof schema.$ref === 'string')
    return valueOf(components?.schemas?.[schema.$ref.replace('#/components/schemas/', '')] ?? {})
  const [first] = (schema.anyOf ?? schema.oneOf ?? schema.allOf ?? schema.enum ?? []) as unknown[]
  if (schema.const !== undefined) return schema.const
  if (schema.default !== undefined) return schema.default
  if (schema.enum) return first
  if (first !== undefined) return valueOf(first as Schema)
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(
        ((schema.required ?? []) as string[]).map((key) => [
          key,
          valueOf((schema.properties as Record<string, Schema>)[key] ?? {}),
        ]),
      )
    case 'array':
      return schema.minItems ? [valueOf((schema.items ?? {}) as Schema)] : []
    case 'integer':
    case 'number':
      return schema.minimum ?? 1
    case 'boolean':
      return false
    case 'null':
      return null
    default:
      return 'sample'
  }
}
