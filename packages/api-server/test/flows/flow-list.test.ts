/** What a list of flows reads: of what it knows, nothing; of what may be different, the contents. */
import type { Flow, FlowDocumentInput, FlowGraph, FlowListItem } from '@flow-service/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import type { Database, Sql } from '../../src/db/database.ts'
import { type FlowDigest, FlowDigests } from '../../src/flows/flow-digests.ts'
import { Redactor } from '../../src/secrets/redactor.ts'
import { openSecrets, type Secrets } from '../../src/secrets/secrets.ts'
import { quiet } from '../use-database.ts'
import { type Engine, openEngine, relay } from './engine.ts'
import { keepDevice } from './kept-device.ts'

const change = { by: 'root@example.org', audit: async () => {} }

/** Names of the flows whose contents a database has given away; `before` happens ahead of a statement with this text. */
class Reads {
  names: string[] = []
  before: { readonly text: string; readonly act: () => Promise<unknown> } | null = null

  of(database: Pick<Database, 'sql' | 'transaction'>): Pick<Database, 'sql' | 'transaction'> {
    const sql = (strings: TemplateStringsArray, ...values: never[]) =>
      strings[0]?.trim().startsWith('select') ? select(strings, ...values) : database.sql(strings, ...values)
    const select = async (strings: TemplateStringsArray, ...values: never[]) => {
      const hook = this.before
      if (hook && strings.join().includes(hook.text)) {
        this.before = null
        await hook.act()
      }
      const rows = await database.sql<{ name: string; published?: unknown }[]>(strings, ...values)
      this.names.push(...rows.flatMap((row) => ('published' in row ? [row.name] : [])))
      return rows
    }
    return { transaction: database.transaction, sql: sql as never as Sql }
  }

  /** What was read since the last time. */
  take(): string[] {
    return this.names.splice(0).toSorted()
  }
}

const own = new Reads()
const others = new Reads()
let engine: Engine
let othersSecrets: Secrets
/** The list of another engine on the same database: it hears of changes by what is stored alone. */
let other: FlowDigests

const port = (direction: 'input' | 'output', name: string, dtype: 'float' | 'str' = 'float') => ({
  direction,
  name,
  dtype,
})
const reader = (message: string, dtype: 'float' | 'str' = 'float'): FlowDocumentInput => ({
  nodes: [{ id: 'pass', type: 'change', settings: {}, ports: [port('input', message, dtype), port('output', 'seen')] }],
})
/** Declares the messages `off` and `aside`. */
const hub = (dtype: 'float' | 'str'): FlowDocumentInput => ({
  inputs: ['off', 'aside'].map((name) => ({ name, dtype })),
})
const hooked: FlowDocumentInput = {
  nodes: [
    {
      id: 'hook',
      type: 'http',
      settings: { url: 'in', secret: { $secret: 'door' } },
      ports: [{ direction: 'output', name: 'body' }],
    },
  ],
}
const calculated: FlowDocumentInput = {
  nodes: [{ id: 'f', type: 'python', library: 'calc', ports: [port('input', 'x'), port('output', 'y')] }],
}
const python = (source: string): FlowDocumentInput => ({
  nodes: [{ id: 'f', type: 'python', source, ports: [port('input', 'x'), port('output', 'y')] }],
})
const double = 'def run(x):\n    return {"y": 2 * x}\n'

beforeAll(async () => {
  engine = await openEngine({ flowsDatabase: (database) => own.of(database) })
  const config = { dataDir: engine.dataDir, environment: 'local', secretKey: null } as const
  othersSecrets = await openSecrets({ config, database: engine.database, redactor: new Redactor(), log: quiet })
  other = digestsOf(others)
  await engine.publish('hub', hub('float'))
  await engine.publish('reader', reader('hub.off'))
  await engine.publish('plain', relay)
  await engine.root('PUT', '/flows/sealed', hooked)
  await engine.root('PUT', '/flows/shared', calculated)
  await engine.publish('maker', python(double))
})
afterAll(async () => {
  await othersSecrets.close()
  await engine[Symbol.asyncDispose]()
})

const digestsOf = (reads: Reads, limit?: number): FlowDigests =>
  new FlowDigests(
    {
      database: reads.of(engine.database),
      registry: engine.registry,
      missing: () => null,
      flavors: engine.flavors,
      pythons: { own: () => [], attached: () => [] },
      deviceViews: engine.deviceViews,
      secrets: othersSecrets,
    },
    limit,
  )

const listed = async (): Promise<FlowListItem[]> => (await engine.ann<FlowListItem[]>('GET', '/flows/')).value

/** Both lists, which have to say the same, and what each of them has read. */
async function lists() {
  own.take()
  others.take()
  const [mine, theirs] = [await listed(), await other.list()]
  expect(theirs.map(({ head, digest }) => [head.name, digest.title, digest.issues])).toEqual(
    mine.map(({ name, title, issues }) => [name, title, issues]),
  )
  const read = own.take()
  expect(others.take()).toEqual(read)
  return { read, of: (name: string) => mine.find((item) => item.name === name) }
}

const version = async (name: string): Promise<number> => (await engine.ann<Flow>('GET', `/flows/${name}`)).value.version
const save = async (name: string, document: FlowDocumentInput) =>
  engine.root('PUT', `/flows/${name}`, { ...document, version: await version(name) })
const publish = async (name: string, document: FlowDocumentInput) => {
  const { value } = await save(name, document)
  const published = await engine.root('POST', `/flows/${name}/publish`, { version: value.version })
  expect(published.status).toBe(200)
}

test('every content is read once, and then none for lists, the graph and first frames [R451] [R459] [R645]', async () => {
  const { read, of } = await lists()
  expect([...new Set(read)]).toEqual(['hub', 'maker', 'plain', 'reader', 'sealed', 'shared'])
  expect([of('reader'), of('sealed'), of('shared')].map((item) => item?.issues.error)).toEqual([0, 1, 1])
  expect((await lists()).read).toEqual([])
  expect((await engine.ann<FlowGraph>('GET', '/flows/graph')).value.edges).toEqual([
    { from: 'flow:hub', to: 'flow:reader', messages: ['hub.off'] },
  ])
  expect(await engine.flows.states()).toContainEqual({ name: 'hub', mode: 'live', status: 'stopped', held: 0 })
  expect(own.take()).toEqual([])
})

test('lists that are asked for at once read a content once between them', async () => {
  const reads = new Reads()
  const digests = digestsOf(reads)
  await Promise.all(Array.from({ length: 8 }, () => digests.list()))
  const flows = (await listed()).length
  // one that names a message of a flow further down is judged again
  expect(reads.take().length).toBeLessThanOrEqual(flows + 1)
})

describe('a list reads again', () => {
  test('a flow that is saved, published, started, stopped or given up as a draft, and nothing else', async () => {
    await lists()
    await save('plain', { ...relay, title: 'Plain', nodes: [{ id: 'n', type: 'gone', ports: [] }] })
    let now = await lists()
    expect(now.read).toEqual(['plain'])
    expect(now.of('plain')).toMatchObject({ title: 'Plain', has_draft: true, issues: { error: 1 } })
    await engine.root('POST', '/flows/plain/discard-draft')
    now = await lists()
    expect(now.read).toEqual(['plain'])
    expect(now.of('plain')).toMatchObject({ title: '', has_draft: false, issues: { error: 0 } })
    for (const verb of ['start', 'stop']) {
      await engine.root('POST', `/flows/plain/${verb}`)
      expect((await lists()).read).toEqual(['plain'])
    }
    await publish('plain', { ...relay, mode: 'batch' })
    now = await lists()
    expect(now.read).toEqual(['plain'])
    expect(now.of('plain')).toMatchObject({ mode: 'batch', status: 'ready' })
  })

  test('a flow that stands for a device when that is made, comes, goes or reports something else', async () => {
    const ports = [{ direction: 'output', name: 'lux' } as const]
    const standing = { nodes: [{ id: 'n', type: 'device', settings: { device: 'board' }, ports }] }
    await engine.root('PUT', '/flows/standing', standing)
    expect((await lists()).of('standing')).toMatchObject({ issues: { warning: 1 } })
    const after = async (change: () => Promise<void> | void) => {
      await change()
      const { read, of } = await lists()
      return [read, of('standing')?.issues.warning]
    }
    expect(await after(() => keepDevice(engine, 'other', []))).toEqual([[], 1])
    expect(await after(() => keepDevice(engine, 'board'))).toEqual([['standing'], 1])
    let leave = (): void => {}
    expect(await after(() => void (leave = engine.devicePresence.opened('board')))).toEqual([['standing'], 0])
    const io = [{ name: 'light', direction: 'in' }]
    expect(await after(() => keepDevice(engine, 'board', io))).toEqual([['standing'], 1])
    expect(await after(() => keepDevice(engine, 'board', io))).toEqual([[], 1])
    expect(await after(() => leave())).toEqual([['standing'], 2])
    await engine.root('DELETE', '/flows/standing')
  })

  test('the readers of a message when it gets another dtype or is gone, not when its flow changes otherwise', async () => {
    await lists()
    await publish('hub', { ...hub('float'), title: 'The hub' })
    expect((await lists()).read).toEqual(['hub'])
    await save('hub', hub('str'))
    const drafted = await lists()
    expect(drafted.read).toEqual(['hub'])
    expect(drafted.of('reader')?.issues).toEqual({ error: 0, warning: 0, advisory: 0 })
    await engine.root('POST', '/flows/hub/publish', { version: await version('hub') })
    const published = await lists()
    expect([...new Set(published.read)]).toEqual(['hub', 'reader'])
    expect(published.of('reader')?.issues.error).toBe(1)
    await publish('hub', { inputs: [{ name: 'elsewhere' }] })
    const gone = await lists()
    expect([...new Set(gone.read)]).toEqual(['hub', 'reader'])
    expect(gone.of('reader')?.issues).toMatchObject({ error: 0, warning: 1 })
    await publish('hub', hub('float'))
    expect((await lists()).of('reader')?.issues.warning).toBe(0)
  })

  test('a flow whose message is named for the first time, and its new reader', async () => {
    await lists()
    await engine.root('PUT', '/flows/second', reader('hub.aside', 'str'))
    expect((await lists()).of('second')?.issues.error ?? 0).toBeGreaterThan(0)
    await save('second', reader('hub.aside'))
    expect((await lists()).of('second')?.issues.error).toBe(0)
    await engine.root('DELETE', '/flows/second')
    const { read, of } = await lists()
    expect([read, of('second')]).toEqual([[], undefined])
  })

  test('the users of a library source', async () => {
    await lists()
    await engine.root('POST', '/flows/maker/nodes/f/share', { name: 'calc' })
    const made = await lists()
    expect(made.read).toEqual(['maker', 'shared'])
    expect(made.of('shared')?.issues.error).toBe(0)
    await engine.database.sql`update library set code = 'def run(x): pass', version = version + 1 where name = 'calc'`
    expect((await lists()).read).toEqual(['maker', 'shared'])
  })

  test('the flows with secrets when one is stored or removed, by any engine', async () => {
    await lists()
    await othersSecrets.put('door', 'a secret of the other engine', change)
    await expect.poll(() => engine.secrets.valueOf('door')).toBe('a secret of the other engine')
    const stored = await lists()
    expect(stored.read).toEqual(['sealed'])
    expect(stored.of('sealed')?.issues.error).toBe(0)
    await engine.database.sql`delete from secret where name = 'door'`
    await engine.database.notify('secret_changed', 'door')
    await expect
      .poll(() => [engine.secrets, othersSecrets].map((secrets) => secrets.valueOf('door')))
      .toEqual([undefined, undefined])
    expect((await lists()).of('sealed')?.issues.error).toBe(1)
  })

  test('the flows with a flavor when it is made or deleted, not when its numbers change [R136]', async () => {
    const sized = { ...relay, resources: { flavor: 'large' } }
    await engine.root('PUT', '/flows/sized', sized)
    expect((await lists()).of('sized')?.issues.error).toBe(1)
    const large = { name: 'large', cpus: 8, gpus: 0, ram_mb: 0, description: '' }
    const audit = async () => {}
    await engine.flavors.create(large, audit)
    const made = await lists()
    expect([made.read, made.of('sized')?.issues.error]).toEqual([['sized'], 0])
    await engine.flavors.update('large', { cpus: 16 }, audit)
    expect((await lists()).read).toEqual([])
    await engine.root('DELETE', '/flows/sized')
    await engine.flavors.remove('large', audit)
    expect((await lists()).read).toEqual([])
  })

  test('a renamed flow and those that name it, and a row that was changed by hand', async () => {
    await lists()
    await engine.root('POST', '/flows/hub/rename', { name: 'centre' })
    const renamed = await lists()
    expect([...new Set(renamed.read)]).toEqual(['centre', 'reader'])
    expect(renamed.of('reader')?.issues).toEqual({ error: 0, warning: 0, advisory: 0 })
    await engine.database.sql`update flow set published = '{"title": "By hand"}' where name = 'plain'`
    const edited = await lists()
    expect(edited.read).toEqual(['plain'])
    expect(edited.of('plain')).toMatchObject({ title: 'By hand', mode: 'live' })
    await engine.root('DELETE', '/flows/centre')
    const removed = await lists()
    expect([...new Set(removed.read)]).toEqual(['reader'])
    expect(removed.of('reader')?.issues.warning).toBe(1)
  })
})

test('what changes while a list is made is in the next one, and what is deleted meanwhile in none [F52]', async () => {
  const reads = new Reads()
  const digests = digestsOf(reads)
  await digests.list()
  const listOf = async (): Promise<ReadonlyMap<string, FlowDigest>> =>
    new Map((await digests.list()).map(({ head, digest }) => [head.name, digest]))
  await engine.publish('target', hub('float'))
  await engine.publish('watcher', reader('target.off'))
  await engine.publish('brief', relay)
  reads.before = {
    text: 'from flow where id = any',
    act: async () => {
      await publish('target', hub('str'))
      await engine.root('DELETE', '/flows/brief')
    },
  }
  expect((await listOf()).has('brief')).toBe(false)
  expect((await listOf()).get('watcher')?.issues.error).toBe(1)
  reads.take()
  expect((await listOf()).get('watcher')?.issues.error).toBe(1)
  expect(reads.take()).toEqual([])
})

test('of flows beyond what is kept the contents are read every time, and the list is the same', async () => {
  const reads = new Reads()
  const digests = digestsOf(reads, 2)
  const first = await digests.list()
  reads.take()
  expect(await digests.list()).toEqual(first)
  expect(new Set(reads.take()).size).toBeGreaterThanOrEqual(first.length - 2)
})

test('a failing database fails the list, and the next one is made', async () => {
  const reads = new Reads()
  const digests = digestsOf(reads)
  reads.before = { text: 'from flow where id = any', act: () => Promise.reject(new Error('the connection is lost')) }
  await expect(digests.list()).rejects.toThrow('the connection is lost')
  expect((await digests.list()).length).toBeGreaterThan(0)
})
