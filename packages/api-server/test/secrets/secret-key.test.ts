import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { describe, expect, test } from 'vitest'

import { createCipher } from '../../src/secrets/cipher.ts'
import { loadSecretKey } from '../../src/secrets/secret-key.ts'
import { temporaryDirectory } from '../auth/service.ts'

const [one, other] = ['a key for secrets of at least 32 bytes', 'another key for secrets of at least 32 bytes']

describe('what is sealed', () => {
  const cipher = createCipher(one)

  test('opens under the same key and name alone [T82]', () => {
    const sealed = cipher.seal('mqtt', 'pass wörd')
    expect(cipher.open('mqtt', sealed)).toBe('pass wörd')
    expect(cipher.open('http', sealed)).toBeNull()
    expect(createCipher(other).open('mqtt', sealed)).toBeNull()
    expect(createCipher(one).open('mqtt', sealed)).toBe('pass wörd')
  })

  test('is another text each time, and does not open with a changed byte or cut short [T82]', () => {
    const sealed = cipher.seal('mqtt', 'password')
    expect(cipher.seal('mqtt', 'password').equals(sealed)).toBe(false)
    for (let at = 0; at < sealed.length; at++) {
      const changed = Buffer.from(sealed)
      changed[at]! ^= 1
      expect(cipher.open('mqtt', changed)).toBeNull()
      expect(cipher.open('mqtt', sealed.subarray(0, at))).toBeNull()
    }
    expect(cipher.open('empty', cipher.seal('empty', ''))).toBe('')
  })
})

/** The row of `secret_key`. */
const storeWith = (pinned: string | null = null) => {
  const store = {
    pinned,
    keyId: async () => store.pinned,
    pinKey: async (id: string) => (store.pinned ??= id),
  }
  return store
}

describe('the key', () => {
  const load = async (
    store: ReturnType<typeof storeWith>,
    {
      secretKey = null,
      environment = 'local',
      dataDir,
    }: { secretKey?: string | null; environment?: 'local' | 'production'; dataDir: string },
  ) => loadSecretKey({ dataDir, environment, secretKey }, store)

  test('is made at the first start, readable by its user alone, and found at the next', async () => {
    const { path: dataDir, remove } = await temporaryDirectory()
    const store = storeWith()
    const made = await load(store, { dataDir })
    expect((await stat(join(dataDir, 'secret.key'))).mode & 0o777).toBe(0o600)
    expect(store.pinned).toBe(made.id)
    expect((await load(store, { dataDir })).id).toBe(made.id)
    await remove()
  })

  test('comes from the environment before the file, and leaves none', async () => {
    const { path: dataDir, remove } = await temporaryDirectory()
    const store = storeWith()
    expect((await load(store, { dataDir, secretKey: one, environment: 'production' })).id).toBe(createCipher(one).id)
    expect(await readdir(dataDir)).toEqual([])
    await remove()
  })

  test('is never made up in production, nor for a database that has one [T82]', async () => {
    const { path: dataDir, remove } = await temporaryDirectory()
    await expect(load(storeWith(), { dataDir, environment: 'production' })).rejects.toThrow(
      'SERVICE_SECRET_KEY is not set',
    )
    const shared = storeWith(createCipher(one).id)
    await expect(load(shared, { dataDir })).rejects.toThrow(
      new RegExp(
        `sealed under the key ${shared.pinned}, and there is no .*secret.key: set SERVICE_SECRET_KEY to that key .*share a PostgreSQL server`,
      ),
    )
    expect(await readdir(dataDir)).toEqual([])
    await remove()
  })

  test('that is another one than the database has is refused, and nothing is changed [T82]', async () => {
    const { path: dataDir, remove } = await temporaryDirectory()
    const store = storeWith(createCipher(one).id)
    await expect(load(store, { dataDir, secretKey: other })).rejects.toThrow(
      `SERVICE_SECRET_KEY holds ${createCipher(other).id}`,
    )
    const file = join(dataDir, 'secret.key')
    await writeFile(file, other)
    await expect(load(store, { dataDir })).rejects.toThrow(`secret.key holds ${createCipher(other).id}`)
    expect(store.pinned).toBe(createCipher(one).id)
    expect(await readFile(file, 'utf8')).toBe(other)
    await writeFile(file, 'too short')
    await expect(load(store, { dataDir })).rejects.toThrow('holds 9 bytes')
    await remove()
  })

  test('that another engine gave the database meanwhile wins, and the one made here is gone', async () => {
    const { path: dataDir, remove } = await temporaryDirectory()
    const store = { keyId: async () => null, pinKey: async () => 'theirs' }
    await expect(loadSecretKey({ dataDir, environment: 'local', secretKey: null }, store)).rejects.toThrow(
      'under the key theirs',
    )
    expect(await readdir(dataDir)).toEqual([])
    await remove()
  })
})
