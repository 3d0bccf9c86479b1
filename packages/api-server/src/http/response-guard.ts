/**
 * The response of a request that code of others answers. The headers that protect pages stay as the API has set them; and once
 * the engine has answered in place of that code, nothing that it does to the response has an effect, or throws: it may do so
 * from a timer, where nobody would catch it.
 * @module
 */
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'

const kept: ReadonlySet<string> = new Set([
  'content-security-policy',
  'cross-origin-resource-policy',
  'referrer-policy',
  'x-content-type-options',
  'x-frame-options',
])
const isKept = (name: string): boolean => kept.has(name.toLowerCase())

type Part = 'setHeader' | 'appendHeader' | 'removeHeader'
type Lasting = 'setHeaders' | 'writeHead' | 'flushHeaders' | 'write' | 'end'

/** Guards one response from its beginning on. */
export class ResponseGuard {
  readonly #response: ServerResponse
  /** As the API has set them. */
  readonly #headers: OutgoingHttpHeaders

  constructor(response: ServerResponse) {
    this.#response = response
    this.#headers = response.getHeaders()
    const [set, append] = [response.setHeader.bind(response), response.appendHeader.bind(response)]
    const remove = response.removeHeader.bind(response)
    const parts: Pick<ServerResponse, Part> = {
      setHeader: (name, value) => (isKept(name) ? response : set(name, value)),
      appendHeader: (name, value) => (isKept(name) ? response : append(name, value)),
      removeHeader(name) {
        if (!isKept(name)) remove(name)
      },
    }
    Object.assign(response, parts)
    // a write after the end is an event that would end the process
    response.on('error', () => undefined)
  }

  /** Answers by `answer`, and takes the response away from whoever has it. */
  end(answer: () => void): void {
    const response = this.#response
    for (const part of ['setHeader', 'appendHeader', 'removeHeader']) Reflect.deleteProperty(response, part)
    if (!response.headersSent) this.#reset()
    answer()
    const nothing = (...given: unknown[]): ServerResponse => {
      const done = given.at(-1)
      if (typeof done === 'function') process.nextTick(done)
      return response
    }
    const parts: Record<Part | Lasting, unknown> = {
      setHeader: nothing,
      appendHeader: nothing,
      removeHeader: nothing,
      setHeaders: nothing,
      writeHead: nothing,
      flushHeaders: nothing,
      write: (...given: unknown[]) => {
        nothing(...given)
        return true
      },
      end: nothing,
    }
    Object.assign(response, parts)
  }

  /** Takes away what was prepared for another answer. */
  #reset(): void {
    const response = this.#response
    response.statusMessage = ''
    for (const name of response.getHeaderNames()) response.removeHeader(name)
    for (const [name, value] of Object.entries(this.#headers)) if (value !== undefined) response.setHeader(name, value)
  }
}
