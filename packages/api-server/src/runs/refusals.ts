/**
 * Why an operation on a run is refused.
 * @module
 */
import { ProblemError } from '../http/errors.ts'

/** No run has the id. */
export const noRun = (id: string): ProblemError => new ProblemError('not_found', `there is no run "${id}"`)

/** Only a finished run allows it. */
export const runActive = (id: string, status: string, what: 'retry' | 'delete'): ProblemError =>
  new ProblemError('run_active', `run "${id}" is ${status}: cancel it before you ${what} it`, { runs: [id] })
