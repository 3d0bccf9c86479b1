/**
 * One request that a node answers, from the moment at which it is handed over (wire decision U12).
 * - node-exchange.X1 the node gets nothing that its sender has signed in with, and cannot take the headers away that protect
 *   pages.
 * - node-exchange.X2 an answer begins within 30 s, and a body has come by then; after that an answer may go on for as long as
 *   its reader and the node are there.
 * - node-exchange.X3 what the node throws is told to its flow alone; what was cut off from outside is nobody's failure.
 * @module
 */
import type { IncomingMessage } from 'node:http'

import type { NodeRoutes } from '@flow-service/core'
import { MAX_HOOK_BYTES } from '@flow-service/protocol'
import type { Request, Response } from 'express'

import { bodyIsLate } from '../http/anonymous-bodies.ts'
import { type BodyPatience, drain } from '../http/body.ts'
import { boundBody } from '../http/bounded-body.ts'
import { nothingAt, ProblemError, sendProblem } from '../http/errors.ts'
import { ResponseGuard } from '../http/response-guard.ts'
import type { RoutedPath } from './routed-nodes.ts'

/** How long a node may take to begin its answer, and a body to come. */
const WITHIN_MS = 30_000

const credentials: ReadonlySet<string> = new Set(['authorization', 'cookie', 'proxy-authorization', 'x-service-portal'])

/** Runs once after a time; the result cancels. */
export type SetTimer = (delayMs: number, run: () => void) => () => void

/** What is handed over, and to whom. */
export interface Exchange {
  readonly request: Request
  readonly response: Response
  readonly routes: NodeRoutes
  readonly path: RoutedPath
  /** Of a request without sign-in. */
  readonly patience?: BodyPatience
  readonly setTimer: SetTimer
}

/** Hands a request over to its node. */
export function handOver(exchange: Exchange): void {
  new NodeExchange(exchange).begin()
}

class NodeExchange {
  readonly #exchange: Exchange
  readonly #guard: ResponseGuard
  #cancelTimer: () => void = () => undefined
  #bodyDone: () => void = () => undefined
  /** The sender or the engine has ended it: what the node does is of no interest any more. */
  #isCut = false

  constructor(exchange: Exchange) {
    this.#exchange = exchange
    this.#guard = new ResponseGuard(exchange.response)
  }

  begin(): void {
    const { request, response, routes, path, patience, setTimer } = this.#exchange
    const { handler, ended } = routes
    response.once('finish', () => drain(request))
    response.once('close', this.#closed)
    ended.addEventListener('abort', this.#stopped)
    this.#cancelTimer = setTimer(WITHIN_MS, this.#late)
    const maxBytes = MAX_HOOK_BYTES
    this.#bodyDone = boundBody(request, { maxBytes, patience, refuse: (problem) => this.#end(problem) })
    if (ended.aborted) this.#stopped()
    // its sender may have left while it was asked who it is
    if (this.#isCut || response.destroyed) return this.#over()
    withoutCredentials(request)
    request.baseUrl += path.base
    request.url = path.rest
    void (async () => handler(request, response, this.#next))().catch(this.#failed)
  }

  readonly #next = (error?: unknown): void => {
    // the words of Express for the end of a router
    if (error === undefined || error === null || error === 'route' || error === 'router')
      this.#end(nothingAt(this.#exchange.request))
    else this.#failed(error)
  }

  readonly #failed = (error: unknown): void => {
    if (this.#isCut) return
    const { routes } = this.#exchange
    routes.failed(error)
    this.#end(new ProblemError('unavailable', `the node "${routes.node}" failed to answer; its flow shows why`))
  }

  readonly #late = (): void => {
    const { request, response, routes } = this.#exchange
    if (!request.complete) this.#end(bodyIsLate())
    else if (!response.headersSent)
      this.#end(
        new ProblemError(
          'unavailable',
          `the node "${routes.node}" did not answer within ${WITHIN_MS / 1000} s: ask again`,
        ),
      )
  }

  readonly #stopped = (): void => {
    const detail = `the node "${this.#exchange.routes.node}" stops before it has answered: ask again`
    this.#end(new ProblemError('unavailable', detail, { retry_after_s: 1 }))
  }

  readonly #closed = (): void => {
    if (!this.#exchange.response.writableFinished) this.#isCut = true
    this.#over()
  }

  /** Answers in place of the node; an answer that has begun is cut. */
  #end(problem: ProblemError): void {
    const { request, response } = this.#exchange
    if (this.#isCut || response.writableEnded) return
    this.#isCut = true
    this.#over()
    this.#guard.end(() => {
      if (response.headersSent) response.destroy()
      else sendProblem(request, response, problem)
    })
  }

  #over(): void {
    this.#cancelTimer()
    this.#bodyDone()
    this.#exchange.routes.ended.removeEventListener('abort', this.#stopped)
  }
}

/** Takes them away in each form in which a request has its headers (node-exchange.X1). */
function withoutCredentials(request: IncomingMessage): void {
  // the first look at either of these two makes it of the raw ones, by how many these were
  const { headers, headersDistinct, rawHeaders } = request
  request.rawHeaders = rawHeaders.filter((_, at) => !credentials.has((rawHeaders[at - (at % 2)] ?? '').toLowerCase()))
  for (const name of credentials) {
    Reflect.deleteProperty(headers, name)
    Reflect.deleteProperty(headersDistinct, name)
  }
}
