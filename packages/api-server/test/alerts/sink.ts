/** Somebody who is told of alerts: a server on 127.0.0.1. */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

import type { AlertMessage } from '@flow-service/protocol'
import { expect } from 'vitest'

/** A request that has come in whole. */
interface Seen {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: AlertMessage & Readonly<Record<string, unknown>>
}

type Answer = (response: ServerResponse, request: IncomingMessage) => void

/** Listens on a free port; takes every message unless it is told to answer something else. */
export async function openSink(answer: Answer = (response) => void response.end()) {
  const seen: Seen[] = []
  const how = { answer }
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk: Buffer) => (text += chunk.toString()))
    request.on('end', () => {
      seen.push({ path: request.url ?? '', headers: request.headers, body: JSON.parse(text) as Seen['body'] })
      how.answer(response, request)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    /** How it answers from now on. */
    answers: (next: Answer) => void (how.answer = next),
    /** Messages about an event, once there are so many. */
    async told(event: AlertMessage['event'], count = 1): Promise<AlertMessage[]> {
      const found = (): AlertMessage[] => seen.flatMap(({ body }) => (body.event === event ? [body] : []))
      await expect.poll(() => found().length).toBeGreaterThanOrEqual(count)
      return found()
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
