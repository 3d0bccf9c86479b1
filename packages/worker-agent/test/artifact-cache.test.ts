import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, onTestFinished, test } from 'vitest'

import { ArtifactCache } from '../src/remote/artifacts/artifact-cache.ts'
import { digestOf } from './fake-engine.ts'

const KB = 1024

/** A folder that is not there yet, and caches on it. */
function place(maxBytes = 10 * KB) {
  const parent = mkdtempSync(join(tmpdir(), 'cache-'))
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }))
  const directory = join(parent, 'kept')
  const problems: string[] = []
  const open = (at = directory): ArtifactCache =>
    new ArtifactCache({ directory: at, maxBytes, onProblem: (text) => problems.push(text) })
  const fileOf = (data: Uint8Array): string => join(directory, digestOf(data).slice('sha256:'.length))
  /** As if it had been used so many seconds ago. */
  const age = (data: Uint8Array, seconds: number): void =>
    utimesSync(fileOf(data), Date.now() / 1000 - seconds, Date.now() / 1000 - seconds)
  return { parent, directory, problems, open, fileOf, age }
}

const store = async (cache: ArtifactCache, ...all: Uint8Array[]): Promise<void> => {
  for (const data of all) {
    const file = await cache.begin(data.byteLength)
    if (!file) continue
    void file.push(Buffer.from(data))
    await cache.keep(await file.end(), file)
  }
}
const kept = async (cache: ArtifactCache, ...all: Uint8Array[]): Promise<boolean[]> =>
  (await Promise.all(all.map((data) => cache.find(digestOf(data))))).map((found) => found !== null)

test('bytes are kept in a file of their own that nobody else can read [R605]', async () => {
  const { directory, open, fileOf } = place()
  const data = randomBytes(100)
  await store(open(), data)
  expect(readdirSync(directory)).toEqual([digestOf(data).slice(7)])
  expect([statSync(directory).mode & 0o777, statSync(fileOf(data)).mode & 0o777]).toEqual([0o700, 0o600])
  expect(await open().find(digestOf(data))).toEqual({ path: fileOf(data), size: 100 })
  expect(readFileSync(fileOf(data))).toEqual(data)
})

test('of three files of 5 KB the oldest leaves a cache of 10 KB [R607]', async () => {
  const { open, age } = place()
  const [a, b, c] = [randomBytes(5 * KB), randomBytes(5 * KB), randomBytes(5 * KB)]
  const cache = open()
  await store(cache, a, b)
  age(a, 60)
  age(b, 30)
  await store(cache, c)
  expect(await kept(cache, a, b, c)).toEqual([false, true, true])
})

test('use keeps a file: the one that was not read for longest leaves [R607]', async () => {
  const { open, age } = place()
  const [a, b, c] = [randomBytes(5 * KB), randomBytes(5 * KB), randomBytes(5 * KB)]
  const cache = open()
  await store(cache, a, b)
  age(a, 60)
  age(b, 30)
  await kept(cache, a)
  await store(cache, c)
  expect(await kept(cache, a, b, c)).toEqual([true, false, true])
})

test('what is larger than the cap is not kept, and 0 keeps nothing [R607]', async () => {
  const { open, directory } = place()
  await store(open(), randomBytes(11 * KB))
  expect(existsSync(directory)).toBe(false)
  const none = place(0)
  await store(none.open(), randomBytes(1), randomBytes(0))
  expect([existsSync(none.directory), none.problems]).toEqual([false, []])
})

test('a file that is in use stays, and what has no room beside it is not kept', async () => {
  const { open, age } = place()
  const [a, b, c] = [randomBytes(5 * KB), randomBytes(5 * KB), randomBytes(6 * KB)]
  const cache = open()
  await store(cache, a, b)
  age(a, 60)
  age(b, 30)
  const releases = [cache.hold(digestOf(a)), cache.hold(digestOf(a))]
  await store(cache, c)
  expect(await kept(cache, a, b, c)).toEqual([true, false, false])
  for (const release of releases) release()
  await store(cache, c)
  expect(await kept(cache, a, c)).toEqual([false, true])
})

test('what is being written counts, until it is kept or given up', async () => {
  const { open, directory } = place()
  const cache = open()
  const first = await cache.begin(6 * KB)
  expect(await cache.begin(6 * KB)).toBe(null)
  await first?.discard()
  const second = await cache.begin(6 * KB)
  expect(second).not.toBe(null)
  await second?.discard()
  expect(readdirSync(directory)).toEqual([])
})

test('two agents with one folder stay under the cap and read what the other has fetched [F36]', async () => {
  const { directory, open } = place(100 * KB)
  const agents = [open(), open()]
  const all = Array.from({ length: 60 }, () => randomBytes(5 * KB))
  await Promise.all(agents.map((cache, at) => store(cache, ...all.slice(at * 30, at * 30 + 30))))
  await store(agents[0] as ArtifactCache, randomBytes(1))
  const sizes = readdirSync(directory).map((name) => statSync(join(directory, name)).size)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(100 * KB)
  const shared = randomBytes(KB)
  await store(agents[0] as ArtifactCache, shared)
  expect(await kept(agents[1] as ArtifactCache, shared)).toEqual([true])
})

test('a file with other bytes counts as absent and makes room [F36]', async () => {
  const { open, fileOf } = place()
  const data = randomBytes(100)
  const cache = open()
  await store(cache, data)
  writeFileSync(fileOf(data), 'cut off')
  expect(await kept(cache, data)).toEqual([false])
  expect(existsSync(fileOf(data))).toBe(false)
  await store(cache, data)
  expect(await kept(cache, data)).toEqual([true])
})

test('a file that was changed after it was hashed is hashed again [F36]', async () => {
  const { open, fileOf } = place()
  const data = randomBytes(100)
  const cache = open()
  await store(cache, data)
  expect(await kept(cache, data)).toEqual([true])
  const { atime, mtime } = statSync(fileOf(data))
  writeFileSync(fileOf(data), randomBytes(100))
  utimesSync(fileOf(data), atime, mtime)
  expect(await kept(cache, data)).toEqual([false])
})

test('a file, or the folder, that was taken away meanwhile is no failure [F36]', async () => {
  const { directory, open, fileOf, problems } = place()
  const data = randomBytes(100)
  const cache = open()
  await store(cache, data)
  rmSync(fileOf(data))
  expect(await kept(cache, data)).toEqual([false])
  rmSync(directory, { recursive: true })
  await store(cache, data)
  expect(await kept(cache, data)).toEqual([false])
  expect(problems).toHaveLength(1)
})

test('what cannot be written leaves nothing behind and is told once', async () => {
  const { open, directory, problems } = place()
  const cache = open()
  await kept(cache, randomBytes(1))
  // a folder in the place of the file cannot be renamed over
  const data = [randomBytes(100), randomBytes(100)]
  for (const bytes of data) mkdirSync(join(directory, digestOf(bytes).slice(7), 'x'), { recursive: true })
  await store(cache, ...data)
  expect(readdirSync(directory).filter((name) => name.startsWith('.'))).toEqual([])
  expect(problems).toEqual([expect.stringContaining('set SERVICE_ARTIFACT_CACHE to a folder of your own')])
})

test('what a killed agent has half written leaves first; files of others are not touched', async () => {
  const { directory, open } = place()
  const cache = open()
  const a = randomBytes(5 * KB)
  await store(cache, a)
  const half = join(directory, '.123e4567-e89b-42d3-a456-426614174000.tmp')
  writeFileSync(half, Buffer.alloc(5 * KB))
  utimesSync(half, 1, 1)
  const own = join(directory, 'thesis.txt')
  writeFileSync(own, Buffer.alloc(50 * KB))
  utimesSync(own, 1, 1)
  await store(cache, randomBytes(4 * KB))
  expect([existsSync(half), existsSync(own)]).toEqual([false, true])
  expect(await kept(cache, a)).toEqual([true])
})

test('a folder that cannot be made, and a link in its place, are no cache', async () => {
  const { parent, open, problems } = place()
  writeFileSync(join(parent, 'file'), 'x')
  symlinkSync(tmpdir(), join(parent, 'link'))
  for (const name of ['file', 'link']) {
    const data = randomBytes(10)
    const cache = open(join(parent, name))
    await store(cache, data)
    expect(await kept(cache, data)).toEqual([false])
    expect(existsSync(join(parent, name, digestOf(data).slice(7)))).toBe(false)
  }
  expect(problems).toHaveLength(2)
  expect(readFileSync(join(parent, 'file'), 'utf8')).toBe('x')
})

test.skipIf(process.getuid?.() !== 0)('a folder of another user is no cache', async () => {
  const { directory, open, problems } = place()
  mkdirSync(directory)
  chmodSync(directory, 0o777)
  chownSync(directory, 12_345, 12_345)
  const data = randomBytes(10)
  await store(open(), data)
  expect([readdirSync(directory), problems]).toEqual([[], [expect.stringContaining('it belongs to another user')]])
})
