/** The baseline of artifacts-store.bench.ts: bytes from the objects of its argument to a socket, hashed on their way. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Transform, type TransformCallback } from 'node:stream'
import { pipeline } from 'node:stream/promises'

const [objects = ''] = process.argv.slice(2)

async function answer({ url }: IncomingMessage, response: ServerResponse): Promise<void> {
  const digest = createHash('sha256')
  const [source] = (await once(request(objects + url).end(), 'response')) as [IncomingMessage]
  const hashing = new Transform({
    transform(chunk: Buffer, _encoding, done: TransformCallback) {
      digest.update(chunk)
      done(null, chunk)
    },
  })
  await pipeline(source, hashing, response)
}

const server = createServer((message, response) => void answer(message, response)).listen(0, '127.0.0.1', () => {
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: '' })
})
process.once('SIGTERM', () => process.exit())
