/**
 * The baseline of artifacts.bench.ts: bytes between a socket and a file, hashed on their way, and on the disk before the
 * answer.
 */
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Transform, type TransformCallback } from 'node:stream'
import { pipeline } from 'node:stream/promises'

const dir = mkdtempSync(join(tmpdir(), 'bench-bare-artifacts-'))
const file = join(dir, 'bytes')

const hashing = (digest: ReturnType<typeof createHash>) =>
  new Transform({
    transform(chunk: Buffer, _encoding, done: TransformCallback) {
      digest.update(chunk)
      done(null, chunk)
    },
  })

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const digest = createHash('sha256')
  if (request.method === 'PUT') {
    await pipeline(request, hashing(digest), createWriteStream(file, { flush: true }))
    response.end(JSON.stringify({ digest: digest.digest('hex') }))
  } else await pipeline(createReadStream(file), hashing(digest), response)
}

const server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1', () => {
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, token: '' })
})
process.once('SIGTERM', () => {
  rmSync(dir, { recursive: true, force: true })
  process.exit()
})
