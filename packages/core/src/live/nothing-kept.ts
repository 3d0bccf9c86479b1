/**
 * Stands in for the host where what becomes of work is noted elsewhere, or nowhere: in the publisher of work that another
 * engine does, and in a run that leaves nothing behind.
 * @module
 */
import type { WorkHost } from '../host.ts'

/** Keeps and notes nothing. */
export const nothingKept: WorkHost = {
  keep: async () => {},
  arrive: async (_work, publish) => publish(),
  begin: async () => {},
  end: () => {},
  drop: () => {},
  together: (change) => change(),
  left: async () => [],
  attempt: async () => {},
}
