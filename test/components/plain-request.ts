/**
 * One HTTP request without the headers that `fetch` adds: some servers take it for a browser by them, and refuse it.
 * @module
 */
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'

/** What has come back. */
export interface PlainAnswer {
  readonly status: number
  readonly text: string
}

/** Sends a body of JSON, if there is one, with a bearer token, if there is one. */
export async function plainRequest(
  method: string,
  url: string,
  { token, body }: { readonly token?: string; readonly body?: string } = {},
): Promise<PlainAnswer> {
  const headers = {
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
  }
  const sent = request(url, { method, headers, agent: false })
  sent.end(body)
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  return { status: answer.statusCode ?? 0, text: await text(answer) }
}
