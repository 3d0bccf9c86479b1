/** What engines of one database have alike, and how they know of each other. */
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { VirtualClock } from '@flow-service/core/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'

import { forgetKeys } from '../../src/auth/forget-keys.ts'
import type { ServiceConfig } from '../../src/config.ts'
import { type Database, openDatabase } from '../../src/db/database.ts'
import { type LeaseDeps, openLease } from '../../src/engines/lease.ts'
import { newId } from '../../src/process/new-id.ts'
import { ConfigError } from '../../src/process/setting.ts'
import { createService, type Service } from '../../src/service.ts'
import { newSigningKey } from '../auth/new-signing-key.ts'
import { databaseAt } from '../backend.ts'
import { quiet } from '../use-database.ts'
import { live } from './living.ts'

let folder: string
let databaseUrl: string
let database: Database
const opened: Service[] = []
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'engines-'))
  databaseUrl = (await databaseAt(folder)).databaseUrl ?? ''
  database = await openDatabase({ dataDir: folder, databaseUrl, log: quiet })
})
afterEach(async () => {
  await Promise.all(opened.splice(0).map((service) => service.close()))
  await database.close()
  await rm(folder, { recursive: true, force: true })
})

const keys = {
  sessionKey: 'a session key of at least 32 bytes',
  secretKey: 'a key for secrets of at least 32 bytes',
  oauthSigningKey: newSigningKey(),
}

/** An engine with a data folder of its own; what is null is not set. */
async function open(name: string, more: ServiceConfig = {}): Promise<Service> {
  const service = await createService({
    environment: 'local',
    logLevel: 'silent',
    databaseUrl,
    dataDir: join(folder, name),
    artifactsDir: join(folder, 'artifacts'),
    ...keys,
    ...more,
  })
  opened.push(service)
  return service
}

const pins = async (): Promise<unknown[]> => [...(await database.sql`select name, id from pin order by name`)]
/** Keys in a data folder. */
const keysOf = async (name: string): Promise<string[]> =>
  (await readdir(join(folder, name))).filter((file) => /key|pem/.test(file))

test.each<[what: string, other: () => ServiceConfig, told: RegExp]>([
  [
    'another session key',
    () => ({ sessionKey: 'another session key of at least 32 bytes' }),
    /sign sessions by the key [0-9a-f]{16}, and SERVICE_SESSION_KEY holds [0-9a-f]{16}: set SERVICE_SESSION_KEY .*nothing was changed$/,
  ],
  [
    'no session key',
    () => ({ sessionKey: null }),
    /sign sessions by the key [0-9a-f]{16}, and there is no .*session\.key: set SERVICE_SESSION_KEY/,
  ],
  [
    'another signing key',
    () => ({ oauthSigningKey: newSigningKey() }),
    /sign tokens of workers and agents by the key [0-9a-f]{16}, and SERVICE_OAUTH_SIGNING_KEY holds .*: set SERVICE_OAUTH_SIGNING_KEY .*nothing was changed$/,
  ],
  ['no signing key', () => ({ oauthSigningKey: null }), /and there is no .*oauth_signing_key\.pem: set SERVICE_OAUTH/],
  [
    'another key of secrets',
    () => ({ secretKey: 'another key for secrets of at least 32 bytes' }),
    /sealed under the key .*SERVICE_SECRET_KEY holds .*nothing was changed$/,
  ],
  [
    'another folder of artifacts',
    () => ({ artifactsDir: join(folder, 'elsewhere') }),
    /store-id is [0-9a-f-]{36}, and there is no .*store-id: set SERVICE_ARTIFACTS_DIR .*nothing was changed$/,
  ],
])('an engine with %s than the others does not start, says what to set, and leaves nothing', async (_, other, told) => {
  await open('one')
  const before = await pins()
  expect(before).toHaveLength(3)
  const refusal = await open('two', other()).catch((error: unknown) => error)
  expect(refusal).toBeInstanceOf(ConfigError)
  expect((refusal as Error).message).toMatch(told)
  expect(await pins()).toEqual(before)
  expect(existsSync(join(folder, 'elsewhere'))).toBe(false)
  expect(await keysOf('two')).toEqual([])
  await open('two')
})

test('of engines that start first at the same time, with keys of their own, one gives the database its keys', async () => {
  const started = await Promise.allSettled(
    ['one', 'two', 'three'].map((name) => open(name, { sessionKey: null, oauthSigningKey: null })),
  )
  const refused = started.flatMap((result, at) => (result.status === 'rejected' ? [at] : []))
  expect(refused).toHaveLength(2)
  for (const at of refused) expect(await keysOf(['one', 'two', 'three'][at] ?? '')).toEqual([])
  const winner = ['one', 'two', 'three'].find((_, at) => !refused.includes(at))
  await Promise.all(opened.splice(0).map((service) => service.close()))
  await open(winner ?? '', { sessionKey: null, oauthSigningKey: null })
})

test('an engine that is refused for one of its keys before it has pinned any leaves none of the others', async () => {
  await open('one', { sessionKey: null })
  const refusal = open('two', { sessionKey: null, oauthSigningKey: newSigningKey() })
  await expect(refusal).rejects.toThrow('SERVICE_SESSION_KEY')
  // the database has another session key, and this one would be made first
  await database.sql`delete from pin where name = 'session_key'`
  await expect(open('two', { sessionKey: null, oauthSigningKey: newSigningKey() })).rejects.toThrow(
    'SERVICE_OAUTH_SIGNING_KEY',
  )
  expect(await keysOf('two')).toEqual([])
})

test('engines that start first at the same time on one folder of artifacts agree on its id', async () => {
  await Promise.all(['one', 'two', 'three'].map((name) => open(name)))
  const id = (await readFile(join(folder, 'artifacts', 'store-id'), 'utf8')).trim()
  expect(await pins()).toContainEqual({ name: 'artifacts', id })
  expect((await readdir(join(folder, 'artifacts'))).toSorted()).toEqual(['sha256', 'store-id', 'tmp'])
})

test('a folder of an older version is taken over by the first engine; one that moves keeps its id, one that is not mounted is told', async () => {
  const old = join(folder, 'artifacts', 'sha256', 'ab')
  await mkdir(old, { recursive: true })
  await writeFile(join(old, 'bytes'), 'bytes')
  const one = await open('one')
  expect(await readFile(join(old, 'bytes'), 'utf8')).toBe('bytes')
  await one.close()
  await cp(join(folder, 'artifacts'), join(folder, 'moved'), { recursive: true })
  await rm(join(folder, 'artifacts'), { recursive: true })
  await expect(open('one')).rejects.toThrow('see that it is mounted')
  expect(existsSync(join(folder, 'artifacts'))).toBe(false)
  await open('one', { artifactsDir: join(folder, 'moved') })
})

test('other keys are had by forgetting those of the database, once all engines have stopped', async () => {
  const another = { sessionKey: 'another session key of at least 32 bytes', oauthSigningKey: newSigningKey() }
  const one = await open('one')
  await expect(forgetKeys({ databaseUrl })).rejects.toThrow(/is in contact with the database: stop all engines first/)
  await one.close()
  await expect(open('one', another)).rejects.toThrow('service signing-keys forget')
  await forgetKeys({ databaseUrl })
  await open('one', another)
  await expect(open('two')).rejects.toThrow('SERVICE_SESSION_KEY')
  // an empty value is none
  await expect(forgetKeys({ databaseUrl: null })).rejects.toThrow('SERVICE_DATABASE_URL is not set')
})

/** A lease of 8 s in a data folder, whose own clocks show what `ms` says. */
const openAt = (name: string, clock: VirtualClock, more: Partial<LeaseDeps> = {}) =>
  openLease({ database, clock, dataDir: name, version: '1.2.3', protocol: 1, leaseMs: 8_000, log: quiet, ...more })

const rows = () => database.sql<{ id: string; lease: string; held: boolean }[]>`
  select id, lease, address, version, engine_in_contact(id) as held from engine`

/** What another engine sees once the lease of all of them is over. */
const expire = () => database.sql`update engine set lease_until = now() - interval '1 s'`

test('an engine renews its lease each second; one that was over is another one, and goes at the end (lease.L1, lease.L4)', async () => {
  const clock = new VirtualClock(0)
  const lease = await openAt(folder, clock)
  const told: (readonly string[])[] = []
  lease.onReturn(async (earlier) => void told.push([...earlier]))
  await lease.listensAt('http://127.0.0.1:1/api/v1', 'http://127.0.0.1:1')
  const [first] = await rows()
  expect(first).toMatchObject({ id: lease.id, address: 'http://127.0.0.1:1/api/v1', version: '1.2.3', held: true })
  const wait = async (): Promise<number> => {
    await clock.advance(1_000)
    return told.length
  }
  await expire()
  await expect.poll(wait).toBe(1)
  const [second] = await rows()
  expect(second).toMatchObject({ id: lease.id, held: true, lease: lease.lease })
  expect(second?.lease).not.toBe(first?.lease)
  await database.sql`delete from engine`
  await expect.poll(wait).toBe(2)
  expect(told).toEqual([[first?.lease], [first?.lease, second?.lease]])
  await lease.close()
  expect(await rows()).toEqual([])
})

test('a lease is counted from before it was asked for, on both clocks, with a fifth less; nothing acts after that, until those who follow its return are done (lease.L2)', async () => {
  const clock = new VirtualClock(0)
  const times = [0, 0]
  const clocks = [() => times[0] ?? 0, () => times[1] ?? 0]
  await mkdir(join(folder, 'other'))
  const other = await openAt(join(folder, 'other'), clock)
  const lease = await openAt(folder, clock, { clocks })
  for (const at of [0, 1]) {
    times[at] = 6_399
    expect(lease.holds()).toBe(true)
    times[at] = 6_400
    expect(lease.holds()).toBe(false)
    times[at] = 0
  }
  times[1] = 60_000
  await expire()
  const following = Promise.withResolvers<void>()
  lease.onReturn(() => following.promise)
  let isHeld = false
  const held = lease.held().then(() => (isHeld = true))
  const [before] = await rows()
  await expect
    .poll(async () => {
      await clock.advance(1_000)
      return (await rows()).find(({ id }) => id === lease.id)?.held
    })
    .toBe(true)
  expect([lease.holds(), isHeld]).toEqual([false, false])
  following.resolve()
  await held
  expect(lease.holds()).toBe(true)
  expect(before).toBeDefined()
  await Promise.all([lease.close(), other.close()])
})

/** An engine whose database is away from now on; `stand` has its own clocks go on, and it alone does nothing meanwhile. */
async function away() {
  const clock = new VirtualClock(0)
  let nowMs = 0
  let isAway = false
  const prompt = ((...statement: Parameters<Database['sql']>) => {
    if (isAway) throw new Error('the database is away')
    return database.prompt(...statement)
  }) as Database['sql']
  const lease = await openAt(folder, clock, { database: { ...database, prompt }, clocks: [() => nowMs] })
  isAway = true
  const second = async (): Promise<void> => {
    nowMs += 1_000
    await clock.advance(1_000)
  }
  return { lease, second, stand: (seconds: number) => void (nowMs += seconds * 1_000) }
}

test('an engine that knows of no other one goes on while its database is away; not when it stood still itself (lease.L3)', async () => {
  const { lease, second, stand } = await away()
  for (let at = 0; at < 60; at++) {
    await second()
    expect(lease.holds()).toBe(true)
  }
  stand(4)
  expect(lease.holds()).toBe(false)
  await lease.close()
})

test('nor does one that others may come back to: they have not ended, and were heard of within an hour (lease.L3)', async () => {
  const other = newId()
  await live(database.sql, other)
  const goesOn = async (sinceMinutes: number): Promise<boolean> => {
    await database.sql`
      update engine set lease_until = now() - ${sinceMinutes}::int * interval '1 minute' where id = ${other}`
    const { lease, second } = await away()
    for (let at = 0; at < 10; at++) await second()
    const holds = lease.holds()
    await lease.close()
    return holds
  }
  expect([await goesOn(1), await goesOn(59), await goesOn(61)]).toEqual([false, false, true])
})

test('engines know which of them live and where workers attach to them, those that say no address aside (lease.L6)', async () => {
  const clock = new VirtualClock(0)
  const opens = (name: string, attachUrl: string | null) => openAt(join(folder, name), clock, { attachUrl })
  await Promise.all(['a', 'b', 'c'].map((name) => mkdir(join(folder, name))))
  const [urlA, urlB] = ['ws://a/workers/attach', 'wss://b/workers/attach']
  const a = await opens('a', urlA)
  let told = 0
  a.onAttachUrls(() => void (told += 1))
  expect([a.attachUrl, a.attachUrls]).toEqual([urlA, [urlA]])
  const c = await opens('c', null)
  const b = await opens('b', urlB)
  expect([c.attachUrl, c.attachUrls, b.attachUrls]).toEqual([null, [urlA], [urlA, urlB]])
  const known = async (): Promise<readonly string[]> => {
    await clock.advance(1_000)
    return a.attachUrls
  }
  await expect.poll(known).toEqual([urlA, urlB])
  expect(new Set(a.engines.map(({ id }) => id))).toEqual(new Set([a.id, b.id, c.id]))
  await b.close()
  await expect.poll(known).toEqual([urlA])
  await Promise.all([a.close(), c.close()])
  expect(told).toBe(2)
})

test('the next engine of a data folder knows that the one before has ended, however it did', async () => {
  const clock = new VirtualClock(0)
  const killed = await openAt(folder, clock)
  const beside = await openAt(folder, clock)
  await beside.close()
  const ids = async () => (await rows()).map(({ id }) => id)
  // it has the lock: who lives beside it does not take it for an earlier life
  expect(await ids()).toEqual([killed.id])
  await killed.close()
  // as if it had been killed: its row is there, and nobody has its lock
  await live(database.sql, String(killed.id))
  const next = await openAt(folder, clock)
  expect(await ids()).toEqual([next.id])
  await next.close()
})
