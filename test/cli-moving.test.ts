/** `service move`, `backup` and `restore` beside engines that are processes of their own. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, describe, expect, test } from 'vitest'

import { readDatabase } from '../packages/api-server/test/backend.ts'
import { digestsOf } from '../packages/api-server/test/moving/filled.ts'
import { begin, type Ended, ended, runService } from './cli-process.ts'
import { findPostgres } from './components/postgres.ts'
import { publishFlow, scaleFlow } from './documents.ts'
import { DataDirectory, type EngineProcess } from './engine-process.ts'
import { chosenKills, chosenSeed, randomFrom } from './seeded-kills.ts'
import { useServerDatabases } from './server-databases.ts'

const meter = { mode: 'live', inputs: [{ name: 'level', dtype: 'int' }] }
const folder = mkdtempSync(join(tmpdir(), 'cli-moving-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const service = (args: string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> => runService(args, { cwd: folder, env })

/** What somebody has made at an engine. */
async function work(engine: EngineProcess): Promise<{ digest: string }> {
  const { client } = engine
  await client.http.secrets.set({ name: 'token', value: 'known to few' })
  await publishFlow(client, 'meter', meter)
  await client.http.flows.start({ name: 'meter' })
  await publishFlow(client, 'scale', scaleFlow)
  await client.http.messages.publish({ message: 'meter.level', value: 7 as never })
  const { id } = await client.http.runs.submit({ name: 'scale', params: { n: 4 } as never })
  expect(await client.wait(id)).toMatchObject({ status: 'ok' })
  const { digest } = await client.upload(new Blob(['the bytes of an artifact']), { name: 'kept.txt' })
  return { digest }
}

/** The same as another engine shows it. */
async function seen(engine: EngineProcess, digest: string) {
  const { http } = engine.client
  const [flows, secrets, runs, messages] = [
    await http.flows.list(),
    await http.secrets.list(),
    await http.runs.list({}),
    await http.messages.list({}),
  ]
  const answer = await fetch(`${engine.baseUrl}/artifacts/${digest}`, {
    headers: { authorization: `Bearer ${engine.token}` },
  })
  return {
    flows: flows.map(({ name }) => name).toSorted(),
    meter: flows.find(({ name }) => name === 'meter')?.status,
    secrets,
    runs: runs.map(({ status, flow }) => [flow, status]),
    values: messages.map(({ name, value }) => [name, value]),
    bytes: await answer.text(),
  }
}

const everything = {
  flows: ['meter', 'scale'],
  meter: 'active',
  secrets: ['token'],
  runs: [['scale', 'ok']],
  values: expect.arrayContaining([['meter.level', 7]]) as unknown,
  bytes: 'the bytes of an artifact',
}

describe.skipIf(!findPostgres())('a database that moves', () => {
  const databases = useServerDatabases()

  test('goes to a server and comes back; engines go on with all of it, and none opens what has moved', async () => {
    using data = new DataDirectory()
    using other = new DataDirectory()
    const url = await databases.server().createDatabase('moving')
    const first = await data.start()
    const { digest } = await work(first)
    const busy = await service(['move', '--to', url, '--data', data.path])
    expect([busy.code, busy.err]).toEqual([1, expect.stringContaining('in use by another engine (process ')])
    expect(await first.end('SIGTERM')).toBe(0)

    const plan = await service(['move', '--to', url, '--data', data.path, '--dry-run'])
    expect([plan.code, plan.out]).toEqual([0, expect.stringMatching(/rows .* would be moved from .*\nsecret +1\n/s)])
    const moved = await service(['move', '--to', url, '--data', data.path])
    expect([moved.code, moved.out]).toEqual([
      0,
      expect.stringMatching(/^Moved [\d,]+ rows of \d+ tables from .*secret\.key/s),
    ])
    expect(moved.err).toMatch(/^copied flow: 2 rows$/m)
    expect(moved.err).toMatch(/^compared flow: 2 rows$/m)
    await expect(data.start()).rejects.toThrow(
      /the database has moved to the PostgreSQL server 127\.0\.0\.1:\d+\/moving/,
    )

    const env = { SERVICE_DATABASE_URL: url }
    const second = await data.start(env)
    await expect.poll(() => seen(second, digest)).toEqual(everything)
    const named = await service(['move', '--to', 'embedded', '--data', other.path], env)
    expect([named.code, named.err]).toEqual([
      1,
      expect.stringMatching(/^error: the engine \S+ is in contact with the Postgre/),
    ])
    expect(await second.end('SIGTERM')).toBe(0)

    const back = await service(['move', '--to', 'embedded', '--data', other.path, '--json'], env)
    expect(JSON.parse(back.out)).toMatchObject({ resumed: false, to: `the embedded database in ${other.path}` })
    for (const name of ['secret.key', 'session.key', 'oauth_signing_key.pem'])
      writeFileSync(join(other.path, name), readFileSync(join(data.path, name)))
    const third = await other.start({ SERVICE_ARTIFACTS_DIR: join(data.path, 'artifacts') })
    await expect.poll(() => seen(third, digest)).toEqual(everything)
    expect(await third.end('SIGTERM')).toBe(0)

    const undone = await service(['move', '--undo', 'embedded', '--data', data.path])
    expect([undone.code, undone.out]).toEqual([0, expect.stringContaining('Engines open this database again')])
    const again = await data.start()
    await expect.poll(() => seen(again, digest)).toEqual(everything)
    await again.end('SIGTERM')
  })

  test('is whole however often the move is killed: the next one goes on with it', async () => {
    const seed = chosenSeed()
    const random = randomFrom(seed)
    using data = new DataDirectory()
    const first = await data.start()
    await work(first)
    expect(await first.end('SIGTERM')).toBe(0)
    const digests = await readDatabase(data.path, async (sql) => {
      await sql`insert into message_history (message, seq, at, value, has_refs)
        select 'meter.' || i % 9, i, now(), repeat(i::text, 20), false from generate_series(1000, 80000) i`
      return digestsOf(sql)
    })
    const url = await databases.server().createDatabase('killed')
    using back = new DataDirectory()
    const ways = [
      ['move', '--to', url, '--data', data.path],
      ['move', '--to', 'embedded', '--from', url, '--data', back.path],
    ]
    for (const way of ways) {
      let kills = 0
      while (kills < chosenKills(5) && (await isKilledAt(way, 1 + Math.floor(random() * 12)))) kills += 1
      expect(kills).toBeGreaterThan(0)
      const done = await service(way)
      // a command may have been faster than the kill that was meant for it
      if (kills < chosenKills(5)) expect(done.err, `SEED=${seed}`).toContain('has moved to')
      else expect(done.out, `SEED=${seed}`).toContain('which an earlier command had begun')
    }
    await expect(data.start()).rejects.toThrow('the database has moved')
    expect(await readDatabase(back.path, digestsOf), `SEED=${seed}`).toEqual(digests)
  })
})

/** Kills a command when it has told of so many tables; whether it was not faster. */
async function isKilledAt(args: string[], lines: number): Promise<boolean> {
  const child = begin(args, { cwd: folder })
  let told = ''
  child.stderr.on('data', (text: string) => {
    told += text
    if (told.split('\n').length > lines) child.kill('SIGKILL')
  })
  await ended(child)
  return child.signalCode === 'SIGKILL'
}

describe('a backup of an engine', () => {
  test('is made while it runs, and restored with its keys into an empty directory', async () => {
    using data = new DataDirectory()
    using other = new DataDirectory()
    const engine = await data.start()
    const { digest } = await work(engine)
    const file = join(folder, 'engine.backup')
    const signIn = { SERVICE_URL: engine.baseUrl, SERVICE_TOKEN: engine.token }
    const made = await service(['backup', file, '--with-keys', data.path], signIn)
    expect([made.code, made.out]).toEqual([
      0,
      expect.stringMatching(/with 1 artifact .*whoever has the file can read all/s),
    ])
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const twice = await service(['backup', file], signIn)
    expect([twice.code, twice.err]).toEqual([1, expect.stringContaining('use --force to replace it')])
    const events = await engine.client.http.observability.events({ kind: 'audit', limit: 50 })
    expect(events.filter(({ action }) => action === 'backup.make')).toHaveLength(1)
    expect(await engine.end('SIGTERM')).toBe(0)

    const checked = await service(['restore', file, '--dry-run', '--json'])
    expect(JSON.parse(checked.out)).toMatchObject({
      end: { keys: ['secret.key', 'session.key', 'oauth_signing_key.pem'] },
    })
    const restored = await service(['restore', file, '--data', other.path])
    expect([restored.code, restored.out]).toEqual([
      0,
      expect.stringMatching(/^Restored [\d,]+ rows of \d+ tables as of /),
    ])
    const next = await other.start()
    await expect.poll(() => seen(next, digest)).toEqual(everything)
    // sessions of before are good, for the keys came along
    const me = await fetch(`${next.baseUrl}/users/me`, { headers: { authorization: `Bearer ${engine.token}` } })
    expect(me.status).toBe(200)
    expect(await next.end('SIGTERM')).toBe(0)
    const full = await service(['restore', file, '--data', other.path])
    expect([full.code, full.err]).toEqual([1, expect.stringContaining('is not empty')])
  })

  test('is made of a directory whose engine does not run, and without keys says so', async () => {
    using data = new DataDirectory()
    using other = new DataDirectory()
    const engine = await data.start()
    const { digest } = await work(engine)
    const file = join(folder, 'stopped.backup')
    const busy = await service(['backup', file, '--data', data.path])
    expect([busy.code, busy.err, existsSync(file)]).toEqual([1, expect.stringContaining('in use'), false])
    expect(await engine.end('SIGTERM')).toBe(0)
    const made = await service(['backup', file, '--data', data.path])
    expect([made.code, made.out]).toEqual([0, expect.stringContaining('without keys: keep secret.key')])
    const restored = await service(['restore', file, '--data', other.path])
    expect([restored.code, restored.out]).toEqual([0, expect.stringContaining('set SERVICE_SECRET_KEY')])
    await expect(other.start()).rejects.toThrow('the secrets of this database are sealed under the key')
    const key = readFileSync(join(data.path, 'secret.key'), 'utf8').trim()
    const next = await other.start({ SERVICE_SECRET_KEY: key })
    await expect.poll(() => seen(next, digest)).toEqual(everything)
    await next.end('SIGTERM')
  })

  test('that is damaged is told with its place, and nothing is made of it', async () => {
    using data = new DataDirectory()
    const engine = await data.start()
    const file = join(folder, 'damaged.backup')
    await service(['backup', file], { SERVICE_URL: engine.baseUrl, SERVICE_TOKEN: engine.token })
    await engine.end('SIGTERM')
    const bytes = readFileSync(file)
    writeFileSync(file, bytes.subarray(0, bytes.length / 2))
    const empty = join(folder, 'empty')
    const cut = await service(['restore', file, '--data', empty])
    expect([cut.code, cut.err]).toEqual([1, expect.stringMatching(/error: .*damaged\.backup is cut off .*byte \d+/)])
    expect(existsSync(empty)).toBe(false)
  })
})

test('what cannot be meant is wrong usage, and tells no password', async () => {
  const url = 'postgres://flows:open-sesame@127.0.0.1:1/flows'
  const calls: [string[], RegExp][] = [
    [['move'], /give the place to move to with --to/],
    [['move', '--to', 'mysql://flows:open-sesame@host/flows'], /--to is neither "embedded" nor the URL/],
    [['move', '--to', 'embedded'], /SERVICE_DATABASE_URL is not set: it, or --from, names the server/],
    [['move', '--to', url, '--data', join(folder, 'nowhere')], /there is no embedded database in .*nowhere/],
    [['move', '--undo', 'embedded', '--data', join(folder, 'nowhere')], /there is no embedded database in .*nowhere/],
    [['backup', join(folder, 'x.backup'), '--data', join(folder, 'nowhere')], /there is no database in .*nowhere/],
  ]
  for (const [args, message] of calls) {
    const { code, out, err } = await service(args)
    expect([code, out, err]).toEqual([2, '', expect.stringMatching(message)])
    expect(err).not.toContain('open-sesame')
  }
  const missing = await service(['restore', join(folder, 'missing.backup')])
  expect([missing.code, missing.err]).toEqual([
    1,
    expect.stringMatching(/cannot use ".*missing\.backup": it does not exist/),
  ])
  expect(readdirSync(folder).filter((name) => name.startsWith('x.backup'))).toEqual([])
})
