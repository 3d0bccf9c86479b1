import { randomBytes } from 'node:crypto'
import { readdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { VirtualClock } from '@flow-service/core/testing'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'

import type { FolderStore } from '../../src/artifacts/folder-store.ts'
import { Sweeper } from '../../src/artifacts/sweeper.ts'
import {
  bytesOf,
  digestOf,
  folderKind,
  keyOf,
  named,
  openStores,
  referred,
  type Store,
  storeKinds,
  storeLongAgo,
  type Stores,
} from './stores.ts'

const HOUR_MS = 3_600_000
const kinds = ['run', 'message', 'history', 'flow_input', 'cache', 'code'] as const
const never = new AbortController().signal
const some = (count: number): Buffer[] => Array.from({ length: count }, () => randomBytes(200))

describe.each(storeKinds)('in $name', (kind) => {
  let stores: Stores
  let one: Store
  let two: Store
  beforeAll(async () => {
    stores = await openStores(kind)
    ;[one, two] = stores.stores
  })
  afterAll(() => stores[Symbol.asyncDispose]())

  const isThere = async (digest: string): Promise<boolean> => (await one.artifacts.open(digest)) !== null
  const refer = (store: Store, kind: (typeof kinds)[number], owner: string, digests: string[]): Promise<void> =>
    store.database.transaction((tx) => store.artifacts.addRefs(tx, kind, owner, digests))

  test('bytes that nothing has referred to for an hour are deleted every hour, all others stay; it is told [R113]', async () => {
    const clock = new VirtualClock(Date.now())
    const told: unknown[] = []
    const sweeper = new Sweeper({
      artifacts: one.artifacts,
      expireCode: async () => 0,
      clock,
      eventLog: { report: (entry) => told.push(entry) },
      log: { info: (fields) => told.push(fields), error: (fields) => told.push(fields) },
    })
    sweeper.open()
    const data = some(kinds.length + 1)
    const digests = await storeLongAgo(one, data)
    const free = digests.at(-1) ?? ''
    await Promise.all(kinds.map((kind, at) => refer(one, kind, `owner of ${kind}`, [digests[at] ?? ''])))
    const { ref: young } = await one.artifacts.put(randomBytes(200), named)
    const { ref: frame } = await one.artifacts.put(randomBytes(200), { ...named, volatile: true })

    await clock.advance(HOUR_MS / 2)
    await expect.poll(() => told.length).toBe(2)
    const swept = { artifacts: 1, orphans: 0, uploads: 0, bytes: 200, bundles: 0 }
    expect(told).toEqual([swept, { kind: 'engine', level: 'info', action: 'artifact.sweep', detail: swept }])
    expect([await isThere(free), await bytesOf(stores, free)]).toEqual([false, null])
    for (const digest of [...digests.slice(0, -1), young.digest, frame.digest]) expect(await isThere(digest)).toBe(true)

    // the reference is gone, and an hour later so are the bytes; a sweep that deletes nothing tells nothing
    await expect.poll(() => clock.pending).toBe(1)
    await one.database.transaction((tx) => one.artifacts.dropRefs(tx, 'run', ['owner of run']))
    await clock.advance(HOUR_MS)
    await expect.poll(() => told.length).toBe(4)
    expect(await isThere(digests[0] ?? '')).toBe(false)
    await expect.poll(() => clock.pending).toBe(1)
    await clock.advance(HOUR_MS)
    await expect.poll(() => clock.pending).toBe(1)
    expect(told).toHaveLength(4)
    await sweeper.close()
    expect(clock.pending).toBe(0)
  })

  test('bytes that are uploaded again are young again, and an upload under way is left alone', async () => {
    const [again, slow] = some(2) as [Buffer, Buffer]
    await storeLongAgo(one, [again, slow])
    await two.artifacts.put(again, named)
    const halfway = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    async function* slowly(): AsyncGenerator<Uint8Array> {
      yield slow.subarray(0, 100)
      halfway.resolve()
      await goOn.promise
      yield slow.subarray(100)
    }
    const upload = two.artifacts.put(slowly(), named)
    await halfway.promise
    await one.artifacts.sweep(never)
    expect([await isThere(digestOf(again)), await isThere(digestOf(slow))]).toEqual([true, false])
    goOn.resolve()
    expect((await upload).created).toBe(true)
    expect(Buffer.from(await one.artifacts.read(digestOf(slow)))).toEqual(slow)
  })

  test('no reference and no upload loses its bytes to the sweeps of two engines [N1] [F7]', async () => {
    const data = some(60)
    const digests = await storeLongAgo(one, data)
    const [referring, uploading] = [digests.slice(0, 30), data.slice(30)]
    await Promise.all([
      one.artifacts.sweep(never),
      two.artifacts.sweep(never),
      ...referring.map((digest, at) => refer(at % 2 ? one : two, 'run', `race ${at}`, [digest])),
      ...uploading.map((bytes, at) => (at % 2 ? one : two).artifacts.put(bytes, named)),
    ])
    const kept = await referred(one, referring)
    for (const digest of referring) {
      // swept before it was referred to, or kept; nothing between
      expect([digest, (await bytesOf(stores, digest)) !== null]).toEqual([digest, kept.has(digest)])
      expect(await isThere(digest)).toBe(kept.has(digest))
    }
    for (const bytes of uploading) expect(Buffer.from(await one.artifacts.read(digestOf(bytes)))).toEqual(bytes)
  })

  test('an engine that stops does not wait for the rest of a sweep', async () => {
    const digests = await storeLongAgo(one, some(2))
    const stop = new AbortController()
    stop.abort()
    expect((await one.artifacts.sweep(stop.signal)).artifacts).toBe(0)
    expect(await isThere(digests[0] ?? '')).toBe(true)
  })

  test('a crash between row and file leaves a file that a sweep finds when it is a day old [F7]', async () => {
    const [data] = some(1) as [Buffer]
    const [digest] = (await storeLongAgo(one, [data])) as [string]
    const crash = vi.spyOn(one.content, 'remove').mockRejectedValueOnce(new Error('the engine is gone'))
    await expect(one.artifacts.sweep(never)).rejects.toThrow('gone')
    crash.mockRestore()
    expect([await isThere(digest), await bytesOf(stores, digest)]).toEqual([false, data])
    expect((await two.artifacts.sweep(never)).orphans).toBe(0)
    const { age } = stores.place
    if (age === null) return
    await age(keyOf(digest), 90_000_000)
    expect(await two.artifacts.sweep(never)).toMatchObject({ artifacts: 0, orphans: 1, bytes: 200 })
    expect(await bytesOf(stores, digest)).toBeNull()
  })
})

describe('in a folder', () => {
  let stores: Stores
  let one: Store
  let two: Store
  beforeAll(async () => {
    stores = await openStores(folderKind)
    ;[one, two] = stores.stores
  })
  afterAll(() => stores[Symbol.asyncDispose]())

  test('a file goes back when its lock may be lost: an upload may count on it', async () => {
    const data = some(2)
    const digests = await storeLongAgo(one, data)
    const content = one.content as FolderStore
    const hide = content.hide.bind(content)
    const failing = vi.spyOn(content, 'hide').mockImplementation(async (hex) => {
      if (hex === digests.toSorted()[1]?.slice(7)) throw new Error('connection lost')
      return hide(hex)
    })
    await expect(one.artifacts.sweep(never)).rejects.toThrow('lost')
    failing.mockRestore()
    expect(await Promise.all(digests.map((digest) => bytesOf(stores, digest)))).toEqual(data)
    for (const bytes of data) expect((await two.artifacts.put(bytes, named)).created).toBe(true)
    expect(Buffer.from(await one.artifacts.read(digests[0] ?? ''))).toEqual(data[0])
  })

  test('uploads of dead engines go after a day, files that are no artifacts stay', async () => {
    const temp = join(stores.directory, 'artifacts', 'tmp')
    await Promise.all(['dead', 'alive'].map((name) => writeFile(join(temp, name), 'x')))
    await utimes(join(temp, 'dead'), 0, Date.now() / 1000 - 90_000)
    const note = join(stores.directory, 'artifacts', 'sha256', 'README')
    await writeFile(note, 'x')
    expect((await one.artifacts.sweep(never)).uploads).toBe(1)
    expect(await readdir(temp)).toEqual(['alive'])
    expect(await readFile(note, 'utf8')).toBe('x')
  })
})
