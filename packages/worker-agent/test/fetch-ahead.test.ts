import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, onTestFinished, test } from 'vitest'

import { ArtifactCache } from '../src/remote/artifacts/artifact-cache.ts'
import { HttpArtifacts } from '../src/remote/artifacts/http-artifacts.ts'
import { Lanes } from '../src/remote/artifacts/lanes.ts'
import { digestOf, fakeEngine } from './fake-engine.ts'
import { callFrame, until } from './harness.ts'

const KB = 1024

/** An engine that answers a request for an artifact when it is let go. */
async function rig(maxBytes = 1000 * KB) {
  const directory = mkdtempSync(join(tmpdir(), 'ahead-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  /** Requests that wait, by digest, in the order in which they came. */
  const waiting = new Map<string, () => void>()
  const broken: string[] = []
  const engine = await fakeEngine({
    artifacts(request, response) {
      const digest = request.url?.split('/').at(-1) ?? ''
      request.socket.once('close', () => waiting.delete(digest) && broken.push(digest))
      waiting.set(digest, () => {
        waiting.delete(digest)
        const data = engine.stored.get(digest)
        if (data) response.writeHead(200, { 'content-length': data.length }).end(data)
        else response.writeHead(404).end()
      })
      return true
    },
  })
  const cache = new ArtifactCache({ directory, maxBytes, onProblem: () => undefined })
  const artifacts = new HttpArtifacts({ url: engine.artifactUrl, token: 't', cache, lanes: new Lanes(), retryMs: 1 })
  const store = (size = KB, volatile = false) => {
    const data = randomBytes(size)
    engine.stored.set(digestOf(data), data)
    return { digest: digestOf(data), name: '', media_type: 'a/b', size, volatile }
  }
  return {
    ...engine,
    directory,
    artifacts,
    waiting,
    broken,
    store,
    /** A call that refers to these. */
    begin: (inputs: unknown, settings: unknown = {}) =>
      artifacts.forCall(callFrame('c', { source: '', inputs: { inputs }, settings: { settings } })),
    asked: () => until(() => waiting.size > 0),
    release: (digest: string) => waiting.get(digest)?.(),
    kept: () => readdirSync(directory).filter((name) => !name.startsWith('.')),
  }
}

test('what inputs and settings refer to is fetched before the code asks, once', async () => {
  const { begin, store, waiting, release, kept, requests, stored } = await rig()
  const [a, b] = [store(), store()]
  const call = begin([{ deep: [a, a] }, store(KB, true)], { model: b })
  expect(await until(() => waiting.size === 2)).toBe(true)
  const loading = call.get(a.digest)
  release(a.digest)
  release(b.digest)
  expect(await loading).toEqual(stored.get(a.digest))
  expect(await until(() => kept().length === 2)).toBe(true)
  expect(await call.get(b.digest)).toEqual(stored.get(b.digest))
  const asked = requests.map(({ path }) => path.slice('/api/v1/artifacts/'.length))
  expect([asked.length, new Set(asked)]).toEqual([2, new Set([a.digest, b.digest])])
  call.end?.()
})

test('few are fetched ahead at a time, and each call has its share of them', async () => {
  const { begin, store, waiting, release } = await rig()
  const [greedy, modest] = [Array.from({ length: 20 }, () => store()), [store(), store()]]
  const calls = [begin(greedy), begin(modest)]
  expect(await until(() => waiting.size === 4)).toBe(true)
  const first = [...waiting.keys()]
  expect(first.every((digest) => greedy.some((ref) => ref.digest === digest))).toBe(true)
  for (const digest of first.slice(0, 2)) release(digest)
  // the turns of those two are the other call's
  expect(await until(() => modest.every(({ digest }) => waiting.has(digest)))).toBe(true)
  expect(waiting.size).toBe(4)
  for (const call of calls) call.end?.()
})

test('what code waits for does not wait for what it may ask later', async () => {
  const { begin, store, waiting, release, stored } = await rig()
  const [ahead, wanted, last] = [Array.from({ length: 6 }, () => store()), store(), store()]
  const call = begin([...ahead, last])
  expect(await until(() => waiting.size === 4)).toBe(true)
  const loading = [call.get(wanted.digest), call.get(last.digest)]
  expect(await until(() => waiting.has(wanted.digest) && waiting.has(last.digest))).toBe(true)
  release(wanted.digest)
  release(last.digest)
  expect(await Promise.all(loading)).toEqual([stored.get(wanted.digest), stored.get(last.digest)])
  call.end?.()
})

test('the end of a call ends a fetch that nobody else wants', async () => {
  const { begin, store, waiting, broken, release, kept, directory, stored } = await rig()
  const [own, shared] = [store(), store()]
  const calls = [begin([own, shared]), begin(shared)]
  expect(await until(() => waiting.size === 2)).toBe(true)
  const loading = calls[1]?.get(shared.digest)
  calls[0]?.end?.()
  expect(await until(() => broken.includes(own.digest))).toBe(true)
  release(shared.digest)
  expect(await loading).toEqual(stored.get(shared.digest))
  expect(await until(() => readdirSync(directory).length === 1)).toBe(true)
  expect([broken, kept()]).toEqual([[own.digest], [shared.digest.slice(7)]])
  // and is no reason not to fetch it again
  const again = begin(own).get(own.digest)
  expect(await until(() => waiting.has(own.digest))).toBe(true)
  release(own.digest)
  expect(await again).toEqual(stored.get(own.digest))
})

test('a fetch that waits for its turn is forgotten with its call', async () => {
  const { begin, store, waiting, requests, release } = await rig()
  const [first, second] = [Array.from({ length: 4 }, () => store()), store()]
  const calls = [begin(first), begin(second)]
  expect(await until(() => waiting.size === 4)).toBe(true)
  calls[1]?.end?.()
  for (const { digest } of first) release(digest)
  const third = store()
  const call = begin(third)
  expect(await until(() => waiting.has(third.digest))).toBe(true)
  expect(requests.some(({ path }) => path.endsWith(second.digest))).toBe(false)
  call.end?.()
  calls[0]?.end?.()
})

test('what was fetched ahead stays until the code asks, and no more than there is room for', async () => {
  const { begin, store, waiting, release, kept, stored, requests } = await rig(10 * KB)
  const [a, b, c] = [store(6 * KB), store(6 * KB), store(6 * KB)]
  const call = begin([a, b])
  expect(await until(() => waiting.size === 2)).toBe(true)
  release(a.digest)
  expect(await until(() => kept().length === 1)).toBe(true)
  release(b.digest)
  // another call's does not push it out either: that goes through memory
  const other = begin([]).get(c.digest)
  expect(await until(() => waiting.has(c.digest))).toBe(true)
  release(c.digest)
  expect(await other).toEqual(stored.get(c.digest))
  expect(kept()).toEqual([a.digest.slice(7)])
  expect(await call.get(a.digest)).toEqual(stored.get(a.digest))
  const late = call.get(b.digest)
  expect(await until(() => waiting.has(b.digest))).toBe(true)
  release(b.digest)
  expect(await late).toEqual(stored.get(b.digest))
  expect(await until(() => kept().includes(b.digest.slice(7)))).toBe(true)
  expect(requests.filter(({ path }) => path.endsWith(b.digest))).toHaveLength(2)
})

test('what cannot be fetched ahead is told when the code asks', async () => {
  const { begin, store, waiting, release, stored } = await rig()
  const gone = store()
  stored.delete(gone.digest)
  const call = begin(gone)
  expect(await until(() => waiting.size === 1)).toBe(true)
  release(gone.digest)
  expect(await until(() => waiting.size === 0)).toBe(true)
  const loading = call.get(gone.digest)
  let isOver = false
  loading.catch(() => (isOver = true))
  expect(await until(() => waiting.size === 1 || isOver)).toBe(true)
  release(gone.digest)
  await expect(loading).rejects.toMatchObject({ code: 'not_found' })
})

test('a cache that takes nothing fetches nothing ahead, and loads all the same', async () => {
  const { begin, store, waiting, release, stored, requests } = await rig(0)
  const a = store()
  const call = begin(a)
  const loading = call.get(a.digest)
  expect(await until(() => waiting.size === 1)).toBe(true)
  release(a.digest)
  expect(await loading).toEqual(stored.get(a.digest))
  expect(requests).toHaveLength(1)
})
