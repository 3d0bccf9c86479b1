/**
 * 50 MB from an engine through a worker in another process into the memory of its code, hashed and kept on the way, and
 * back, against bare `node:http` between two processes: a download into memory is what is judged; one that is dropped, one
 * that is hashed into a file, and the engine's own without a worker are shown beside it. The rounds alternate, and have new
 * bytes; the fastest of each kind counts, for whatever else runs on the machine can only slow one down. The code names the
 * bytes by their digest alone, so that nothing is fetched before its clock runs.
 */
import { createHash, randomFillSync } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, Transform, Writable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'

import { createClient } from '@flow-service/client-sdk'
import { expect, onTestFinished, test } from 'vitest'

import { startAgent } from '../test/agent-process.ts'
import { publishFlow } from '../test/documents.ts'
import { useServers } from './child-servers.ts'

const ROUNDS = 15
const CHUNK = 2 ** 20
const CHUNKS = 50
const { startAt } = useServers()

/** Loads bytes by their digest, and stores others, each with the seconds that it took. */
const source = `import time
def run(digest):
    begun = time.perf_counter()
    data = load_artifact(digest)
    loaded = time.perf_counter() - begun
    data = data[1:] + b"x"
    begun = time.perf_counter()
    save_artifact(data)
    return {"out": {"size": len(data), "loaded": loaded, "saved": time.perf_counter() - begun}}
`
const flow = {
  mode: 'batch',
  inputs: [{ name: 'digest', dtype: 'str' }],
  outputs: [{ name: 'out' }],
  nodes: [
    {
      id: 'work',
      type: 'python',
      source,
      worker: 'lab',
      cache: false,
      ports: [
        { direction: 'input', name: 'digest', dtype: 'str' },
        { direction: 'output', name: 'out', dtype: 'any' },
      ],
    },
  ],
}

interface Target {
  readonly url: string
  readonly token: string
}

/** One piece, told apart by its number and the round: making 50 MB of random bytes would cost more than sending them. */
const piece = randomFillSync(Buffer.alloc(CHUNK))
function* bytes(round: number): Generator<Buffer> {
  for (let at = 0; at < CHUNKS; at++) {
    const chunk = Buffer.from(piece)
    chunk.writeUInt32LE(round * CHUNKS + at)
    yield chunk
  }
}

const headersOf = ({ token }: Target): Record<string, string> =>
  token === '' ? {} : { authorization: `Bearer ${token}` }

/** MB a second, and the digest of what was sent. */
async function upload(target: Target, round: number): Promise<{ rate: number; digest: string }> {
  const headers = { ...headersOf(target), 'content-length': CHUNK * CHUNKS }
  const begun = performance.now()
  const request = httpRequest(target.url, { method: 'PUT', headers })
  Readable.from(bytes(round), { objectMode: false }).pipe(request)
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  let text = ''
  for await (const chunk of answer.setEncoding('utf8')) text += chunk
  const { digest } = JSON.parse(text) as { digest: string }
  return { rate: rateOf(performance.now() - begun), digest }
}

const rateOf = (ms: number): number => CHUNKS / (ms / 1000)

const hashing = (): { hash: Transform; digest: () => string } => {
  const digest = createHash('sha256')
  const hash = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      digest.update(chunk)
      done(null, chunk)
    },
  })
  return { hash, digest: () => digest.digest('hex') }
}

/** What becomes of the bytes of a download. */
type End = 'dropped' | 'held' | 'filed'

/** MB a second. */
async function download(target: Target, path: string, end: End, file = ''): Promise<number> {
  const begun = performance.now()
  const request = httpRequest(target.url + path, { headers: headersOf(target) }).end()
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  const { hash, digest } = hashing()
  if (end === 'dropped') await pipeline(answer, new Writable({ write: (_chunk, _encoding, done) => done() }))
  else if (end === 'held') expect((await buffer(answer)).length).toBe(CHUNK * CHUNKS)
  else {
    await pipeline(answer, hash, createWriteStream(file))
    digest()
  }
  expect(answer.statusCode).toBe(200)
  return rateOf(performance.now() - begun)
}

test('50 MB reach the code of a worker at least at 70 % of the speed of a bare download', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'bench-worker-artifacts-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const { at: bare } = await startAt<Target>('bare-artifacts.ts')
  const { at: service } = await startAt<Target>('service-artifacts.ts')
  const baseUrl = service.url.replace('/artifacts', '')
  const client = createClient({ baseUrl, token: service.token })
  await publishFlow(client, 'transfer', flow)
  await startAgent({ baseUrl, client }, 'lab')
  const rates = { dropped: [0], held: [0], filed: [0], engine: [0], loaded: [0], bareUp: [0], saved: [0] }
  for (let round = 0; round <= ROUNDS; round++) {
    const { rate: bareUp } = await upload(bare, round)
    const dropped = await download(bare, '', 'dropped')
    const held = await download(bare, '', 'held')
    const filed = await download(bare, '', 'filed', join(directory, 'bytes'))
    const { digest } = await upload(service, round)
    const engine = await download(service, `/${digest}`, 'held')
    const { id } = await client.http.runs.submit({ name: 'transfer', params: { digest } })
    const run = await client.wait(id)
    const out = run.result?.['out'] as { size: number; loaded: number; saved: number }
    expect([run.status, out.size]).toEqual(['ok', CHUNK * CHUNKS])
    const of = { dropped, held, filed, engine, loaded: CHUNKS / out.loaded, bareUp, saved: CHUNKS / out.saved }
    // the first round warms up
    if (round > 0) for (const name of Object.keys(rates) as (keyof typeof rates)[]) rates[name].push(of[name])
  }
  const [dropped, held, filed] = [Math.max(...rates.dropped), Math.max(...rates.held), Math.max(...rates.filed)]
  const [engine, loaded] = [Math.max(...rates.engine), Math.max(...rates.loaded)]
  const [bareUp, saved] = [Math.max(...rates.bareUp), Math.max(...rates.saved)]
  const against = (rate: number): string => `${Math.round(rate)} (${(loaded / rate).toFixed(2)})`
  console.log(
    `load ${Math.round(loaded)} MB/s; bare ${against(held)} into memory, ${against(dropped)} dropped, ` +
      `${against(filed)} hashed into a file, the engine's own ${against(engine)}; ` +
      `save ${Math.round(saved)} MB/s, bare ${Math.round(bareUp)} (${(saved / bareUp).toFixed(2)})`,
  )
  expect(loaded / held).toBeGreaterThan(0.7)
}, 300_000)
