/**
 * HTTP routes that a node has of its own (wire decisions U10, U12).
 * @module
 */
import type { IncomingMessage, ServerResponse } from 'node:http'

interface Answering {
  answer(request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void): unknown
}

/**
 * Answers requests: a router of Express 5, or any function like it. The engine gives it the request and response of Express.
 * `request.url` begins below the node, and what the sender has signed in with is taken away; the body is unread.
 */
// the type of a method takes handlers that ask for more of a request, such as those of Express
export type RouteHandler = Answering['answer']

/** Who may ask. */
export interface RouteOptions {
  /**
   * Paths below the node that take no sign-in, such as `/picture`. One that ends in `/` stands for all that begins with it.
   */
  readonly open?: readonly string[]
}
