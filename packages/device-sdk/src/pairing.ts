/**
 * Pairing: a board shows a code, a person adopts it, and the board gets the credential that it connects with from then on
 * (wire decisions G43, U15).
 *
 * - pairing.P1 a secret leaves the board as the bearer token of its polls alone, and is shown to nobody.
 * - pairing.P2 an answer that was lost is polled again: the engine keeps the credential until it is first used.
 * - pairing.P3 a request that the engine no longer knows is followed by another one, with another code to show.
 * @module
 */
import type { PairingStarted } from '@flow-service/protocol'

import { Backoff } from './backoff.ts'
import { baseUrl } from './base-url.ts'
import { type Clock, pause, systemClock } from './clock.ts'
import { type Answer, errorOf, HttpApi, isRefused } from './http-api.ts'

const FIRST_POLL_MS = 2000
const LONGEST_POLL_MS = 5000
const POLL_GROWTH = 1.2

/** How to pair. */
export interface PairOptions {
  /** Where the engine answers, such as `http://hub:8000`; a path is taken for that of the API. */
  readonly url: string
  /** What people see before they adopt the board, 200 characters each at most. */
  readonly name?: string
  readonly board?: string
  readonly firmware?: string
  /** Shows the code, and beside it the check, by which a person tells this board from another. Called again with another code
   * when nobody has adopted the board for ten minutes. */
  readonly onCode: (code: string, check: string) => void
  /** Gives up. */
  readonly signal?: AbortSignal
  readonly fetch?: typeof fetch
  readonly clock?: Clock
  /** Numbers in [0, 1), for the pauses between attempts. */
  readonly random?: () => number
}

/** A board that was adopted: what `connect` needs, to be kept where others cannot read it. */
export interface PairedDevice {
  readonly url: string
  /** Of the device. */
  readonly id: string
  readonly name: string
  readonly credential: string
}

/**
 * Asks to be adopted, for as long as it takes: an engine that is away is waited for. Rejects with a `DeviceError` when the
 * engine refuses, and with the reason of `signal`.
 */
export async function pair(options: PairOptions): Promise<PairedDevice> {
  const effort = new PairingEffort(options)
  for (;;) {
    const request = await effort.start()
    options.onCode(request.code, request.check)
    const adopted = await effort.poll(request)
    if (adopted !== null) return adopted
    await effort.pause()
  }
}

type Request = Pick<PairingStarted, 'code' | 'secret' | 'check'>

class PairingEffort {
  readonly #options: PairOptions
  readonly #base: string
  readonly #clock: Clock
  readonly #backoff: Backoff
  readonly #api: HttpApi

  constructor(options: PairOptions) {
    this.#options = options
    this.#base = baseUrl(options.url)
    this.#clock = options.clock ?? systemClock
    this.#backoff = new Backoff(options.random)
    this.#api = new HttpApi({ base: this.#base, fetch: options.fetch ?? fetch, clock: this.#clock })
  }

  async start(): Promise<Request> {
    const { name, board, firmware } = this.#options
    const body = JSON.stringify({ name, board, firmware })
    for (;;) {
      const answer = await this.#api.ask({ method: 'POST', path: '/devices/pair', body, ...this.#signal })
      const request = requestOf(answer)
      if (request !== null) return request
      if (answer !== null && isRefused(answer)) throw errorOf(answer)
      await this.pause(answer)
    }
  }

  /** Null when the engine no longer knows the request (pairing.P3). */
  async poll({ code, secret }: Request): Promise<PairedDevice | null> {
    const path = `/devices/pair/${encodeURIComponent(code)}`
    for (let pollMs = FIRST_POLL_MS, waitMs = pollMs; ;) {
      await pause(this.#clock, waitMs, this.#options.signal)
      const answer = await this.#api.ask({ method: 'GET', path, token: secret, ...this.#signal })
      if (answer?.status === 404) return null
      if (answer !== null && isRefused(answer)) throw errorOf(answer)
      const adopted = this.#adopted(answer)
      if (adopted !== null) return adopted
      const isAnswered = answer?.status === 200 && isObject(answer.value)
      if (isAnswered) this.#backoff.reset()
      pollMs = Math.min(pollMs * POLL_GROWTH, LONGEST_POLL_MS)
      waitMs = isAnswered ? pollMs : this.#pauseAfter(answer)
    }
  }

  async pause(answer: Answer | null = null): Promise<void> {
    await pause(this.#clock, this.#pauseAfter(answer), this.#options.signal)
  }

  #pauseAfter(answer: Answer | null): number {
    return Math.max(this.#backoff.next(), answer?.retryAfterMs ?? 0)
  }

  get #signal(): { signal?: AbortSignal } {
    const { signal } = this.#options
    return signal ? { signal } : {}
  }

  #adopted(answer: Answer | null): PairedDevice | null {
    const { device } = isObject(answer?.value) ? answer.value : {}
    if (!isObject(device)) return null
    const { id, name, credential } = device
    if (typeof id !== 'string' || typeof credential !== 'string') return null
    return { url: this.#base, id, name: typeof name === 'string' ? name : id, credential }
  }
}

function requestOf(answer: Answer | null): Request | null {
  const { code, secret, check } = isObject(answer?.value) ? answer.value : {}
  if (typeof code !== 'string' || typeof secret !== 'string' || typeof check !== 'string') return null
  return { code, secret, check }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
