/**
 * Alerts: what fails in the engine, told by the channels that its operators have configured (wire decisions G50, U8). States
 * and invariants: DESIGN.md beside this file.
 * @module
 */
import type { Clock } from '@flow-service/core'
import { alertChannels, type AlertMessage, type AlertTestResult } from '@flow-service/protocol'

import { ProblemError } from '../http/errors.ts'
import type { Log } from '../process/log.ts'
import { type Alert, keyOf, messageOf, testMessage } from './alert.ts'
import type { Channels } from './channels.ts'
import type { Ledger } from './ledger.ts'
import type { Outbox } from './outbox.ts'
import type { AlertSettings } from './settings.ts'

/** What alerts are made of. */
export interface AlertsDeps {
  readonly settings: AlertSettings
  readonly ledger: Ledger
  readonly outbox: Outbox
  readonly channels: Pick<Channels, 'isConfigured'>
  readonly clock: Clock
  readonly log: Pick<Log, 'error'>
}

/** What is noticed twice before it is claimed is one claim. */
interface Noticed {
  alert: Alert
  count: number
}

/** How often digests of other engines are looked for, in milliseconds. */
const LOOK_MS = 60_000
/** Subjects that wait to be claimed. */
const MAX_NOTICED = 1_000

/** The alerts of an engine. */
export class Alerts {
  readonly #deps: AlertsDeps
  readonly #noticed = new Map<string, Noticed>()
  #claiming: Promise<void> | null = null
  #looking: Promise<void> = Promise.resolve()
  #cancelLook: () => void = () => {}
  #state: 'new' | 'open' | 'closed' = 'new'

  constructor(deps: AlertsDeps) {
    this.#deps = deps
  }

  /** Begins to tell of what was counted, by this engine and others. */
  open(): void {
    this.#state = 'open'
    this.#deps.settings.onChange(() => this.#look())
    this.#look()
  }

  /** Something has failed. Costs nobody any time, and never throws. */
  raise(alert: Alert): void {
    if (this.#state === 'closed' || !this.#deps.settings.watches(alert.event)) return
    const key = keyOf(alert)
    const known = this.#noticed.get(key)
    if (known === undefined && this.#noticed.size >= MAX_NOTICED) return
    this.#noticed.set(key, { alert, count: (known?.count ?? 0) + 1 })
    this.#claimNoticed()
  }

  /** Sends a message that tests a channel. Refuses with `not_found` and `channel_not_configured`. */
  async test(name: string): Promise<AlertTestResult> {
    const { channels, clock, outbox, settings } = this.#deps
    const channel = alertChannels.find((known) => known === name)
    if (channel === undefined)
      throw new ProblemError('not_found', `there is no channel "${name}"; the channels are ${alertChannels.join(', ')}`)
    const config = await settings.read()
    if (!channels.isConfigured(channel, config))
      throw new ProblemError(
        'channel_not_configured',
        `the channel "${channel}" does not know where to send: configure it by PUT /alerts/config first`,
      )
    return outbox.test(channel, testMessage(clock.now()), config)
  }

  /** Hears and tells of nothing any more. */
  async close(): Promise<void> {
    this.#state = 'closed'
    this.#cancelLook()
    await Promise.all([this.#claiming, this.#looking])
    await this.#deps.outbox.close()
  }

  #claimNoticed(): void {
    this.#claiming ??= this.#claim().finally(() => {
      this.#claiming = null
      if (this.#noticed.size > 0) this.#claimNoticed()
    })
  }

  async #claim(): Promise<void> {
    const { ledger, log, settings } = this.#deps
    for (const [key, { alert, count }] of this.#noticed) {
      this.#noticed.delete(key)
      try {
        const told = await ledger.claim(alert, count, settings.current.min_interval_s)
        if (told !== null) this.#send(messageOf(alert, told))
        // the interval may be over before the next look
        else if (this.#state === 'open') await this.#plan()
      } catch (error) {
        log.error({ err: error, event: alert.event }, 'an alert could not be sent')
      }
    }
  }

  #send(message: AlertMessage): void {
    const { outbox, settings } = this.#deps
    for (const channel of settings.channels) outbox.post(channel, message)
  }

  /** Tells of what has happened again in intervals that are over. */
  #look(): void {
    this.#cancelLook()
    this.#looking = this.#looking.then(async () => {
      const { ledger, log, settings } = this.#deps
      const { enabled, min_interval_s: intervalS } = settings.current
      try {
        const digests = enabled ? await ledger.digests(intervalS) : []
        for (const { latest, count } of digests)
          if (settings.watches(latest.event)) this.#send(messageOf(latest, count))
      } catch (error) {
        log.error({ err: error }, 'alerts that were counted could not be sent')
      }
      await this.#plan()
    })
  }

  /** Looks again when the next interval is over, or in a minute. */
  async #plan(): Promise<void> {
    const { clock, ledger, settings } = this.#deps
    const { enabled, min_interval_s: intervalS } = settings.current
    const nextMs = enabled ? await ledger.nextMs(intervalS) : null
    if (this.#state !== 'open') return
    const waitMs = Math.min(LOOK_MS, Math.max(0, (nextMs ?? Infinity) - clock.now()))
    this.#cancelLook()
    this.#cancelLook = clock.setTimer(waitMs, () => this.#look())
  }
}
