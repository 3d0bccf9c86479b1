/**
 * The HTTP server of a service that listens by itself. A client that does not get on with what it has begun is answered
 * 408 and cut off, so that no connection is held for ever. A connection between two requests is kept for longer than load
 * balancers and clients keep it, a minute: one that the server ends first may be just what the next request is sent on.
 * @module
 */
import type { RequestListener, Server } from 'node:http'

import { createServer } from './node-http.ts'

/** How long clients may take, in milliseconds. */
export interface ClientTime {
  /** For the head of a request. */
  readonly headMs: number
  /** For a whole request: the largest artifact over a slow line takes its time. */
  readonly requestMs: number
  /** How often that is looked at. */
  readonly checkMs: number
}

const IDLE_MS = 65_000
const usual: ClientTime = { headMs: 20_000, requestMs: 3_600_000, checkMs: 5_000 }

/** A server that does not listen yet. */
export const openServer = (app: RequestListener, { headMs, requestMs, checkMs }: ClientTime = usual): Server =>
  createServer(
    {
      headersTimeout: headMs,
      requestTimeout: requestMs,
      connectionsCheckingInterval: checkMs,
      keepAliveTimeout: IDLE_MS,
    },
    app,
  )
