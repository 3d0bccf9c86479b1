/**
 * Messages on their way to channels.
 *
 * - outbox.O1 nobody waits for a message: at most {@link MAX_SENDING} are sent at once, {@link MAX_WAITING} wait, and those
 *   beyond are dropped and counted.
 * - outbox.O2 a channel has {@link ATTEMPT_MS} for a message, whether it heeds the signal or not, and three attempts within a
 *   minute. What becomes of it is an event of kind `alert`, and never an alert.
 * - outbox.O3 nothing that is told of a failure holds the value of a secret.
 * @module
 */
import type { Clock } from '@flow-service/core'
import type { AlertChannel, AlertConfig, AlertMessage, AlertTestResult } from '@flow-service/protocol'

import type { EventLog } from '../events/event-log.ts'
import type { Redactor } from '../secrets/redactor.ts'
import type { Channels } from './channels.ts'

const MAX_SENDING = 4
const MAX_WAITING = 200
const ATTEMPT_MS = 10_000
/** Before the second and the third attempt. */
const PAUSES_MS = [8_000, 20_000]

/** What an outbox is made of. */
export interface OutboxDeps {
  readonly channels: Channels
  /** As it is when a message is sent. */
  readonly config: () => AlertConfig
  readonly clock: Clock
  readonly eventLog: Pick<EventLog, 'report'>
  readonly redactor: Pick<Redactor, 'mask'>
}

/** A message for a channel. */
interface Letter {
  readonly channel: AlertChannel
  readonly message: AlertMessage
}

/** The messages of an engine. */
export class Outbox {
  readonly #deps: OutboxDeps
  readonly #waiting: Letter[] = []
  readonly #sending = new Set<Promise<void>>()
  readonly #ending = new AbortController()
  #dropped = 0

  constructor(deps: OutboxDeps) {
    this.#deps = deps
  }

  /** Sends a message soon (outbox.O1). */
  post(channel: AlertChannel, message: AlertMessage): void {
    if (this.#ending.signal.aborted) return
    if (this.#waiting.length >= MAX_WAITING) this.#dropped += 1
    else this.#waiting.push({ channel, message: this.#deps.redactor.mask(message) })
    this.#next()
  }

  /** Sends a message once, and tells what became of it. */
  async test(channel: AlertChannel, message: AlertMessage, config: AlertConfig): Promise<AlertTestResult> {
    const detail = await this.#attempt({ channel, message }, config)
    return { channel, ok: detail === null, detail }
  }

  /** Ends what is under way: what was not sent by then has failed. */
  async close(): Promise<void> {
    this.#ending.abort(new Error('the engine stopped'))
    await Promise.all(this.#sending)
    for (const letter of this.#waiting.splice(0)) this.#failed(letter, 'the engine stopped', 0)
    this.#tellDropped()
  }

  #next(): void {
    while (this.#sending.size < MAX_SENDING && !this.#ending.signal.aborted) {
      const letter = this.#waiting.shift()
      if (letter === undefined) return this.#tellDropped()
      const sending = this.#send(letter).finally(() => {
        this.#sending.delete(sending)
        this.#next()
      })
      this.#sending.add(sending)
    }
  }

  async #send(letter: Letter): Promise<void> {
    let error: string | null = null
    let attempts = 0
    for (const pauseMs of [0, ...PAUSES_MS]) {
      if (!(await this.#pause(pauseMs))) break
      attempts += 1
      error = await this.#attempt(letter, this.#deps.config())
      if (error === null) return this.#tell(letter, 'info', 'alert.sent', { attempts })
    }
    this.#failed(letter, error ?? 'the engine stopped', attempts)
  }

  /** Why it could not be sent; null when it was. Never rejects. */
  async #attempt({ channel, message }: Letter, config: AlertConfig): Promise<string | null> {
    const { channels, redactor } = this.#deps
    const attempt = new AbortController()
    const cut = Promise.withResolvers<never>()
    const end = (reason: Error): void => {
      attempt.abort(reason)
      cut.reject(reason)
    }
    const stop = (): void => end(this.#ending.signal.reason as Error)
    const timer = setTimeout(() => end(new Error(`it took more than ${ATTEMPT_MS / 1000} s`)), ATTEMPT_MS)
    this.#ending.signal.addEventListener('abort', stop)
    try {
      await Promise.race([channels.send(channel, message, config, attempt.signal), cut.promise])
      return null
    } catch (error) {
      return redactor.mask(error instanceof Error ? error.message : String(error))
    } finally {
      clearTimeout(timer)
      this.#ending.signal.removeEventListener('abort', stop)
    }
  }

  /** False when the outbox is closed meanwhile. */
  #pause(ms: number): Promise<boolean> {
    const { signal } = this.#ending
    if (ms === 0 || signal.aborted) return Promise.resolve(!signal.aborted)
    return new Promise((resolve) => {
      const stop = (): void => {
        cancel()
        resolve(false)
      }
      const cancel = this.#deps.clock.setTimer(ms, () => {
        signal.removeEventListener('abort', stop)
        resolve(true)
      })
      signal.addEventListener('abort', stop)
    })
  }

  #failed(letter: Letter, error: string, attempts: number): void {
    this.#tell(letter, 'error', 'alert.failed', { error, attempts })
  }

  #tell({ channel, message }: Letter, level: 'info' | 'error', action: string, more: Record<string, unknown>): void {
    const { event, title, flow, node, run, count } = message
    const detail = { channel, event, title, run, count, ...more }
    this.#deps.eventLog.report({ kind: 'alert', level, action, flow, node, detail })
  }

  #tellDropped(): void {
    if (this.#dropped === 0) return
    const detail = { dropped: this.#dropped }
    this.#dropped = 0
    this.#deps.eventLog.report({ kind: 'alert', level: 'error', action: 'alert.dropped', detail })
  }
}
