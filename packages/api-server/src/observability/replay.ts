/**
 * Delivers dead letters again (wire decision R5). A letter is taken and delivered in one transaction, so that of several
 * callers one delivers it, and it stays when it cannot be delivered. A delivery that is accepted is in the memory of the
 * engine, like any other.
 * @module
 */
import { AsyncLocalStorage } from 'node:async_hooks'

import { type Clock, type LiveFlow, TriggerError } from '@flow-service/core'
import { MAX_MAILBOX, type ReplayRequest, timestampOfMs } from '@flow-service/protocol'

import type { Database, Sql } from '../db/database.ts'
import type { DeadLetterFilter, DeadLetters, KeptLetter } from '../events/dead-letters.ts'
import { actorOf, type EventLog } from '../events/event-log.ts'
import { invalid, ProblemError } from '../http/errors.ts'
import type { UserPrincipal } from '../http/principal.ts'
import { justAfter } from './instant.ts'

/** What replaying needs. */
export interface ReplaySetting {
  readonly database: Pick<Database, 'transaction'>
  readonly deadLetters: DeadLetters
  readonly clock: Clock
  readonly eventLog: Pick<EventLog, 'audit'>
  /** The live flow of a name while it is active. */
  readonly flow: (name: string) => LiveFlow | undefined
  /** The names of the active flows. */
  readonly activeFlows: () => readonly string[]
}

/** Letters of one transaction. */
const BATCH = 100
/** Letters of one call: as many as a busy node lets wait. */
const MAX_LETTERS = MAX_MAILBOX
/** Letters that one call looks at. */
const MAX_LOOKED = 5_000

/** Replays dead letters. */
export class Replay {
  readonly #setting: ReplaySetting

  constructor(setting: ReplaySetting) {
    this.#setting = setting
  }

  /** Delivers one; the cascade. Refuses with `not_found`, `not_active` or `validation_failed`. */
  async one(id: string, by: UserPrincipal): Promise<string> {
    const { database, deadLetters, eventLog } = this.#setting
    const found = await deadLetters.find(id)
    if (!found) throw noLetter(id)
    assertKept(found)
    const deliver = AsyncLocalStorage.bind((letter: KeptLetter) => this.#deliver(letter))
    return database.transaction(async (tx) => {
      const letter = await deadLetters.take(tx, id)
      if (!letter) throw noLetter(id)
      const { flow, node } = letter
      await eventLog.audit(tx, { action: 'dead_letter.replay', flow, node, actor: actorOf(by), detail: { id } })
      return deliver(letter)
    })
  }

  /**
   * Delivers the oldest that fit, at most 1,000; how many. Those that cannot be delivered now stay, and so do those that
   * come after the call. Refuses with `not_active` when the flow of the filter is not.
   */
  async many(request: ReplayRequest, by: UserPrincipal): Promise<number> {
    const { database, deadLetters, eventLog, clock } = this.#setting
    const { flow = null, node = null, reason } = request
    if (flow !== null) this.#activeFlow(flow)
    await deadLetters.flush()
    const filter: DeadLetterFilter = {
      flows: flow === null ? this.#setting.activeFlows() : [flow],
      nodes: node === null ? undefined : [node],
      reasons: reason === undefined ? undefined : [reason],
      before: justAfter(request.until ?? timestampOfMs(clock.now())),
    }
    let since = request.since
    let [replayed, looked] = [0, 0]
    // those that cannot be delivered cost as much as the others
    while (replayed < MAX_LETTERS && looked < MAX_LOOKED) {
      const limit = Math.min(BATCH, MAX_LETTERS - replayed)
      const deliver = AsyncLocalStorage.bind((letter: KeptLetter) => this.#deliver(letter))
      const span = { ...filter, since }
      const batch = await database.transaction((tx) => this.#batch(tx, { filter: span, limit, deliver }))
      replayed += batch.delivered
      looked += limit
      if (batch.last === null) break
      since = justAfter(batch.last)
    }
    if (replayed > 0) {
      const detail = { ...request, replayed }
      await database.transaction((tx) =>
        eventLog.audit(tx, { action: 'dead_letter.replay', flow, node, actor: actorOf(by), detail }),
      )
    }
    return replayed
  }

  /** Delivers the oldest of a filter, and puts those back that could not be. `last` is the time of the newest one. */
  async #batch(
    tx: Sql,
    take: { filter: DeadLetterFilter; limit: number; deliver: (letter: KeptLetter) => string },
  ): Promise<{ delivered: number; last: string | null }> {
    const { deadLetters } = this.#setting
    const letters = await deadLetters.takeOldest(tx, take.filter, take.limit)
    const kept = letters.filter((letter) => !isDelivered(letter, take.deliver))
    if (kept.length > 0) await deadLetters.putBack(tx, kept)
    return { delivered: letters.length - kept.length, last: letters.at(-1)?.ts ?? null }
  }

  #deliver(letter: KeptLetter): string {
    const { id, node, message, value } = letter
    const flow = this.#activeFlow(letter.flow)
    const again = { id, node, message, value: value === null ? null : (JSON.parse(value) as unknown) }
    try {
      return this.#setting.deadLetters.redeliver(letter, () => flow.replay(again))
    } catch (error) {
      if (!(error instanceof TriggerError)) throw error
      throw cannot(letter, `${error.message}; it stays until it is 30 days old`)
    }
  }

  #activeFlow(name: string): LiveFlow {
    const flow = this.#setting.flow(name)
    if (flow) return flow
    throw new ProblemError('not_active', `flow "${name}" is not active: start it, then replay`)
  }
}

const noLetter = (id: string): ProblemError =>
  new ProblemError('not_found', `there is no dead letter "${id}": it may have been replayed, or was older than 30 days`)

const cannot = ({ id }: KeptLetter, why: string): ProblemError =>
  invalid([{ path: 'path.id', code: 'not_replayable', message: `dead letter "${id}" cannot be replayed: ${why}` }])

function assertKept(letter: KeptLetter): void {
  const { run, value } = letter
  if (run !== null) throw cannot(letter, `it is a run; retry it as POST /runs/${run}/retry`)
  if (value === null) throw cannot(letter, 'its value had more than 256 KiB of JSON and was not kept')
}

function isDelivered(letter: KeptLetter, deliver: (letter: KeptLetter) => string): boolean {
  try {
    deliver(letter)
    return true
  } catch (error) {
    if (error instanceof ProblemError) return false
    throw error
  }
}
