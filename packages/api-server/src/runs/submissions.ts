/**
 * Every way in which runs come to be: submission, sweep, retry, import.
 * @module
 */
import type { ImportedRun, Run, RunImportResult, RunSubmit, Sweep, SweepSubmit } from '@flow-service/protocol'

import type { Artifacts } from '../artifacts/artifacts.ts'
import { ProblemError } from '../http/errors.ts'
import type { ExecutionStore } from './execution-store.ts'
import { createImportStore } from './import-store.ts'
import { importRuns } from './run-import.ts'
import { createSubmit, type SubmitDeps } from './submit.ts'
import { sweep } from './sweep.ts'

/** Makes runs; `by` is the name of the caller. */
export interface Submissions {
  /** See `Submit`; `created` is false when the key was known. */
  submit(flow: string, body: RunSubmit, by: string | null): Promise<{ run: Run; created: boolean }>
  /** See `sweep`. */
  sweep(flow: string, body: SweepSubmit, by: string | null): Promise<Sweep>
  /** Queues a run with the values of a finished one; refuses as a submission does, and with `run_active`. */
  retry(id: string, by: string | null): Promise<Run>
  /** See `importRuns`. */
  import(entries: readonly ImportedRun[], by: string | null): Promise<RunImportResult>
}

/** Dependencies of the submissions. */
export interface SubmissionsDeps extends SubmitDeps {
  readonly executions: Pick<ExecutionStore, 'metricIds'>
  readonly artifacts: Pick<Artifacts, 'addRefs' | 'addRefsOf' | 'missing' | 'put'>
  /** The run of an id. */
  readonly read: (id: string) => Promise<Run>
  /** Looks for queued runs. */
  readonly wake: () => void
}

/** The ways over one database. */
export function createSubmissions(deps: SubmissionsDeps): Submissions {
  const { read, wake } = deps
  const submit = createSubmit(deps)
  const store = createImportStore(deps.database.sql)
  /** What failed without a refusal may be queued all the same: its answer was lost. */
  const awake = async <T extends object>(making: Promise<T>): Promise<T> => {
    try {
      const made = await making
      if (!('hasBegun' in made && made.hasBegun)) wake()
      return made
    } catch (error) {
      if (!(error instanceof ProblemError)) wake()
      throw error
    }
  }
  return {
    async submit(flow, body, by) {
      const submitted = await awake(submit.submit(flow, body, by))
      if ('known' in submitted) return { run: await read(submitted.known), created: false }
      return { run: submitted.queued, created: true }
    },
    sweep: (flow, body, by) => awake(sweep(deps, { flow, body, by })),
    retry: async (id, by) => (await awake(submit.retry(id, by))).queued,
    import: (entries, by) => importRuns({ ...deps, store }, entries, by),
  }
}
