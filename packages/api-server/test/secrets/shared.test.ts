/** Secrets of two engines on one database. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, expect, test } from 'vitest'

import { openDatabase } from '../../src/db/database.ts'
import { Redactor } from '../../src/secrets/redactor.ts'
import { openSecrets } from '../../src/secrets/secrets.ts'
import { databaseAt } from '../backend.ts'

const log = { info() {}, warn() {}, error() {} }
const secretKey = 'a key for secrets of at least 32 bytes'
const change = { by: 'root@example.org', audit: async () => {} }
let dataDir: string
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'secrets-'))
})
afterAll(() => rm(dataDir, { recursive: true, force: true }))

/** An engine's secrets, and the changes that it hears of. */
async function engine(key: string | null = secretKey, own = dataDir) {
  const database = await openDatabase({ ...(await databaseAt(dataDir)), log })
  const redactor = new Redactor()
  const config = { dataDir: own, environment: 'local', secretKey: key } as const
  try {
    const secrets = await openSecrets({ config, database, redactor, log })
    const heard: string[] = []
    await secrets.onChange(async (names) => void heard.push(...names))
    const close = async (): Promise<void> => {
      await secrets.close()
      await database.close()
    }
    return { secrets, heard, mask: redactor.mask, [Symbol.asyncDispose]: close }
  } catch (error) {
    await database.close()
    throw error
  }
}

test('a change at one engine is used and masked by the other, and told there once', async () => {
  await using one = await engine()
  await using two = await engine()
  await one.secrets.put('shared', 'the first value', change)
  await expect.poll(() => two.secrets.valueOf('shared')).toBe('the first value')
  await two.secrets.put('shared', 'the second value', change)
  await expect.poll(() => one.secrets.valueOf('shared')).toBe('the second value')
  expect(one.mask('the first value, the second value')).toBe('***, ***')
  await one.secrets.remove('shared', change)
  await expect.poll(() => two.secrets.valueOf('shared')).toBeUndefined()
  expect(two.mask('the second value')).toBe('***')
  await expect
    .poll(() => [one.heard, two.heard])
    .toEqual([
      ['shared', 'shared', 'shared'],
      ['shared', 'shared', 'shared'],
    ])
})

test('values that are put at the same time at both end alike', async () => {
  await using one = await engine()
  await using two = await engine()
  const puts = Array.from({ length: 20 }, (_, at) =>
    (at % 2 ? one : two).secrets.put('contended', `value ${at}`, change),
  )
  await Promise.all(puts)
  await using third = await engine()
  const last = third.secrets.valueOf('contended')
  expect(last).toMatch(/^value \d+$/)
  await expect.poll(() => [one.secrets.valueOf('contended'), two.secrets.valueOf('contended')]).toEqual([last, last])
})

test('an engine with a key of its own does not join, and is told to take it from the environment', async () => {
  await using _one = await engine()
  const own = await mkdtemp(join(tmpdir(), 'secrets-own-'))
  await expect(engine(null, own)).rejects.toThrow('engines that share a PostgreSQL server need the same one')
  await rm(own, { recursive: true, force: true })
})
