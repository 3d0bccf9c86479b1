/**
 * Requests to the dashboard of a Ray cluster.
 *
 * - ray.Y1 they go to the address of the settings alone: no redirect is followed, for each of them has a credential.
 * - ray.Y2 an answer has its time and its share of memory, whatever the other side does.
 * @module
 */
import type { Clock } from '@flow-service/core'

import type { OutgoingFetch } from '../egress/outgoing-fetch.ts'
import { GIVEN_UP, SchedulerError } from './scheduler.ts'
import { lastWords } from './shell-words.ts'

/** Ray itself waits for the parts of its head. */
const TIMEOUT_MS = 30_000
/** All jobs of the cluster since its head began; one that has failed has up to 20,000 characters of its log. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024

/** Who is asked, and how. */
export interface RayDashboardDeps {
  /** As the settings have it, with or without a slash at its end. */
  readonly address: string
  /** Its bearer token; null for none. */
  readonly token: string | null
  readonly fetch: OutgoingFetch['fetch']
  readonly clock: Clock
}

/** The dashboard of a cluster. */
export class RayDashboard {
  readonly #deps: RayDashboardDeps

  constructor(deps: RayDashboardDeps) {
    this.#deps = deps
  }

  /** Sends a request; its answer, of JSON. Rejects with a {@link SchedulerError}. */
  async request(method: 'GET' | 'POST' | 'DELETE', path: string, signal: AbortSignal, body?: object): Promise<unknown> {
    const { address, clock } = this.#deps
    if (signal.aborted) throw new SchedulerError('unsent', GIVEN_UP)
    const cut = new AbortController()
    const stop = (): void => cut.abort(new SchedulerError('unknown', GIVEN_UP))
    signal.addEventListener('abort', stop)
    const tooLate = new SchedulerError('unknown', `${address} did not answer within ${TIMEOUT_MS / 1000} s`)
    const late = clock.setTimer(TIMEOUT_MS, () => cut.abort(tooLate))
    try {
      return await this.#answer(method, path, cut.signal, body)
    } catch (error) {
      if (cut.signal.aborted) throw cut.signal.reason
      if (error instanceof SchedulerError) throw error
      throw new SchedulerError('unknown', `${address} could not be reached: ${causeOf(error)}`)
    } finally {
      late()
      signal.removeEventListener('abort', stop)
    }
  }

  async #answer(method: string, path: string, signal: AbortSignal, body?: object): Promise<unknown> {
    const { address, token, fetch } = this.#deps
    const headers = {
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    }
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const url = `${address.replace(/\/$/, '')}${path}`
    const response = await fetch(url, { method, headers, signal, redirect: 'manual', ...sent })
    const text = await this.#textOf(response)
    if (!response.ok) throw this.#refusal(response, text)
    try {
      return JSON.parse(text) as unknown
    } catch {
      throw this.strange()
    }
  }

  /** The other side is no dashboard, or one that nobody has thought of. */
  strange(): SchedulerError {
    return new SchedulerError(
      'unknown',
      `${this.#deps.address} does not answer as Ray does: give the address of its dashboard`,
    )
  }

  async #textOf(response: Response): Promise<string> {
    const chunks: Uint8Array[] = []
    let size = 0
    for await (const chunk of response.body ?? []) {
      size += chunk.length
      if (size > MAX_ANSWER_BYTES)
        throw new SchedulerError('unknown', `${this.#deps.address} answers more than can be read`)
      chunks.push(chunk)
    }
    return Buffer.concat(chunks).toString()
  }

  #refusal({ status, statusText }: Response, text: string): SchedulerError {
    const said = [`${this.#deps.address} answered ${status} ${lastWords(statusText)}`.trim(), lastWords(text)].filter(
      Boolean,
    )
    const advice = status < 400 ? '; redirects are not followed' : isSignIn(status) ? `; ${this.#signIn()}` : ''
    return new SchedulerError(status < 500 ? 'refused' : 'unknown', said.join(': ') + advice)
  }

  #signIn(): string {
    return this.#deps.token === null
      ? 'let token_env name a variable with its bearer token'
      : 'the variable that token_env names has another token'
  }
}

const isSignIn = (status: number): boolean => status === 401 || status === 403

function causeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return cause instanceof Error ? cause.message : 'it failed'
}
