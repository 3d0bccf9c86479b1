/**
 * A change of the database that has failed may be there all the same: it was committed, and the answer was lost. What the
 * engine holds in memory has to follow what is stored, so that is looked up before the change counts as failed.
 * @module
 */
import { setTimeout } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'

import { ProblemError } from '../http/errors.ts'
import type { FlowRow } from './store.ts'

/** How long, and how often, a database that has just failed is asked again. */
const PATIENCE_MS = 5_000
const PAUSE_MS = 250

/**
 * Makes a change. When that fails, `find` looks for what the change would have left, and null stands for nothing: then
 * the failure is thrown. A refusal is thrown at once.
 */
export async function changeOrFind<T>(change: () => Promise<T>, find: () => Promise<T | null>): Promise<T> {
  try {
    return await change()
  } catch (error) {
    const found = error instanceof ProblemError ? null : await patiently(find)
    if (found === null) throw error
    return found
  }
}

/** Null too when the database does not answer in time. */
async function patiently<T>(find: () => Promise<T | null>): Promise<T | null> {
  for (const until = performance.now() + PATIENCE_MS; ;) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- one try after the other
      return await find()
    } catch {
      if (performance.now() > until) return null
      // oxlint-disable-next-line no-await-in-loop -- see above
      await setTimeout(PAUSE_MS)
    }
  }
}

/** A row when it holds this draft, as this version by this user. */
export function savedBy(row: FlowRow | null, version: number, content: unknown, by: string): FlowRow | null {
  const isMine = row?.version === version && row.updated_by === by && isStored(row.draft, content)
  return isMine ? row : null
}

/** Whether a content reads back as this one. */
export const isStored = (stored: unknown, content: unknown): boolean =>
  isDeepStrictEqual(stored, JSON.parse(JSON.stringify(content)))
