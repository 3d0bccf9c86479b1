import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'

import { afterEach, beforeEach, expect, test } from 'vitest'

import { type ContentStore, openContentStore, TooManyBytes } from '../../src/artifacts/content-store.ts'

let directory: string
let store: ContentStore
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'content-store-'))
  store = await openContentStore(directory)
})
afterEach(() => rm(directory, { recursive: true, force: true }))

const hexOf = (data: Uint8Array): string => createHash('sha256').update(data).digest('hex')
const fileOf = (hex: string): string => join(directory, 'sha256', hex.slice(0, 2), hex)
async function keep(data: Uint8Array): Promise<string> {
  const staged = await store.stage([data], data.length)
  await store.publish(staged)
  await store.discard(staged)
  return staged.hex
}

test('bytes are found under the digest of their content [R107]', async () => {
  const data = randomBytes(300_000)
  const staged = await store.stage([data.subarray(0, 7), data.subarray(7)], data.length)
  await store.publish(staged)
  await store.discard(staged)
  expect(staged).toMatchObject({ hex: hexOf(data), size: data.length })
  expect(await store.verify(staged.hex)).toEqual({ kind: 'found', size: data.length })
  expect(await buffer(store.read(staged.hex, null))).toEqual(data)
  expect(await buffer(store.read(staged.hex, { first: 10, last: 19 }))).toEqual(data.subarray(10, 20))
})

test('equal bytes are one file, and staging leaves nothing behind [R108]', async () => {
  const data = randomBytes(1000)
  expect(await keep(data)).toBe(await keep(data))
  expect(await readdir(join(directory, 'sha256', hexOf(data).slice(0, 2)))).toEqual([hexOf(data)])
  expect(await readdir(join(directory, 'tmp'))).toEqual([])
})

test('a stream beyond the limit or one that fails leaves no file', async () => {
  await expect(store.stage([Buffer.alloc(6), Buffer.alloc(6)], 10)).rejects.toThrow(TooManyBytes)
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield Buffer.alloc(4)
    throw new Error('the client left')
  }
  await expect(store.stage(broken(), 10)).rejects.toThrow('the client left')
  expect(await readdir(join(directory, 'tmp'))).toEqual([])
})

test('a flipped bit is noticed at the next read, even of bytes read before, and storing them again heals', async () => {
  const data = randomBytes(5000)
  const hex = await keep(data)
  expect(await store.verify(hex)).toMatchObject({ kind: 'found' })
  const rotten = await readFile(fileOf(hex))
  rotten[2500] = (rotten[2500] ?? 0) ^ 1
  await writeFile(fileOf(hex), rotten)
  expect(await store.verify(hex)).toEqual({ kind: 'corrupt' })
  expect(await store.verify(hex)).toEqual({ kind: 'missing' })
  await keep(data)
  expect(await store.verify(hex)).toMatchObject({ kind: 'found' })
})

test('uploads that a crash left behind are swept when the store opens', async () => {
  await writeFile(join(directory, 'tmp', 'left'), 'x')
  await openContentStore(directory)
  expect(await readdir(join(directory, 'tmp'))).toEqual([])
})

test('in a shared directory only uploads older than a day are swept', async () => {
  await writeFile(join(directory, 'tmp', 'of-another-engine'), 'x')
  await writeFile(join(directory, 'tmp', 'old'), 'x')
  await utimes(join(directory, 'tmp', 'old'), 0, Date.now() / 1000 - 90_000)
  await openContentStore(directory, { shared: true })
  expect(await readdir(join(directory, 'tmp'))).toEqual(['of-another-engine'])
})
