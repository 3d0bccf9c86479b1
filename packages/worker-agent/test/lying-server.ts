/**
 * A server of artifacts that does not do what it should: engines, stores, and what stands before them. Each request is
 * answered by the next step of its script, and as it should be when there is none left.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

import { onTestFinished } from 'vitest'

/** What an honest server would answer with. */
export interface Honest {
  readonly data: Buffer
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** First byte that was asked for. */
  readonly first: number
  /** Answers as it should; `cut` breaks the connection after so many bytes of the body. */
  serve(cut?: number): void
  /** Answers all bytes, whatever was asked for. */
  serveAll(): void
}

export type Step = (honest: Honest) => void

export interface LyingServer {
  readonly origin: string
  readonly requests: { method: string; path: string; headers: IncomingMessage['headers'] }[]
  /** Bytes of bodies that were sent. */
  readonly sent: () => number
}

/** Starts a server of these bytes that ends with the test. */
export async function lyingServer(data: Buffer, script: Step[] = []): Promise<LyingServer> {
  const requests: LyingServer['requests'] = []
  let sent = 0
  const server = createServer((request, response) => {
    const { method = '', url: path = '', headers } = request
    requests.push({ method, path, headers })
    const first = Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0)
    const write = (body: Buffer, cut = Number.POSITIVE_INFINITY): void => {
      sent += Math.min(body.length, cut)
      if (cut >= body.length) response.end(body)
      else if (cut === 0) request.socket.destroy()
      else response.write(body.subarray(0, cut), () => request.socket.destroy())
    }
    const serveAll = (cut?: number): void => {
      response.writeHead(200, { 'content-length': data.length, etag: '"v1"' })
      write(data, cut)
    }
    const step = script.shift() ?? ((honest: Honest) => honest.serve())
    step({
      data,
      request,
      response,
      first,
      serveAll,
      serve(cut) {
        if (headers.range === undefined) return serveAll(cut)
        const body = data.subarray(first)
        const range = `bytes ${first}-${data.length - 1}/${data.length}`
        response.writeHead(206, { 'content-length': body.length, 'content-range': range, etag: '"v1"' })
        write(body, cut)
      },
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests, sent: () => sent }
}

/** Answers a status with headers, and a body that is no artifact. */
export const answer =
  (status: number, headers: Record<string, string> = {}, body = ''): Step =>
  ({ response }) =>
    void response.writeHead(status, headers).end(body)

/** Sends the client elsewhere, as an engine that has a store does. */
export const redirect = (location: string): Step => answer(307, { location })

export const cut =
  (bytes: number): Step =>
  (honest) =>
    honest.serve(bytes)
