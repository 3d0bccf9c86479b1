import { randomBytes } from 'node:crypto'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import type { Artifacts } from '../../src/artifacts/artifacts.ts'
import { bytesOf, digestOf, flipBit, keyOf, openStores, storeKinds, type Stores } from './stores.ts'

const named = (name: string, volatile = false) => ({ name, mediaType: 'text/plain', volatile })

describe.each(storeKinds)('in $name', (kind) => {
  let stores: Stores
  let corrupt: string[]
  beforeAll(async () => {
    stores = await openStores(kind)
  })
  afterAll(() => stores[Symbol.asyncDispose]())

  async function open(limits: { maxBytes?: number; ringBytes?: number } = {}): Promise<Artifacts> {
    corrupt = []
    return stores.fresh({ ...limits, onCorrupt: (digest) => corrupt.push(digest) })
  }
  const refsOf = (digest: string) =>
    stores.stores[0].database.sql<{ kind: string; owner: string }[]>`
      select kind, owner from blob_ref where digest = ${digest} order by kind, owner`

  test('a reference tells digest, name, media type and size [R109] [R110]', async () => {
    const artifacts = await open()
    const data = randomBytes(70_000)
    const { ref, created } = await artifacts.put(data, { name: 'a.bin', mediaType: 'image/png', volatile: false })
    expect([ref, created]).toEqual([
      { digest: digestOf(data), name: 'a.bin', media_type: 'image/png', size: 70_000, volatile: false },
      true,
    ])
    expect(Buffer.from(await artifacts.read(ref.digest))).toEqual(data)
  })

  test('equal bytes are stored once, also when uploaded at the same moment, and are called what they were called last [R108]', async () => {
    const artifacts = await open()
    const data = randomBytes(2000)
    const puts = await Promise.all(Array.from({ length: 8 }, (_, i) => artifacts.put(data, named(`copy-${i}`))))
    expect(puts.filter(({ created }) => created)).toHaveLength(1)
    await artifacts.put(data, { name: 'newest', mediaType: 'text/csv', volatile: false })
    expect((await artifacts.open(digestOf(data)))?.ref).toMatchObject({ name: 'newest', media_type: 'text/csv' })
    expect(await bytesOf(stores, digestOf(data))).toEqual(data)
    expect(await stores.staged()).toEqual([])
  })

  test('stored bytes survive a restart, volatile ones do not and are never written [R111]', async () => {
    const artifacts = await open()
    const [kept, frame] = [randomBytes(100), randomBytes(100)]
    await artifacts.put(kept, named('kept'))
    await artifacts.put(frame, named('frame', true))
    expect(Buffer.from(await artifacts.read(digestOf(frame)))).toEqual(frame)
    expect((await artifacts.open(digestOf(frame)))?.ref.volatile).toBe(true)
    const again = await open()
    expect(Buffer.from(await again.read(digestOf(kept)))).toEqual(kept)
    expect(await again.open(digestOf(frame))).toBeNull()
    expect(await bytesOf(stores, digestOf(frame))).toBeNull()
  })

  test('newer frames push out the oldest [R112, R381]', async () => {
    const artifacts = await open({ ringBytes: 3000 })
    const frames = Array.from({ length: 4 }, () => randomBytes(1000))
    const digests = frames.map(digestOf)
    for (const frame of frames.slice(0, 3)) await artifacts.put(frame, named('f', true))
    // sent again, the first is no longer the oldest
    expect((await artifacts.put(frames[0] as Buffer, named('f', true))).created).toBe(false)
    await artifacts.put(frames[3] as Buffer, named('f', true))
    expect(await artifacts.known(digests)).toEqual(new Set([digests[0], digests[2], digests[3]]))
  })

  test('a flood of frames takes no more than the ring, however small they are [T52]', async () => {
    const artifacts = await open()
    const frame = (at: number): Buffer => Buffer.from(at.toString(36))
    for (let at = 0; at <= 65_536; at++)
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await artifacts.put(frame(at), named('f', true))
    expect([frame(0), frame(1), frame(65_536)].map((bytes) => artifacts.frame(digestOf(bytes)) !== undefined)).toEqual([
      false,
      true,
      true,
    ])
  })

  test('a frame is read at once, and is copied unless it is handed over', async () => {
    const artifacts = await open()
    const [lent, given] = [randomBytes(2000), new Uint8Array(randomBytes(2000))]
    const first = (await artifacts.put(lent, named('lent', true))).ref
    const second = (await artifacts.put(given, { ...named('given', true), owned: true })).ref
    lent.fill(0)
    expect(artifacts.frame(first.digest)).toMatchObject({ name: 'lent', mediaType: 'text/plain' })
    expect(digestOf(artifacts.frame(first.digest)?.data ?? lent)).toBe(first.digest)
    expect(artifacts.frame(second.digest)?.data).toBe(given)
    // what would keep a larger buffer alive is copied all the same
    const part = new Uint8Array(randomBytes(2000).buffer, 0, 100)
    const { ref } = await artifacts.put(part, { ...named('part', true), owned: true })
    expect(artifacts.frame(ref.digest)?.data.buffer.byteLength).toBe(100)
    const stored = (await artifacts.put(randomBytes(100), named('stored'))).ref
    expect(artifacts.frame(stored.digest)).toBeUndefined()
  })

  test('bytes over the limit are refused and leave nothing, a frame over 8 MiB too', async () => {
    const artifacts = await open({ maxBytes: 1000 })
    await expect(artifacts.put(randomBytes(1001), named('big'))).rejects.toMatchObject({ code: 'payload_too_large' })
    expect(await stores.staged()).toEqual([])
    await expect(artifacts.put(Buffer.alloc(8 * 1024 * 1024 + 1), named('f', true))).rejects.toMatchObject({
      code: 'payload_too_large',
    })
  })

  test('bytes that have changed are missing and told about; uploading them again heals [T65]', async () => {
    const artifacts = await open()
    const data = randomBytes(4000)
    const digest = digestOf(data)
    await artifacts.put(data, named('rot'))
    await flipBit(stores, digest, 0)
    await expect(artifacts.read(digest)).rejects.toMatchObject({ code: 'not_found' })
    expect(corrupt).toEqual([digest])
    expect(await artifacts.open(digest)).toBeNull()
    await artifacts.put(data, named('rot'))
    expect(Buffer.from(await artifacts.read(digest))).toEqual(data)
  })

  test('names and media types that could not stand in a header are refused, whoever stores the bytes [T63]', async () => {
    const artifacts = await open()
    const bad = [
      { name: 'a\r\nb' },
      { name: '../x' },
      { name: 'x'.repeat(256) },
      { name: '\ud800' },
      { mediaType: 'text/html\r\nx: y' },
      { mediaType: 'image/pn\u0121' },
      { mediaType: 'text/plain; charset="\u0000"' },
      { mediaType: 'png' },
    ]
    for (const options of bad)
      await expect(artifacts.put(randomBytes(3), { ...named('x'), ...options })).rejects.toMatchObject({
        code: 'validation_failed',
      })
    expect(await stores.staged()).toEqual([])
  })

  test('a full disk is told as such and leaves nothing [F24]', async () => {
    const artifacts = await open()
    async function* full(): AsyncGenerator<Uint8Array> {
      yield randomBytes(10)
      throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
    }
    await expect(artifacts.put(full(), named('x'))).rejects.toMatchObject({ code: 'unavailable', status: 503 })
    expect(await stores.staged()).toEqual([])
  })

  test('bytes that are gone are not known, and not given', async () => {
    const artifacts = await open()
    const { ref } = await artifacts.put(randomBytes(30), named('x'))
    const opened = await artifacts.open(ref.digest)
    await stores.place.remove(keyOf(ref.digest))
    const reading = async () => {
      for await (const chunk of opened?.read(null) ?? []) expect(chunk.length).toBe(0)
    }
    await expect(reading()).rejects.toMatchObject({ code: 'not_found' })
    expect(await artifacts.known([ref.digest])).toEqual(new Set())
    expect(await artifacts.open(ref.digest)).toBeNull()
  })

  test('a reference is there when the transaction commits, and only to bytes that are stored', async () => {
    const artifacts = await open()
    const { ref } = await artifacts.put(randomBytes(10), named('x'))
    const missing = digestOf(randomBytes(3))
    await expect(
      stores.stores[0].database.transaction(async (tx) => {
        await artifacts.addRefs(tx, 'run', 'undone', [ref.digest])
        throw new Error('undo')
      }),
    ).rejects.toThrow('undo')
    await stores.stores[0].database.transaction(async (tx) => {
      await artifacts.addRefs(tx, 'run', 'one', [ref.digest, missing])
      await artifacts.addRefs(tx, 'run', 'two', [ref.digest])
      await artifacts.addRefs(tx, 'run', 'two', [ref.digest])
      await artifacts.addRefs(tx, 'message', 'two', [ref.digest])
    })
    await stores.stores[0].database.transaction((tx) => artifacts.dropRefs(tx, 'run', ['two']))
    expect([...(await refsOf(ref.digest))]).toEqual([
      { kind: 'message', owner: 'two' },
      { kind: 'run', owner: 'one' },
    ])
    expect([...(await refsOf(missing))]).toEqual([])
  })
})
