/**
 * Queues runs one by one: submissions and retries (wire decisions G31, G38). Those of the same moment share a commit.
 * @module
 */
import type { Host } from '@flow-service/core'
import { isFinished, type Run, type RunSubmit, type RunSummary } from '@flow-service/protocol'

import type { Artifacts } from '../artifacts/artifacts.ts'
import type { Database } from '../db/database.ts'
import { createGroupWriter } from '../db/group-writer.ts'
import type { Timestamps } from '../db/timestamps.ts'
import { isRefused, isUniqueViolation } from '../db/transaction.ts'
import type { Sql } from '../db/values.ts'
import { noFlow } from '../flows/refusals.ts'
import type { RunnableFlows } from '../flows/runnable-flows.ts'
import { ProblemError } from '../http/errors.ts'
import { assertStored, claimedRun, digestsOf, newRun, queuedRecord, runnable, type UntimedRun } from './new-run.ts'
import { noRun, runActive } from './refusals.ts'
import type { Reservation, RunQueue } from './run-queue.ts'
import { paramsOf, summaryOf } from './run-record.ts'
import type { RunTeller } from './run-teller.ts'
import type { RunShapes } from './shapes.ts'
import type { NewRun, RunsStore } from './store.ts'

/** Dependencies of a submission. */
export interface SubmitDeps {
  readonly database: Database
  readonly store: RunsStore
  readonly shapes: Pick<RunShapes, 'columns'>
  readonly timestamps: Timestamps
  readonly host: Pick<Host, 'clock' | 'secrets'>
  readonly artifacts: Pick<Artifacts, 'addRefs' | 'addRefsOf' | 'missing'>
  readonly flows: RunnableFlows
  readonly teller: Pick<RunTeller, 'learning' | 'tell'>
  /** Tells this engine's listeners, and other engines, of a queued run. */
  readonly tellRun: (run: RunSummary) => void
  /** Claims runs while they are queued (run-queue.Q6). */
  readonly queue: Pick<RunQueue, 'reserve'>
}

/** A run as it was queued, and whether it has begun since. */
interface Queued {
  readonly queued: Run
  readonly hasBegun: boolean
}

/** A queued run, or the id of the run that was submitted first under the same key. */
type Submitted = Queued | { readonly known: string }

interface Item {
  readonly run: NewRun
  isQueued: boolean
  /** The place that is held for the run; once it is queued, that it was claimed for. */
  place: Reservation | null
  /** Whether it may have been claimed unheard. */
  isLost: boolean
}

/** Queues runs; each call resolves when the run is committed and told. When one refuses, no run exists. */
export interface Submit {
  /** Refuses with `not_found`, `wrong_mode`, `not_published`, `flow_invalid` and `validation_failed`. */
  submit(flow: string, body: RunSubmit, by: string | null): Promise<Submitted>
  /** Runs a finished run's flow as it is now, with the values of then; refuses with `run_active` too. */
  retry(id: string, by: string | null): Promise<Queued>
}

/** Attempts to find a time of creation that no other engine has taken. */
export const TIME_ATTEMPTS = 5

/** Submissions and retries over a database. */
export function createSubmit(deps: SubmitDeps): Submit {
  const { database, store, shapes, timestamps, artifacts, flows, host, teller, tellRun } = deps
  const group = createGroupWriter<Item>(
    database,
    async (sql, items) => {
      await (sql === database.sql ? insertAndClaim(deps, items) : insert(store, sql, items))
      for (const { run } of items.filter(({ isQueued }) => isQueued)) {
        const digests = digestsOf(run)
        if (digests.length === 0) continue
        // a refusal undoes the group, which comes again one by one
        assertStored([run], await artifacts.missing(digests, sql))
        await artifacts.addRefs(sql, 'run', run.id, digests)
      }
    },
    { needsMore: ({ run }) => digestsOf(run).length > 0 },
  )

  /** Whether a run that its own key kept out is there: it was stored with others, and their answer was lost. */
  const hasKey = async ({ id, flow, idempotency_key: key }: Omit<NewRun, 'created_at'>): Promise<boolean> =>
    key !== null && (await store.idOfKey(flow, key)) === id

  /** The run as it was queued; null when its key is taken, or its flow gone. */
  const write = async ({ facts, ...rest }: UntimedRun): Promise<Item | null> => {
    const run = { ...rest, ...(await shapes.columns(facts)) }
    for (let attempt = 1; ; attempt += 1) {
      const item: Item = { run: { ...run, created_at: timestamps.next() }, isQueued: false, place: null, isLost: false }
      try {
        await group.write(item)
        return item.isQueued || (await hasKey(run)) ? item : null
      } catch (error) {
        // it was stored with others, and their answer was lost: then each is written once more, alone
        if (isUniqueViolation(error, 'run_pkey')) return item
        // another engine has taken the same microsecond
        if (!isUniqueViolation(error) || attempt === TIME_ATTEMPTS) throw error
      }
    }
  }

  const queue = (run: UntimedRun): Promise<Queued | null> =>
    teller.learning([run.id], async () => {
      const item = await write(run)
      if (!item) return null
      const queued = queuedRecord(item.run, host.secrets)
      const { place } = item
      // other engines hear of it when it runs: there is nothing to claim
      if (place) teller.tell(summaryOf(queued), host.clock.now())
      else tellRun(summaryOf(queued))
      place?.begin(claimedRun(item.run, place.claim))
      return { queued, hasBegun: place !== null }
    })

  return {
    async submit(name, body, by) {
      const soon = await runFromMemory(deps, name, body, by)
      const early = soon && (await queue(soon))
      if (early) return early
      const flow = await flows.byName(name, body.draft ? 'draft' : 'published')
      if (!flow) throw noFlow(name)
      const key = body.idempotency_key ?? null
      const known = key === null ? null : await store.idOfKey(flow.id, key)
      if (known !== null) return { known }
      const queued = await queue(newRun(await runnable(flow, body.draft, flows), body, { by }, host.secrets))
      if (queued) return queued
      const first = key === null ? null : await store.idOfKey(flow.id, key)
      if (first === null) throw noFlow(name)
      return { known: first }
    },

    async retry(id, by) {
      const before = await store.detail(id)
      if (!before) throw noRun(id)
      if (before.origin === 'track') {
        throw new ProblemError(
          'wrong_mode',
          `run "${id}" is tracked: another program executes it, so nothing here can again`,
        )
      }
      if (!isFinished(before.status)) throw runActive(id, before.status, 'retry')
      const { flow: name, draft, seed, priority, group_id: groupId } = before
      const flow = await flows.byName(name, draft ? 'draft' : 'published')
      if (!flow) throw noFlow(name)
      // every value is given, the initial ones of then too: those of now are not asked
      const request = { params: paramsOf(before.inputs), seed: seed ?? undefined, draft, no_cache: false, priority }
      const run = newRun(await runnable(flow, draft, flows), request, { by, group: groupId, parent: id }, host.secrets)
      const queued = await queue(run)
      if (!queued) throw noFlow(name)
      return queued
    },
  }
}

/** Queues the runs of these items. */
async function insert(
  store: Pick<RunsStore, 'insert'>,
  sql: Sql,
  items: readonly Item[],
): Promise<Map<string, boolean>> {
  const runs = items.map(({ run, place }) => ({ ...run, claim: place?.claim ?? null }))
  const claimed = await store.insert(sql, runs)
  for (const item of items) item.isQueued = claimed.has(item.run.id)
  return claimed
}

/** Queues the runs of these items, and claims for this engine those that it holds places for (runs.I28). */
async function insertAndClaim({ database, store, queue }: SubmitDeps, items: readonly Item[]): Promise<void> {
  for (const item of items.toSorted((a, b) => b.run.priority - a.run.priority)) {
    const { heavy, document, elsewhere, created_at: createdAt } = item.run
    const isKnown = document !== null && !item.isLost
    item.place = isKnown ? queue.reserve({ heavy: heavy ?? false, elsewhere, createdAt }) : null
  }
  try {
    const claimed = await insert(store, database.sql, items)
    for (const item of items) {
      if (claimed.get(item.run.id) === true) continue
      item.place?.release()
      item.place = null
    }
  } catch (error) {
    // what the database has refused is not there
    const isUnheard = !isRefused(error)
    const places = items.flatMap(({ place }) => place ?? [])
    for (const item of items) {
      item.isLost = isUnheard && item.place !== null
      item.place = null
    }
    for (const place of places) {
      if (isUnheard) place.lose()
      else place.release()
    }
    // perhaps it is the claim that it does not take
    if (isUnheard || places.length === 0 || isUniqueViolation(error)) throw error
    await insert(store, database.sql, items)
  }
}

/**
 * The run of a flow as it was read last, which spares reading it; null where that cannot be. The flow may have been changed: who
 * queues it sees that, and a refusal may not hold of what it is by now.
 */
async function runFromMemory(
  { flows, host }: Pick<SubmitDeps, 'flows' | 'host'>,
  name: string,
  body: RunSubmit,
  by: string | null,
): Promise<UntimedRun | null> {
  const flow = body.draft ? null : flows.readLast(name)
  if (flow === null) return null
  try {
    return { ...newRun(await runnable(flow, false, flows), body, { by }, host.secrets), written: flow.written }
  } catch (error) {
    if (error instanceof ProblemError) return null
    throw error
  }
}
