/**
 * Where the authorization server is reached, and what a request to it says.
 * @module
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'

/** Addresses as clients know them. */
export interface Place {
  /** The service without a slash at its end: `https://flows.example` or `https://host.example/flows`. */
  readonly issuer: string
  /** What tokens are for: `{base_url}/mcp`. */
  readonly resource: string
}

/** A request whose body is there. */
export interface AuthorizationRequest extends Place {
  readonly method: string
  /** Path and query below the issuer. */
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  /** Of the client. */
  readonly address: string
}

/** The request as Node.js would have it, at the address of the issuer, whatever proxies stand before it. */
export function incomingOf({ issuer, method, url, headers, body }: AuthorizationRequest): IncomingMessage {
  const { host, pathname, protocol } = new URL(issuer)
  const { 'content-encoding': _encoding, 'transfer-encoding': _transfer, ...rest } = headers
  const length = body.length === 0 ? {} : { 'content-length': String(body.length) }
  const { 'content-length': _length, ...others } = rest
  const request = Object.assign(Readable.from(body.length === 0 ? [] : [body], { objectMode: false }), {
    method,
    url,
    originalUrl: `${pathname.replace(/\/$/, '')}${url}`,
    headers: { ...others, ...length, host },
    socket: { encrypted: protocol === 'https:' },
  })
  // what the library reads of a request, and nothing else
  return request as unknown as IncomingMessage
}
