/** HTTP servers on 127.0.0.1 that tests answer from. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request that has come in whole. */
export interface Seen {
  readonly method: string
  readonly path: string
  readonly query: Record<string, string>
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** The servers of one test file; `close` after each test. */
export class Servers {
  readonly #open: Server[] = []

  async serve(answer: (seen: Seen, response: ServerResponse) => void): Promise<{ url: string; seen: Seen[] }> {
    const seen: Seen[] = []
    const server = createServer((request, response) => {
      const url = new URL(request.url ?? '', 'http://127.0.0.1')
      let body = ''
      request.on('data', (chunk: Buffer) => (body += chunk.toString()))
      request.on('end', () => {
        const item = {
          method: request.method ?? '',
          path: url.pathname,
          query: Object.fromEntries(url.searchParams),
          headers: request.headers,
          body,
        }
        seen.push(item)
        answer(item, response)
      })
    })
    this.#open.push(server)
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen }
  }

  /** How many connections are open. */
  async connections(): Promise<number> {
    const counts = this.#open.map(
      (server) => new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count))),
    )
    return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0)
  }

  close(): void {
    for (const server of this.#open.splice(0)) {
      server.closeAllConnections()
      server.close()
    }
  }
}
