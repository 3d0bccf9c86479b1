import { createHash, randomBytes } from 'node:crypto'
import {
  type FileHandle,
  mkdtemp,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'

import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import type { ByteRange } from '../../src/artifacts/byte-range.ts'
import { ChangedBytes, FolderGone, TooManyBytes } from '../../src/artifacts/content-store.ts'
import { type FolderStore, HASHED_FIRST_BYTES, openFolderStore } from '../../src/artifacts/folder-store.ts'

let directory: string
let store: FolderStore
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'content-store-'))
  store = await openFolderStore(directory)
})
afterEach(() => rm(directory, { recursive: true, force: true }))

const hexOf = (data: Uint8Array): string => createHash('sha256').update(data).digest('hex')
const fileOf = (hex: string): string => join(directory, 'sha256', hex.slice(0, 2), hex)
async function keep(data: Uint8Array): Promise<string> {
  const staged = await store.stage([data], data.length)
  await store.place(staged)
  await store.discard(staged)
  return staged.hex
}

test.each([
  ['removed', async () => {}],
  ['replaced by the folder of another engine', async () => void (await openFolderStore(directory))],
])('once its directory is %s, nothing is stored, and it is not made anew', async (_how, replace) => {
  const staged = await store.stage([randomBytes(10)], 10)
  // kept, so that nothing gets its number
  const elsewhere = `${directory}.elsewhere`
  await rename(directory, elsewhere)
  await replace()
  await expect(store.stage([randomBytes(10)], 10)).rejects.toThrow(FolderGone)
  await expect(store.place(staged)).rejects.toThrow(FolderGone)
  const left = await readdir(directory, { recursive: true }).catch(() => [])
  expect(left.filter((name) => !['sha256', 'tmp'].includes(name))).toEqual([])
  await rm(elsewhere, { recursive: true })
})

/** Reads as another engine would, which has seen nothing of the file. */
const readAnew = async (hex: string, size: number, range: ByteRange | null = null): Promise<Buffer> =>
  read(hex, size, range, await openFolderStore(directory))
async function read(hex: string, size: number, range: ByteRange | null = null, from = store): Promise<Buffer> {
  const found = await from.find(hex, size)
  if (found.kind !== 'found') throw new Error(found.kind)
  return buffer(found.read(range))
}
async function flipBit(hex: string): Promise<void> {
  const file = await open(fileOf(hex), 'r+')
  const byte = Buffer.alloc(1)
  await file.read(byte, 0, 1, 2500)
  byte[0] = (byte[0] ?? 0) ^ 1
  await file.write(byte, 0, 1, 2500)
  await file.close()
}

test('bytes are found under the digest of their content [R107]', async () => {
  const data = randomBytes(300_000)
  const staged = await store.stage([data.subarray(0, 7), data.subarray(7)], data.length)
  await store.place(staged)
  await store.discard(staged)
  expect(staged).toMatchObject({ hex: hexOf(data), size: data.length })
  expect(await read(staged.hex, data.length)).toEqual(data)
  expect(await read(staged.hex, data.length, { first: 10, last: 19 })).toEqual(data.subarray(10, 20))
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

test('a flipped bit is noticed at the next read, even of bytes read before, and storing them again heals [T65]', async () => {
  const data = randomBytes(5000)
  const hex = await keep(data)
  expect(await read(hex, 5000)).toEqual(data)
  await flipBit(hex)
  expect(await store.find(hex, 5000)).toEqual({ kind: 'corrupt' })
  expect(await store.find(hex, 5000)).toEqual({ kind: 'missing' })
  await keep(data)
  expect(await read(hex, 5000)).toEqual(data)
})

test('a file that was cut short is noticed before a byte of it is read [T65]', async () => {
  const data = randomBytes(HASHED_FIRST_BYTES + 10)
  const hex = await keep(data)
  await truncate(fileOf(hex), 100)
  expect(await store.find(hex, data.length)).toEqual({ kind: 'corrupt' })
})

test('a large file is hashed on its way: changed bytes never come to their end, and no part of them is given [T65]', async () => {
  const data = randomBytes(HASHED_FIRST_BYTES + 300_000)
  const hex = await keep(data)
  expect(await readAnew(hex, data.length)).toEqual(data)
  await flipBit(hex)
  await expect(readAnew(hex, data.length, { first: 0, last: 9 })).rejects.toThrow(ChangedBytes)
  expect((await store.find(hex, data.length)).kind).toBe('missing')

  await keep(data)
  await flipBit(hex)
  const found = await store.find(hex, data.length)
  if (found.kind !== 'found') throw new Error(found.kind)
  let given = 0
  const reading = async (): Promise<void> => {
    for await (const chunk of found.read(null)) given += chunk.length
  }
  await expect(reading()).rejects.toThrow(ChangedBytes)
  expect(given).toBeGreaterThan(0)
  expect(given).toBeLessThan(data.length)
  expect((await store.find(hex, data.length)).kind).toBe('missing')
})

test('an upload replaces bytes that nobody has hashed yet', async () => {
  const data = randomBytes(5000)
  const hex = await keep(data)
  await flipBit(hex)
  await keep(data)
  expect(await readAnew(hex, 5000)).toEqual(data)
})

test('a transaction that is tried again publishes the same bytes again', async () => {
  const data = randomBytes(5000)
  const hex = await keep(data)
  await flipBit(hex)
  const staged = await store.stage([data], data.length)
  await store.place(staged)
  await store.place(staged)
  await store.discard(staged)
  expect(await readAnew(hex, 5000)).toEqual(data)
  expect(await readdir(join(directory, 'tmp'))).toEqual([])
})

test('an upload that comes between the hash of changed bytes and their removal is kept', async () => {
  const data = randomBytes(HASHED_FIRST_BYTES + 1)
  const hex = await keep(data)
  await flipBit(hex)
  const found = await store.find(hex, data.length)
  if (found.kind !== 'found') throw new Error(found.kind)
  const chunks = found.read(null)[Symbol.asyncIterator]()
  await chunks.next()
  await keep(data)
  await expect(buffer({ [Symbol.asyncIterator]: () => chunks })).rejects.toThrow(ChangedBytes)
  expect(await readAnew(hex, data.length)).toEqual(data)
})

test('no bytes at all are bytes too', async () => {
  const hex = await keep(Buffer.alloc(0))
  expect(await read(hex, 0)).toEqual(Buffer.alloc(0))
  expect(await readAnew(hex, 0)).toEqual(Buffer.alloc(0))
})

/** What all open files have in common. */
async function fileMethods(): Promise<FileHandle> {
  const handle = await open(join(directory, 'probe'), 'w')
  const methods = Object.getPrototypeOf(handle) as FileHandle
  await handle.close()
  return methods
}

test('a full disk leaves no file, whether it is noticed by a write or at the end [F24]', async () => {
  const full = Object.assign(new Error('no space'), { code: 'ENOSPC' })
  const data = Array.from({ length: 40 }, () => Buffer.alloc(1024 * 1024))
  for (const method of ['writev', 'datasync'] as const) {
    const failing = vi.spyOn(await fileMethods(), method).mockRejectedValue(full)
    await expect(store.stage(data, Infinity)).rejects.toBe(full)
    await expect(store.stage(data.slice(0, 1), Infinity)).rejects.toBe(full)
    failing.mockRestore()
    expect(await readdir(join(directory, 'tmp'))).toEqual([])
  }
})

test('bytes that a disk does not confirm are not acknowledged, nor by trying again [F25]', async () => {
  const broken = Object.assign(new Error('i/o error'), { code: 'EIO' })
  const data = randomBytes(1_000)
  const failing = vi.spyOn(await fileMethods(), 'datasync').mockRejectedValueOnce(broken)
  await expect(store.stage([data], Infinity)).rejects.toBe(broken)
  expect(failing).toHaveBeenCalledTimes(1)
  failing.mockRestore()
  expect(await readdir(join(directory, 'tmp'))).toEqual([])
})

test('a file system that writes only parts gets the rest again', async () => {
  const methods = await fileMethods()
  const writev: unknown = Reflect.get(methods, 'writev')
  const partly = vi.spyOn(methods, 'writev').mockImplementation(function (this: FileHandle, chunks) {
    const some = Buffer.concat(chunks as readonly Uint8Array[]).subarray(0, 100_001)
    return Reflect.apply(writev as FileHandle['writev'], this, [[some]])
  })
  const data = randomBytes(700_000)
  const chunks = [data.subarray(0, 1), data.subarray(1, 1), data.subarray(1, 650_000), data.subarray(650_000)]
  const staged = await store.stage(chunks, data.length)
  partly.mockRestore()
  expect(await readFile(staged.path)).toEqual(data)
  expect(staged.hex).toBe(hexOf(data))
})

test('a hidden file comes back as it was, and does not take the place of a newer one', async () => {
  const data = randomBytes(100)
  const hex = await keep(data)
  const hidden = await store.hide(hex)
  expect([await store.has(hex), await store.hide(hex)]).toEqual([false, null])
  if (!hidden) throw new Error('nothing was hidden')
  await store.restore(hidden)
  expect(await readAnew(hex, 100)).toEqual(data)
  expect(await readdir(join(directory, 'tmp'))).toEqual([])

  const again = await store.hide(hex)
  await keep(data)
  const { ino } = await stat(fileOf(hex))
  if (!again) throw new Error('nothing was hidden')
  await store.restore(again)
  expect((await stat(fileOf(hex))).ino).toBe(ino)
})

test('uploads that a crash left behind are swept when the store opens [F6]', async () => {
  await writeFile(join(directory, 'tmp', 'left'), 'x')
  await openFolderStore(directory)
  expect(await readdir(join(directory, 'tmp'))).toEqual([])
})

test('in a shared directory only uploads older than a day are swept', async () => {
  await writeFile(join(directory, 'tmp', 'of-another-engine'), 'x')
  await writeFile(join(directory, 'tmp', 'old'), 'x')
  await utimes(join(directory, 'tmp', 'old'), 0, Date.now() / 1000 - 90_000)
  await openFolderStore(directory, { shared: true })
  expect(await readdir(join(directory, 'tmp'))).toEqual(['of-another-engine'])
  await utimes(join(directory, 'tmp', 'of-another-engine'), 0, Date.now() / 1000 - 90_000)
  expect(await store.dropDeadUploads()).toBe(1)
  expect(await readdir(join(directory, 'tmp'))).toEqual([])
})
