/** A service outside the engine that notes what it is told, in the order of arrival. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** One request: the path, when it had come, and the values that the node sent. */
export interface Entry {
  readonly path: string
  readonly atMs: number
  readonly values: Readonly<Record<string, unknown>>
}

/** Answers each POST of JSON with 204, `answerMs()` after it was noted. */
export class Ledger implements AsyncDisposable {
  readonly entries: Entry[] = []
  readonly #server: Server

  private constructor(answerMs: () => number) {
    this.#server = createServer((request, response) => {
      let body = ''
      request.setEncoding('utf8').on('data', (text: string) => (body += text))
      request.on('end', () => {
        this.entries.push({ path: request.url ?? '', atMs: Date.now(), values: JSON.parse(body) as Entry['values'] })
        setTimeout(() => response.writeHead(204).end(), answerMs())
      })
    })
  }

  static async open(answerMs: () => number): Promise<Ledger> {
    const ledger = new Ledger(answerMs)
    ledger.#server.listen(0, '127.0.0.1')
    await once(ledger.#server, 'listening')
    return ledger
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** What a path was told, one value each. */
  told(path: string): unknown[] {
    return this.entries.filter((entry) => entry.path === path).flatMap(({ values }) => Object.values(values))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }
}
