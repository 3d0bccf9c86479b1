/** A chat API on this machine that answers what a test says. */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request that it got. */
export interface Asked {
  readonly path: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: {
    readonly model: string
    readonly temperature: number
    readonly response_format: unknown
    readonly messages: readonly { readonly role: string; readonly content: string }[]
  }
}

/** Answers a request by hand. */
type ByHand = (response: ServerResponse) => void

/** A chat API; what it is told last it answers. */
export async function openChatServer() {
  const asked: Asked[] = []
  let answer: ByHand = (response) => response.writeHead(503).end()
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const { url: path, headers } = request
      asked.push({ path, headers, body: JSON.parse(Buffer.concat(parts).toString()) as Asked['body'] })
      answer(response)
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const sends = (status: number, body: unknown, headers: Record<string, string> = {}): void => {
    answer = (response) =>
      response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(typeof body === 'string' ? body : JSON.stringify(body))
  }
  return {
    origin: `http://127.0.0.1:${port}`,
    url: `http://127.0.0.1:${port}/v1`,
    asked,
    /** Answers this status and body from now on. */
    sends,
    /** Answers by hand from now on. */
    does(next: ByHand): void {
      answer = next
    },
    /** The model says this from now on. */
    says(content: unknown, choice: object = {}): void {
      const text = typeof content === 'string' ? content : JSON.stringify(content)
      sends(200, { choices: [{ finish_reason: 'stop', message: { role: 'assistant', content: text }, ...choice }] })
    },
    async [Symbol.asyncDispose](): Promise<void> {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
