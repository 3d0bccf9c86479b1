/** The runs of a list, newest first, as most tests want them. */
import type { RunSummary } from '@flow-service/protocol'

import type { RunFilter } from '../../src/runs/curves/run-filter.ts'
import type { Runs } from '../../src/runs/runs.ts'

export const listed = async (
  { lists }: Pick<Runs, 'lists'>,
  of: RunFilter,
  page: { readonly limit: number; readonly offset: number },
): Promise<RunSummary[]> => (await lists.list({ of, ...page, include: new Set() })).runs
