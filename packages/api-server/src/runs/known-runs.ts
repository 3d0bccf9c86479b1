/**
 * Which of the runs, sweeps and curves that somebody names exist. Dashboards ask: what they name may be deleted.
 * @module
 */
import type { RunFilter } from './curves/run-filter.ts'

/** Tells which names are names of something. */
export interface KnownRuns {
  /** Those of the ids that are runs. */
  ids(ids: readonly string[]): Promise<ReadonlySet<string>>
  /** Those of the ids that are sweeps. */
  groups(ids: readonly string[]): Promise<ReadonlySet<string>>
  /** Qualified names of what the newest runs of a selection have emitted themselves: of as many as are compared at once. */
  curves(filter: RunFilter): Promise<ReadonlySet<string>>
}
