/**
 * An HTTP server that passes requests on to another one, or lies: what an S3-compatible store does when it is busy, broken or
 * far away. It counts what passes.
 * @module
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** What a request gets in place of its answer. */
export type Lie =
  /** An answer that the other server has not given. */
  | { readonly status: number; readonly body?: string }
  /** The connection breaks behind so many bytes of the answer. */
  | { readonly cutAfter: number }
  /** A bit of this byte of the answer is another one. */
  | { readonly flipAt: number }
  /** Nothing, for ever. */
  | 'silence'

/** A request that has come. */
export interface Asked {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  /** Bytes of its body, and of its answer, that have passed until now. */
  up: number
  down: number
}

/** A proxy before one server of this machine. */
export class LyingProxy implements AsyncDisposable {
  readonly asked: Asked[] = []
  /** Decides about each request; null passes it on. */
  lie: (asked: Asked) => Lie | null = () => null
  /** How many bodies of PUT requests were passed on at the same time at most. */
  uploadsAtOnce = 0
  #uploads = 0
  readonly #server = createServer((message, answer) => void this.#serve(message, answer).catch(() => answer.destroy()))
  readonly #target: number

  constructor(target: number) {
    this.#target = target
  }

  static async before(target: number): Promise<LyingProxy> {
    const proxy = new LyingProxy(target)
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #serve(message: IncomingMessage, answer: ServerResponse): Promise<void> {
    const { method = '', url: path = '', headers } = message
    const asked: Asked = { method, path, headers, up: 0, down: 0 }
    this.asked.push(asked)
    const lie = this.lie(asked)
    if (lie === 'silence') return
    if (lie && 'status' in lie) {
      message.resume()
      await once(message, 'end')
      answer.writeHead(lie.status, { 'content-type': 'application/xml' }).end(method === 'HEAD' ? undefined : lie.body)
      return
    }
    const passed = request({ port: this.#target, host: '127.0.0.1', method, path, headers })
    const isUpload = method === 'PUT'
    if (isUpload) this.uploadsAtOnce = Math.max(this.uploadsAtOnce, (this.#uploads += 1))
    const [[told]] = await Promise.all([
      once(passed, 'response') as Promise<[IncomingMessage]>,
      pipeline(
        message,
        counted((bytes) => (asked.up += bytes)),
        passed,
      ),
    ]).finally(() => (this.#uploads -= isUpload ? 1 : 0))
    answer.writeHead(told.statusCode ?? 500, told.headers)
    await pipeline(told, this.#changed(asked, lie, answer), answer)
  }

  #changed(asked: Asked, lie: Lie | null, answer: ServerResponse): Transform {
    return counted((bytes, chunk) => {
      const start = asked.down
      asked.down += bytes
      if (lie === null || typeof lie === 'string') return
      if ('cutAfter' in lie && asked.down >= lie.cutAfter) answer.destroy()
      if ('flipAt' in lie && lie.flipAt >= start && lie.flipAt < asked.down) {
        const at = lie.flipAt - start
        chunk[at] = (chunk[at] ?? 0) ^ 4
      }
    })
  }
}

const counted = (see: (bytes: number, chunk: Uint8Array) => void): Transform & Readable =>
  new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      see(chunk.length, chunk)
      done(null, chunk)
    },
  })
