import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { hash } from '@node-rs/argon2'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'

import { findSessionKey, settleSessionKey } from '../../src/auth/sessions.ts'
import { writeSignInFile } from '../../src/auth/sign-in-file.ts'
import { type AuthService, startAuthService, temporaryDirectory } from './service.ts'

describe('the first superuser', () => {
  let service: AuthService
  beforeAll(async () => {
    service = await startAuthService()
  })
  afterAll(() => service.close())
  beforeEach(async () => {
    await service.database.sql`delete from account`
    service.clock.nowMs += 60_001
  })
  const local = { environment: 'local', firstSuperuser: null, firstSuperuserPassword: null } as const

  test('of environment local has a random password, told once [T5]', async () => {
    const first = await service.users.createFirst(local)
    expect(first).toEqual({ email: 'admin@localhost', password: expect.stringMatching(/^[\w-]{24}$/) })
    const answer = await service.signIn('admin@localhost', first?.password ?? '')
    const { access_token } = (await answer.json()) as { access_token: string }
    expect(await (await service.me(access_token)).json()).toMatchObject({ is_superuser: true })
    expect(await service.users.createFirst(local)).toBeNull()
    for (const guess of ['admin', 'changethis'])
      expect((await service.signIn('admin@localhost', guess)).status).toBe(400)
  })

  test('is the configured one, whose password is not told, in every environment', async () => {
    const configured = { firstSuperuser: 'Root@Example.org', firstSuperuserPassword: 'correct horse' }
    const first = await service.users.createFirst({ environment: 'production', ...configured })
    expect(first).toEqual({ email: 'root@example.org', password: null })
    expect((await service.signIn('root@example.org', 'correct horse')).status).toBe(200)
  })

  test('is never made up outside environment local', async () => {
    for (const environment of ['staging', 'production'] as const)
      expect(await service.users.createFirst({ ...local, environment })).toBeNull()
    expect(await service.store.isEmpty()).toBe(true)
  })

  test('is not made when there are users', async () => {
    await service.users.create({ email: 'a@b', password: 'correct horse', superuser: false })
    expect(await service.users.createFirst(local)).toBeNull()
  })

  test('is made once when several engines start on an empty database, and none of them fails', async () => {
    const first = await Promise.all([1, 2, 3].map(() => service.users.createFirst(local)))
    expect(first.filter((made) => made === null)).toHaveLength(2)
    const made = first.find((user) => user !== null)
    expect((await service.signIn('admin@localhost', made?.password ?? '')).status).toBe(200)
  })

  test('an e-mail is taken once, and a password has 8 to 128 characters', async () => {
    const ann = { email: 'ann@example.org', password: 'correct horse', superuser: false }
    await service.users.create(ann)
    await expect(service.users.create({ ...ann, email: 'ANN@example.org' })).rejects.toMatchObject({
      code: 'already_exists',
    })
    for (const password of ['seven77', 'x'.repeat(129)])
      await expect(service.users.create({ ...ann, email: 'b@c', password })).rejects.toMatchObject({
        code: 'validation_failed',
      })
    await expect(service.users.changePassword('nobody@x', 'correct horse')).rejects.toMatchObject({ code: 'not_found' })
  })

  test('a hash of older parameters is replaced at the next sign-in, and tokens stay valid', async () => {
    await service.users.create({ email: 'old@example.org', password: 'correct horse', superuser: true })
    // of "correct horse", with less memory
    const weak = await hash('correct horse', { memoryCost: 8192, timeCost: 1 })
    await service.database.sql`update account set password_hash = ${weak} where email = 'old@example.org'`
    const before = await service.store.findByEmail('old@example.org')
    expect((await service.signIn('old@example.org', 'correct horse')).status).toBe(200)
    const after = await service.store.findByEmail('old@example.org')
    expect(after?.passwordHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    expect(after?.tokenVersion).toBe(before?.tokenVersion)
  })

  test('is signed in by a private file in environment local, rewritten at each start [R624, T19]', async () => {
    const { path: dataDir, remove } = await temporaryDirectory()
    try {
      const write = (environment: 'local' | 'staging' | 'production') =>
        writeSignInFile({
          config: { dataDir, environment },
          baseUrl: service.api.url,
          users: service.users,
          sessions: service.sessions,
        })
      const file = join(dataDir, 'cli.json')
      expect(await write('local')).toBeNull()

      await service.users.createFirst(local)
      expect(await write('local')).toBe(file)
      const { base_url, access_token } = JSON.parse(await readFile(file, 'utf8')) as Record<string, string>
      expect(base_url).toBe(service.api.url)
      expect((await service.me(access_token ?? '')).status).toBe(200)
      expect((await stat(file)).mode & 0o777).toBe(0o600)

      await writeFile(file, 'stale')
      await write('local')
      expect(await readFile(file, 'utf8')).toContain('access_token')
      expect(await readdir(dataDir)).toEqual(['cli.json'])

      for (const environment of ['staging', 'production'] as const) {
        await writeFile(file, 'left over')
        expect(await write(environment)).toBeNull()
        expect(await readdir(dataDir)).toEqual([])
      }
    } finally {
      await remove()
    }
  })
})

type KeyConfig = Parameters<typeof findSessionKey>[0]

/** As on an embedded database. */
const loadKey = async (config: KeyConfig) => settleSessionKey(config, await findSessionKey(config), null)

describe('the session key', () => {
  let directory: Awaited<ReturnType<typeof temporaryDirectory>>
  beforeEach(async () => {
    directory = await temporaryDirectory()
  })
  afterEach(() => directory.remove())
  const load = (environment: 'local' | 'production', sessionKey: string | null = null) =>
    loadKey({ dataDir: directory.path, environment, sessionKey })
  const path = () => join(directory.path, 'session.key')

  test('is made once, readable by its owner alone, and read at the next start', async () => {
    const made = await load('local')
    expect(made.length).toBeGreaterThanOrEqual(32)
    expect((await stat(path())).mode & 0o777).toBe(0o600)
    expect(await load('local')).toEqual(made)
    expect(await load('production')).toEqual(made)
  })

  test('is never made up in production [T5]', async () => {
    await expect(load('production')).rejects.toThrow('SERVICE_SESSION_KEY is not set')
    expect(await readdir(directory.path)).toEqual([])
  })

  test('comes from the configuration first', async () => {
    const key = 'k'.repeat(40)
    expect(Buffer.from(await load('production', key)).toString()).toBe(key)
    expect(await readdir(directory.path)).toEqual([])
  })

  test('of a file that is too short, or cannot be read, stops the start [T5]', async () => {
    await writeFile(path(), 'short\n')
    await expect(load('local')).rejects.toThrow(`${path()} holds 5 bytes: put at least 32 there, or delete it`)
    await directory.remove()
    await mkdir(path(), { recursive: true })
    await expect(load('local')).rejects.toThrow('EISDIR')
  })
})
