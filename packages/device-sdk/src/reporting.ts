/**
 * The report of what a device has: stored by the engine when the device is connected, and until then tried again. A newer one
 * takes the place of one that waits.
 * @module
 */
import { Backoff } from './backoff.ts'
import type { Clock } from './clock.ts'
import { DeviceError } from './device-error.ts'
import { type Answer, errorOf, type HttpApi, isRefused } from './http-api.ts'

/** Largest report that the engine takes, in bytes of JSON. */
const MAX_BYTES = 16_384

/** What reports need. */
export interface ReportingDeps {
  readonly api: HttpApi
  readonly credential: string
  readonly clock: Clock
  readonly random: (() => number) | undefined
}

interface Report {
  readonly body: string
  readonly settled: PromiseWithResolvers<void>
}

/** The reports of a device. */
export class Reporting {
  readonly #deps: ReportingDeps
  readonly #backoff: Backoff
  #waiting: Report | null = null
  /** Id of the device, while it is connected. */
  #device: string | null = null
  #isSending = false
  #cancel: () => void = () => {}
  #ended: DeviceError | null = null

  constructor(deps: ReportingDeps) {
    this.#deps = deps
    this.#backoff = new Backoff(deps.random)
  }

  /** Resolves when the engine has this report or a newer one. Rejects with a DeviceError; nobody has to wait for it. */
  report(report: object): Promise<void> {
    const body = JSON.stringify(report)
    const bytes = new TextEncoder().encode(body).length
    const settled = this.#waiting?.settled ?? Promise.withResolvers<void>()
    settled.promise.catch(() => {})
    if (this.#ended) settled.reject(this.#ended)
    else if (bytes > MAX_BYTES) {
      return Promise.reject(
        new DeviceError('payload_too_large', `the report has ${bytes} bytes, at most ${MAX_BYTES} fit`),
      )
    } else {
      this.#waiting = { body, settled }
      void this.#send()
    }
    return settled.promise
  }

  /** The device is connected. */
  open(device: string): void {
    this.#device = device
    this.#cancel()
    void this.#send()
  }

  /** The connection has ended. */
  close(): void {
    this.#device = null
    this.#cancel()
  }

  /** Gives up what waits. */
  end(error: DeviceError): void {
    this.close()
    this.#ended = error
    this.#waiting?.settled.reject(error)
    this.#waiting = null
  }

  async #send(): Promise<void> {
    while (this.#waiting !== null && this.#device !== null && !this.#isSending) {
      const report = this.#waiting
      const path = `/devices/${encodeURIComponent(this.#device)}/report`
      this.#isSending = true
      const { api, credential } = this.#deps
      const answer = await api.ask({ method: 'PUT', path, token: credential, body: report.body })
      this.#isSending = false
      if (answer === null || !this.#isSettled(report, answer)) {
        this.#retry(answer)
        return
      }
    }
  }

  #isSettled(report: Report, answer: Answer): boolean {
    const isStored = answer.status < 300
    if (!isStored && !isRefused(answer)) return false
    this.#backoff.reset()
    // else a newer one waits, and settles the promise of both
    if (this.#waiting?.body === report.body) {
      this.#waiting = null
      if (isStored) report.settled.resolve()
      else report.settled.reject(errorOf(answer))
    }
    return true
  }

  #retry(answer: Answer | null): void {
    if (this.#device === null) return
    const pauseMs = Math.max(this.#backoff.next(), answer?.retryAfterMs ?? 0)
    this.#cancel()
    this.#cancel = this.#deps.clock.setTimer(pauseMs, () => void this.#send())
  }
}
