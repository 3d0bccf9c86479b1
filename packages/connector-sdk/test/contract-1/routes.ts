import type { IncomingMessage, ServerResponse } from 'node:http'
interface Answering {
  answer(request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void): unknown
}
export type RouteHandler = Answering['answer']
export interface RouteOptions {
  readonly open?: readonly string[]
}
