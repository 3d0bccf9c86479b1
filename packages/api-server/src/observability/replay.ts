/**
 * Delivers dead letters again, or dismisses them (wire decisions R5, V26). One transaction takes a letter and keeps its delivery as work of the
 * flow; it is delivered afterwards. So of several callers one delivers it, it stays when it cannot be delivered, and a
 * crash at any moment leaves either the letter or the work: nothing is lost, and nothing done twice.
 * @module
 */
import { type Clock, type LiveFlow, type Replayed, TriggerError } from '@flow-service/core'
import { MAX_MAILBOX, type ReplayRequest, timestampOfMs } from '@flow-service/protocol'

import type { Database, Sql } from '../db/database.ts'
import type { DeadLetterFilter, DeadLetters, KeptLetter } from '../events/dead-letters.ts'
import { actorOf, type EventLog } from '../events/event-log.ts'
import { invalid, ProblemError } from '../http/errors.ts'
import type { UserPrincipal } from '../http/principal.ts'
import type { LiveWork } from '../work/work.ts'
import { justAfter } from './instant.ts'

/** Dependencies of a replay. */
export interface ReplayDeps {
  readonly database: Pick<Database, 'transaction'>
  readonly deadLetters: DeadLetters
  readonly clock: Clock
  readonly eventLog: Pick<EventLog, 'audit'>
  readonly work: Pick<LiveWork, 'keepIn'>
  /** The live flow of a name while it is active. */
  readonly flow: (name: string) => LiveFlow | undefined
  /** The names of the active flows. */
  readonly activeFlows: () => readonly string[]
  /** Refuses with `not_found` when no flow has the name. */
  readonly assertFlow: (name: string) => Promise<unknown>
}

/** A letter and its delivery. */
interface Prepared {
  readonly letter: KeptLetter
  readonly again: Replayed
}

/** Letters of one transaction. */
const BATCH = 100
/** Letters of one call: as many as a busy node lets wait. */
const MAX_LETTERS = MAX_MAILBOX
/** Letters that one call looks at. */
const MAX_LOOKED = 5_000

/** Replays dead letters. */
export class Replay {
  readonly #deps: ReplayDeps

  constructor(deps: ReplayDeps) {
    this.#deps = deps
  }

  /** Delivers one; the cascade. Refuses with `not_found` (its flow too), `not_active` or `validation_failed`. */
  async one(id: string, by: UserPrincipal): Promise<string> {
    const { database, deadLetters, eventLog, flow: activeFlow, work } = this.#deps
    const found = await deadLetters.find(id)
    if (!found) throw noLetter(id)
    assertKept(found)
    if (!activeFlow(found.flow)) await this.#deps.assertFlow(found.flow)
    const taken = await database.transaction(async (tx) => {
      const letter = await deadLetters.take(tx, id)
      if (!letter) throw noLetter(id)
      const { flow, node } = letter
      await eventLog.audit(tx, { action: 'dead_letter.replay', flow, node, actor: actorOf(by), detail: { id } })
      const prepared = this.#prepare(letter)
      await work.keepIn(tx, [prepared.again.work])
      return prepared
    })
    this.#deliver([taken])
    return taken.again.work.cascade
  }

  /** Takes one away undelivered; refuses with `not_found`. */
  async dismiss(id: string, by: UserPrincipal): Promise<void> {
    const { database, deadLetters, eventLog } = this.#deps
    // it may not be written yet
    await deadLetters.flush()
    await database.transaction(async (tx) => {
      const letter = await deadLetters.take(tx, id)
      if (!letter) throw noLetter(id)
      const { flow, node, reason } = letter
      const entry = { action: 'dead_letter.dismiss', flow, node, actor: actorOf(by), detail: { id, reason } }
      await eventLog.audit(tx, entry)
    })
  }

  /**
   * Delivers the oldest that fit, at most 1,000; how many. Those that cannot be delivered now stay, and so do those that
   * come after the call. Refuses with `not_active` when the flow of the filter is not.
   */
  async many(request: ReplayRequest, by: UserPrincipal): Promise<number> {
    const { database, deadLetters, eventLog, clock } = this.#deps
    const { flow = null, node = null, reason } = request
    if (flow !== null) this.#activeFlow(flow)
    await deadLetters.flush()
    const filter: DeadLetterFilter = {
      flows: flow === null ? this.#deps.activeFlows() : [flow],
      nodes: node === null ? undefined : [node],
      reasons: reason === undefined ? undefined : [reason],
      before: justAfter(request.until ?? timestampOfMs(clock.now())),
    }
    let since = request.since
    let [replayed, looked] = [0, 0]
    // those that cannot be delivered cost as much as the others
    while (replayed < MAX_LETTERS && looked < MAX_LOOKED) {
      const limit = Math.min(BATCH, MAX_LETTERS - replayed)
      const span = { ...filter, since }
      const batch = await database.transaction((tx) => this.#batch(tx, span, limit))
      this.#deliver(batch.prepared)
      replayed += batch.prepared.length
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

  /** Takes the oldest of a filter, and puts those back that cannot be delivered. `last` is the time of the newest one. */
  async #batch(
    tx: Sql,
    filter: DeadLetterFilter,
    limit: number,
  ): Promise<{ prepared: Prepared[]; last: string | null }> {
    const { deadLetters, work } = this.#deps
    const letters = await deadLetters.takeOldest(tx, filter, limit)
    const prepared = letters.flatMap((letter) => this.#prepareIfPossible(letter) ?? [])
    const taken = new Set(prepared.map(({ letter }) => letter))
    const left = letters.filter((letter) => !taken.has(letter))
    if (left.length > 0) await deadLetters.putBack(tx, left)
    if (prepared.length > 0) {
      await work.keepIn(
        tx,
        prepared.map(({ again }) => again.work),
      )
    }
    return { prepared, last: letters.at(-1)?.ts ?? null }
  }

  /** Delivers what is kept; a flow that has stopped meanwhile takes it up at its next start. */
  #deliver(prepared: readonly Prepared[]): void {
    for (const { letter, again } of prepared) {
      this.#deps.deadLetters.redelivered(letter, again.work.cascade)
      again.deliver()
    }
  }

  #prepareIfPossible(letter: KeptLetter): Prepared | null {
    try {
      return this.#prepare(letter)
    } catch (error) {
      if (error instanceof ProblemError) return null
      throw error
    }
  }

  #prepare(letter: KeptLetter): Prepared {
    const { node, message, value } = letter
    const flow = this.#activeFlow(letter.flow)
    try {
      return {
        letter,
        again: flow.replay({ node, message, value: value === null ? null : (JSON.parse(value) as unknown) }),
      }
    } catch (error) {
      if (!(error instanceof TriggerError)) throw error
      throw cannot(letter, `${error.message}; it stays until it is 30 days old`)
    }
  }

  #activeFlow(name: string): LiveFlow {
    const flow = this.#deps.flow(name)
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
