/**
 * Tracked runs: another program executes them, and tells how they go (wire decision V27). Routes begin them and hand in what
 * is told; `runs.ts` opens and closes this with the queue. DESIGN.md has the invariants.
 * @module
 */
import { createHash } from 'node:crypto'

import type { Host } from '@flow-service/core'
import {
  type ProblemItem,
  type Run,
  type RunSummary,
  type RunTrack,
  type RunTrackAppend,
  type RunTracked,
  timestampOf,
  timestampOfMs,
} from '@flow-service/protocol'

import type { Timestamps } from '../../db/timestamps.ts'
import { isUniqueViolation } from '../../db/transaction.ts'
import { invalid, ProblemError } from '../../http/errors.ts'
import type { Log } from '../../process/log.ts'
import { newId } from '../../process/new-id.ts'
import { usOf } from '../imported-run.ts'
import { factsOf, maskedInputs } from '../run-facts.ts'
import { summaryOf } from '../run-record.ts'
import { TIME_ATTEMPTS } from '../submit.ts'
import { Appends, type AppendsDeps } from './appends.ts'
import { inputsOf } from './change.ts'
import type { NewTrackedRun, TrackStore } from './track-store.ts'

/** Seconds for which a run is `running` without a word of its program. */
export const TRACK_LEASE_S = 60
const SWEEP_MS = 5000
/** How far a beginning may lie ahead: the clock of a program may be wrong. */
const MOST_AHEAD_US = 86_400e6
/** From this year on microseconds are whole numbers. */
const FIRST_YEAR = 1970

/** Dependencies of the tracked runs. */
export interface TrackedRunsDeps extends Omit<AppendsDeps, 'store'> {
  readonly store: TrackStore
  readonly timestamps: Timestamps
  readonly host: Pick<Host, 'clock' | 'secrets'>
  readonly log: Pick<Log, 'error'>
  /** The run of an id. */
  readonly read: (id: string) => Promise<Run>
}

type UntimedRun = Omit<NewTrackedRun, 'created_at' | 'started_at'> & { readonly started_at: string | null }

/** Who begins a run and tells of it. */
export interface Tracker {
  readonly id: string
  readonly email: string
}

/** The tracked runs of a database. */
export class TrackedRuns {
  readonly #deps: TrackedRunsDeps
  readonly #appends: Appends
  #cancelTimer: (() => void) | null = null

  constructor(deps: TrackedRunsDeps) {
    this.#deps = deps
    this.#appends = new Appends(deps)
  }

  /** Waits for the programs of running runs once more, then gives up those that nothing is heard of (tracking.K3). */
  async open(): Promise<void> {
    await this.#deps.store.extend()
    this.#sweepLater()
  }

  /** Looks for no leases any more. */
  close(): void {
    this.#cancelTimer?.()
    this.#cancelTimer = null
  }

  /**
   * Begins a run, which is running then; `created` is false for a run that the same user has begun under this id. Refuses
   * with `already_exists` an id of another run, and with `validation_failed`.
   */
  async begin(body: RunTrack, by: Tracker): Promise<{ run: Run; created: boolean }> {
    const { store, teller, tellRun, read } = this.#deps
    const id = body.id ?? newId()
    const run = await this.#newRun(id, body, by)
    const begun = await teller.learning([id], async () => {
      const row = await this.#insert(run)
      if (row) tellRun(summaryOf(row))
      return row !== null
    })
    if (!begun && (await store.ownerOf(id)) !== by.id) {
      throw new ProblemError(
        'already_exists',
        `there is a run "${id}" already, which you have not begun: choose another id`,
      )
    }
    return { run: await read(id), created: begun }
  }

  /** Takes in what a program tells of its run; see `Appends`. */
  append(run: string, body: RunTrackAppend, by: Tracker): Promise<RunTracked> {
    return this.#appends.append({ run, owner: by.id, body })
  }

  /** Cancels a run that was given up, and so could go on; null when there is none. */
  async cancelAbandoned(id: string): Promise<RunSummary | null> {
    return this.#deps.store.cancelAbandoned(id)
  }

  async #newRun(id: string, body: RunTrack, by: Tracker): Promise<UntimedRun> {
    const { host, shapes } = this.#deps
    const { flow, params, seed = null, note, tags, commit = null } = body
    const inputs = inputsOf(params)
    const facts = factsOf({ inputs: maskedInputs(inputs, host.secrets) })
    return {
      id,
      owner: by.id,
      flow: idOfName(flow),
      flow_name: flow,
      started_at: startOf(body, host.clock.now()),
      seed,
      commit,
      note,
      tags: [...new Set(tags)].toSorted(),
      submitted_by: by.email,
      inputs,
      ...(await shapes.columns(facts)),
    }
  }

  async #insert(run: UntimedRun) {
    const { store, timestamps } = this.#deps
    for (let attempt = 1; ; attempt += 1) {
      try {
        const now = timestamps.next()
        // oxlint-disable-next-line no-await-in-loop -- another engine may have taken the same microsecond
        return await store.begin({ ...run, created_at: now, started_at: run.started_at ?? now })
      } catch (error) {
        if (!isUniqueViolation(error) || attempt === TIME_ATTEMPTS) throw error
      }
    }
  }

  #sweepLater(): void {
    const { clock } = this.#deps.host
    this.#cancelTimer = clock.setTimer(SWEEP_MS, () => {
      void this.#appends
        .alone(() => this.#sweep())
        .catch((error: unknown) => this.#deps.log.error({ err: error }, 'tracked runs could not be looked after'))
        .then(() => {
          if (this.#cancelTimer) this.#sweepLater()
        })
    })
  }

  async #sweep(): Promise<void> {
    const { store, host, tellRun } = this.#deps
    for (const run of await store.abandon(timestampOfMs(host.clock.now()))) tellRun(run)
  }
}

/** When a run began, as its row has it; null where nothing is said about it. */
function startOf({ started_at: given }: RunTrack, nowMs: number): string | null {
  if (given === undefined) return null
  const isCounted = new Date(given).getUTCFullYear() >= FIRST_YEAR
  if (isCounted && usOf(given) <= nowMs * 1000 + MOST_AHEAD_US) return timestampOf(usOf(given))
  const message = `${given} is before 1970, or more than a day ahead: correct the time, or the clock that it was taken from`
  const item: ProblemItem = { path: '/started_at', code: 'bad_time', message }
  throw invalid([item])
}

/**
 * Of the flow that tracked runs of a name are listed under. No flow in this database has it, also one of that name
 * (tracking.K6): a UUID of version 8, from the name.
 */
function idOfName(name: string): string {
  const hex = createHash('sha256').update(`tracked runs of ${name}`).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
