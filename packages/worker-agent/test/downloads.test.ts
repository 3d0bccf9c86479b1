import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'

import { ArtifactCache } from '../src/remote/artifacts/artifact-cache.ts'
import { HttpArtifacts } from '../src/remote/artifacts/http-artifacts.ts'
import { Lanes } from '../src/remote/artifacts/lanes.ts'
import { digestOf } from './fake-engine.ts'
import { answer, cut, lyingServer, redirect, type Step } from './lying-server.ts'

const MB = 1024 * 1024
/** Large enough for a file. */
const data = randomBytes(1_200_000)
const digest = digestOf(data)
const isWhole = (found: unknown): boolean => data.equals(found as Buffer)

/** A worker of an engine that answers by a script; `clock` is what it goes by for what it remembers. */
async function rig(script: Step[] = [], options: { bytes?: Buffer; cacheBytes?: number; insecure?: boolean } = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'downloads-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const engine = await lyingServer(options.bytes ?? data, script)
  const clock = { ms: 0 }
  const problems: string[] = []
  const onProblem = (text: string): void => void problems.push(text)
  const artifacts = new HttpArtifacts({
    url: `${engine.origin}/artifacts`,
    token: 'a.worker.token',
    cache: new ArtifactCache({ directory, maxBytes: options.cacheBytes ?? 10 * MB, onProblem }),
    lanes: new Lanes(),
    insecure: options.insecure ?? false,
    onProblem,
    retryMs: 1,
    now: () => clock.ms,
  })
  return { engine, directory, artifacts, problems, clock, load: () => artifacts.get(digest, true) }
}

const ranges = (requests: { headers: Record<string, unknown> }[]) => requests.map(({ headers }) => headers['range'])

describe('a connection that breaks', () => {
  test('is followed by one that is asked for the rest', async () => {
    const { load, engine } = await rig([cut(480_000), cut(0), cut(360_000)])
    expect(isWhole(await load())).toBe(true)
    const begun = ranges(engine.requests)
    expect(begun[0]).toBe(undefined)
    expect(begun.length).toBe(4)
    expect(engine.requests.slice(1).map(({ headers }) => headers['if-match'])).toEqual(['"v1"', '"v1"', '"v1"'])
    // what has arrived is not sent again, but for what was on its way when the connection broke
    expect(engine.sent()).toBeLessThan(2 * data.length)
  })

  test('any sequence of cuts ends in exactly the right bytes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat({ max: 700_000 }), { maxLength: 12 }),
        fc.constantFrom(10 * MB, 0),
        fc.boolean(),
        async (cuts, cacheBytes, isForgetful) => {
          // one that ignores ranges never comes to an end while it is cut, so it is honest in the end
          const steps = cuts.map((bytes, at): Step => (honest) => {
            if (isForgetful && at % 2 === 1) honest.serveAll()
            else honest.serve(Math.max(1, bytes))
          })
          const { load } = await rig(steps, { cacheBytes })
          expect(isWhole(await load())).toBe(true)
        },
      ),
      { numRuns: 60 },
    )
  })

  test('that brings nothing again and again is told', async () => {
    const { load, engine, directory } = await rig(Array.from({ length: 20 }, () => cut(0)))
    await expect(load()).rejects.toThrow(`cannot load artifact ${digest}: `)
    expect(engine.requests).toHaveLength(6)
    expect(readdirSync(directory)).toEqual([])
  })

  test('on which nothing comes is given up, and what has come stays', async () => {
    const bytes = randomBytes(200_000)
    const { engine, directory } = await rig(
      [
        ({ response }) =>
          void response.writeHead(200, { 'content-length': bytes.length }).write(bytes.subarray(0, 100_000)),
      ],
      { bytes },
    )
    const artifacts = new HttpArtifacts({
      url: `${engine.origin}/artifacts`,
      token: 't',
      cache: new ArtifactCache({ directory, maxBytes: MB, onProblem: () => undefined }),
      lanes: new Lanes(),
      retryMs: 1,
      idleMs: 2000,
    })
    expect(await artifacts.get(digestOf(bytes), true)).toEqual(bytes)
    expect(ranges(engine.requests)).toEqual([undefined, 'bytes=100000-'])
  })
})

describe('an answer that is not the rest begins anew', () => {
  const wrongRange: Step = ({ response, data: bytes }) =>
    void response.writeHead(206, { 'content-range': `bytes 0-1199999/1200000` }).end(bytes)
  const shortRange: Step = ({ response, data: bytes, first }) =>
    void response
      .writeHead(206, { 'content-length': 10, 'content-range': `bytes ${first}-${first + 9}/1200000` })
      .end(bytes.subarray(first, first + 10))
  const wrongRest: Step = ({ response, first }) =>
    void response
      .writeHead(206, { 'content-range': `bytes ${first}-1199999/1200000` })
      .end(randomBytes(1_200_000 - first))
  const longRest: Step = ({ response, first }) =>
    void response.writeHead(206, { 'content-range': `bytes ${first}-1199999/1200000` }).end(randomBytes(2_400_000))
  const other: Step = ({ response }) => void response.writeHead(200).end(randomBytes(3_600_000))

  test.each<[string, Step]>([
    ['all bytes', (honest) => honest.serveAll()],
    ['other bytes, of another number', other],
    ['another part', wrongRange],
    ['less than the rest', shortRange],
    ['a rest of other bytes', wrongRest],
    ['more than the rest', longRest],
    ['no such part', answer(416, { 'content-range': 'bytes */1200000' })],
    ['they have changed', answer(412)],
    ['not now', answer(503, { 'retry-after': '0' })],
    ['not now, for a time that makes no sense', answer(503, { 'retry-after': 'soon' })],
    ['too much', answer(429, { 'retry-after': new Date(0).toUTCString() })],
    ['headers without an end', answer(200, { 'x-long': 'a'.repeat(100_000) })],
  ])('%s', async (_, step) => {
    const { load, artifacts, directory } = await rig([cut(480_000), step])
    expect(isWhole(await load())).toBe(true)
    expect(readdirSync(directory)).toEqual([digest.slice(7)])
    expect(isWhole(readFileSync(join(directory, digest.slice(7))))).toBe(true)
    expect(await artifacts.get(digest)).toEqual({ path: join(directory, digest.slice(7)), size: data.length })
  })

  test('and another part is known by what it says of itself, before it does harm', async () => {
    const part: Step = ({ response, data: bytes }) =>
      void response.writeHead(206, { 'content-range': 'bytes 0-719999/1200000' }).end(bytes.subarray(0, 720_000))
    const damaged: Step = ({ response }) => void response.writeHead(200).end(randomBytes(1_200_000))
    const { load } = await rig([cut(480_000), part, damaged])
    expect(isWhole(await load())).toBe(true)
  })

  test('and fails when it is so again', async () => {
    const { load, directory } = await rig([cut(480_000), wrongRest, cut(480_000), wrongRest])
    await expect(load()).rejects.toThrow('came damaged twice')
    expect(readdirSync(directory)).toEqual([])
  })

  test('also from an answer without an end that is said', async () => {
    const endless: Step = ({ response }) => void response.writeHead(200, { 'cache-control': 'x' }).end(data)
    const { load, directory } = await rig([endless])
    expect(isWhole(await load())).toBe(true)
    expect(readdirSync(directory)).toEqual([digest.slice(7)])
  })
})

describe('a store that the engine names', () => {
  /** An engine of a script, and a store of another one. */
  async function withStore(script: (store: string) => Step[], storeScript: Step[] = [], insecure = false) {
    const store = await lyingServer(data, storeScript)
    const at = await rig(script(store.origin), { insecure })
    return { ...at, store }
  }
  const always =
    (count = 10) =>
    (origin: string): Step[] =>
      Array.from({ length: count }, (_, at) => redirect(`${origin}/bucket/key?signature=${at}`))

  test('delivers, without the token, and the engine passes no byte', async () => {
    const { load, engine, store, problems } = await withStore(always())
    expect(isWhole(await load())).toBe(true)
    expect(engine.requests).toMatchObject([{ headers: { prefer: 'direct', authorization: 'Bearer a.worker.token' } }])
    expect(store.requests).toMatchObject([{ path: '/bucket/key?signature=0' }])
    expect(JSON.stringify(store.requests)).not.toContain('token')
    expect([engine.sent(), store.sent(), problems]).toEqual([0, data.length, []])
  })

  test('is asked for the rest, by an address of its own, when a connection breaks', async () => {
    const { load, store } = await withStore(always(), [cut(480_000), cut(100_000)])
    expect(isWhole(await load())).toBe(true)
    expect(store.requests.map(({ path }) => path.slice(-1))).toEqual(['0', '1', '2'])
    expect(ranges(store.requests)).toEqual([undefined, expect.stringMatching(/^bytes=\d+-$/), expect.anything()])
  })

  test('gets another address when one was too old', async () => {
    const { load, engine, store, problems } = await withStore(always(), [answer(403)])
    expect(isWhole(await load())).toBe(true)
    expect([engine.sent(), store.requests.length, problems]).toEqual([0, 2, []])
  })

  test.each<[string, Step[]]>([
    ['refuses every address', [answer(403), answer(403)]],
    ['is down', [answer(503, { 'retry-after': '0' }), answer(500)]],
    ['breaks before the first byte', [cut(0), cut(0)]],
    ['sends elsewhere', [redirect('http://127.0.0.1:1/')]],
    ['sends in a circle', [redirect('/bucket/key')]],
    ['sends headers without an end', [answer(200, { 'x-long': 'a'.repeat(100_000) })]],
  ])('that %s is left alone for five minutes, and the engine delivers', async (_, steps) => {
    const honest: Step = (honest) => honest.serve()
    const { load, engine, store, problems, directory, clock } = await withStore(
      (origin) => [...always(steps.length)(origin), honest, honest, redirect(`${origin}/again`)],
      [...steps],
    )
    expect(isWhole(await load())).toBe(true)
    expect(engine.requests.at(-1)?.headers).not.toHaveProperty('prefer')
    expect(problems).toEqual([
      expect.stringContaining('artifacts go through the engine, and not straight to its store: '),
    ])
    rmSync(join(directory, digest.slice(7)))
    clock.ms = 299_999
    await load()
    expect([engine.requests.at(-1)?.headers['prefer'], store.requests.length]).toEqual([undefined, steps.length])
    rmSync(join(directory, digest.slice(7)))
    clock.ms = 300_000
    await load()
    expect(engine.requests.at(-1)?.headers['prefer']).toBe('direct')
    expect(store.requests.at(-1)?.path).toBe('/again')
  })

  test('that cannot be reached is left alone at once', async () => {
    const { load, engine, problems } = await withStore(() => [redirect('http://127.0.0.1:1/key')])
    expect(isWhole(await load())).toBe(true)
    expect(engine.requests.map(({ headers }) => headers['prefer'])).toEqual(['direct', undefined])
    expect(problems).toEqual([expect.stringContaining('cannot be reached')])
  })

  test('that has lost one artifact still delivers others', async () => {
    const { load, artifacts, engine, store, problems } = await withStore(
      (origin) => [redirect(`${origin}/key`), (honest) => honest.serve(), redirect(`${origin}/key`)],
      [answer(404)],
    )
    expect(isWhole(await load())).toBe(true)
    await artifacts.get(digestOf(Buffer.from('x'))).catch(() => undefined)
    expect(engine.requests[2]?.headers['prefer']).toBe('direct')
    expect([store.requests.length > 1, problems]).toEqual([true, []])
  })

  test('that delivers other bytes is not believed: the engine delivers', async () => {
    const { load, engine, store } = await withStore(always(1), [answer(200, {}, 'something else')])
    expect(isWhole(await load())).toBe(true)
    expect([store.sent(), engine.sent()]).toEqual([0, data.length])
    expect(engine.requests.at(-1)?.headers).not.toHaveProperty('prefer')
  })

  test.each([
    ['itself', (engine: string) => `${engine}/artifacts/other`, 'it names itself'],
    ['another scheme', () => 'file:///etc/passwd', 'an address of file:'],
    ['no address', () => 'key', 'it names no address'],
    ['a password', () => 'https://user:secret@127.0.0.1:1/', 'with a password'],
    ['another machine in the clear', () => 'http://store.example/key', 'would carry them in the clear'],
  ])('is not asked when the engine names %s [T36]', async (_, location, why) => {
    const script: Step[] = []
    const { load, engine, problems } = await rig(script)
    script.push(redirect(location(engine.origin)))
    expect(isWhole(await load())).toBe(true)
    expect(engine.requests.map(({ path, headers }) => [path, headers['prefer']])).toEqual([
      [`/artifacts/${digest}`, 'direct'],
      [`/artifacts/${digest}`, undefined],
    ])
    expect(problems).toEqual([expect.stringContaining(why)])
  })

  test('that nobody asked for is not followed: the token stays with the address that was given [T36]', async () => {
    const { load, store } = await withStore((origin) => [redirect('key'), redirect(`${origin}/key`)])
    await expect(load()).rejects.toThrow('answers 307')
    expect(store.requests).toEqual([])
  })
})
