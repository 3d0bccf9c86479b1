/** What engines of one database have alike, and how they know of each other. */
import { generateKeyPairSync } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { VirtualClock } from '@flow-service/core/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'

import { forgetKeys } from '../../src/auth/forget-keys.ts'
import type { ServiceConfig } from '../../src/config.ts'
import { type Database, openDatabase } from '../../src/db/database.ts'
import { openContact } from '../../src/engines/contact.ts'
import { ConfigError } from '../../src/process/setting.ts'
import { createService, type Service } from '../../src/service.ts'
import { databaseAt } from '../backend.ts'
import { quiet } from '../use-database.ts'

const newKey = (): string => String(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }))

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
  oauthSigningKey: newKey(),
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
    () => ({ oauthSigningKey: newKey() }),
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
  const another = { sessionKey: 'another session key of at least 32 bytes', oauthSigningKey: newKey() }
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

test('an engine says every 5 s that it lives, tells when it was lost, and goes at its end', async () => {
  const clock = new VirtualClock(0)
  let returned = 0
  const contact = await openContact({ database, clock, dataDir: folder, version: '1.2.3', log: quiet })
  contact.onReturn(() => void (returned += 1))
  await contact.listensAt('http://127.0.0.1:1/api/v1')
  const rows = () => database.sql<{ id: string; held: boolean }[]>`
    select id, address, version, engine_in_contact(id) as held from engine`
  expect(await rows()).toMatchObject([
    { id: contact.id, address: 'http://127.0.0.1:1/api/v1', version: '1.2.3', held: true },
  ])
  const wait = async (): Promise<number> => {
    await clock.advance(5_000)
    return returned
  }
  await database.sql`update engine set contact_at = now() - interval '21 s'`
  expect((await rows())[0]?.held).toBe(false)
  await expect.poll(wait).toBe(1)
  expect((await rows())[0]?.held).toBe(true)
  await database.sql`delete from engine`
  await expect.poll(wait).toBe(2)
  await contact.close()
  expect(await rows()).toEqual([])
})

test('engines in contact know where workers attach to all of them, those that say no address aside (contact.E4)', async () => {
  const clock = new VirtualClock(0)
  const opens = async (name: string, attachUrl: string | null) =>
    await openContact({ database, clock, dataDir: join(folder, name), version: '1', attachUrl, log: quiet })
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
    await clock.advance(5_000)
    return a.attachUrls
  }
  await expect.poll(known).toEqual([urlA, urlB])
  await b.close()
  await expect.poll(known).toEqual([urlA])
  await Promise.all([a.close(), c.close()])
  expect(told).toBe(2)
})

test('the next engine of a data folder knows that the one before has ended, however it did', async () => {
  const options = { database, clock: new VirtualClock(0), dataDir: folder, version: '1', log: quiet }
  const killed = await openContact(options)
  const beside = await openContact(options)
  await beside.close()
  const ids = async () => (await database.sql<{ id: string }[]>`select id from engine`).map(({ id }) => id)
  // it has the lock: who lives beside it does not take it for an earlier life
  expect(await ids()).toEqual([killed.id])
  await killed.close()
  // as if it had been killed: its row is there, and nobody has its lock
  await database.sql`insert into engine (id, name, version) values (${killed.id}, 'killed', '1')`
  const next = await openContact(options)
  expect(await ids()).toEqual([next.id])
  await next.close()
})
