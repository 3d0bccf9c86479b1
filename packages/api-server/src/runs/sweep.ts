import { setImmediate } from 'node:timers/promises'

/**
 * Queues all runs of a sweep or none (wire decision G32).
 * @module
 */
import type { Secrets } from '@flow-service/core'
import type { ProblemItem, Sweep, SweepSubmit } from '@flow-service/protocol'

import { isUniqueViolation } from '../db/transaction.ts'
import { noFlow } from '../flows/refusals.ts'
import { invalid } from '../http/errors.ts'
import { newId } from '../process/new-id.ts'
import {
  assertStored,
  digestsOf,
  queuedSummary,
  type Runnable,
  runMaker,
  runnable,
  type UntimedRun,
} from './new-run.ts'
import type { NewRun } from './store.ts'
import { type SubmitDeps, TIME_ATTEMPTS } from './submit.ts'

/** Entries that are checked in one turn of the event loop, so that a large sweep holds nobody up. */
const CHECKED_AT_ONCE = 500
/** Events that are told in one turn: between two turns sockets take what they were sent. */
const TOLD_AT_ONCE = 250

/**
 * Queues a run for each entry under a new group; resolves when they are committed and told. Refuses as a submission
 * does; a bad entry is named by its place (`/runs/7/lr`), and no run exists.
 */
export async function sweep(
  deps: SubmitDeps,
  { flow: name, body, by }: { flow: string; body: SweepSubmit; by: string | null },
): Promise<Sweep> {
  const { flows, host, teller, tellRun } = deps
  const flow = await flows.byName(name, body.draft ? 'draft' : 'published')
  if (!flow) throw noFlow(name)
  const groupId = newId()
  const origin = { by, group: groupId }
  const untimed = await sweepRuns(await runnable(flow, body.draft, flows), body, origin, host.secrets)
  const runs = await teller.learning(
    untimed.map(({ id }) => id),
    async () => {
      const queued = await write(deps, untimed)
      if (!queued) throw noFlow(name)
      const summaries = queued.map(queuedSummary)
      await inTurns(summaries, TOLD_AT_ONCE, tellRun)
      return summaries
    },
  )
  return { group_id: groupId, runs }
}

/** The runs of a sweep, none of which exists yet; refuses with `validation_failed`. */
export async function sweepRuns(
  flow: Runnable,
  body: SweepSubmit,
  origin: { by: string | null; group?: string },
  secrets: Pick<Secrets, 'mask'>,
): Promise<UntimedRun[]> {
  const { runs: entries, seeds, draft, no_cache, priority } = body
  const make = runMaker(flow, draft, secrets)
  const runs: UntimedRun[] = []
  const errors: ProblemItem[] = []
  await inTurns([...entries.entries()], CHECKED_AT_ONCE, ([at, params]) => {
    const made = make({ params, seed: seeds?.[at], draft, no_cache, priority }, origin)
    if ('run' in made) runs.push(made.run)
    else errors.push(...made.errors.map((error) => ({ ...error, path: placeInSweep(error.path, at) })))
  })
  if (errors.length > 0) throw invalid(errors)
  return runs
}

/** The place in a sweep of a place in a submission: `/params/lr` is `/runs/7/lr`, `/seed` is `/seeds/7`. */
export const placeInSweep = (path: string, at: number): string =>
  path === '/seed' ? `/seeds/${at}` : path.replace(/^\/params/, `/runs/${at}`)

/** One statement for all runs, and one for what they refer to; null when the flow is gone. */
async function write(
  { database, store, shapes, timestamps, artifacts }: SubmitDeps,
  untimed: readonly UntimedRun[],
): Promise<NewRun[] | null> {
  const shaped: Omit<NewRun, 'created_at'>[] = []
  // oxlint-disable-next-line no-await-in-loop -- the first one makes the shape that the others have
  for (const { facts, ...run } of untimed) shaped.push({ ...run, ...(await shapes.columns(facts)) })
  for (let attempt = 1; ; attempt += 1) {
    const runs = shaped.map((run) => ({ ...run, created_at: timestamps.next() }))
    try {
      return await database.transaction(async (tx) => {
        const queued = await store.insert(tx, runs)
        if (queued.size === 0) return null
        const refs = runs.map((run) => ({ owner: run.id, digests: digestsOf(run) }))
        const owners = refs.filter(({ digests }) => digests.length > 0)
        const asked = [...new Set(owners.flatMap(({ digests }) => digests))]
        assertStored(runs, await artifacts.missing(asked, tx), placeInSweep)
        await artifacts.addRefsOf(tx, 'run', owners)
        return runs
      })
    } catch (error) {
      // another engine has taken one of the microseconds
      if (!isUniqueViolation(error) || attempt === TIME_ATTEMPTS) throw error
    }
  }
}

async function inTurns<T>(items: readonly T[], atOnce: number, run: (item: T) => void): Promise<void> {
  for (let from = 0; from < items.length; from += atOnce) {
    for (const item of items.slice(from, from + atOnce)) run(item)
    // oxlint-disable-next-line no-await-in-loop -- the pause is the point
    if (from + atOnce < items.length) await setImmediate()
  }
}
