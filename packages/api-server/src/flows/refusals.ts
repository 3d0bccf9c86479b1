/**
 * Why an operation on a flow is refused.
 * @module
 */
import type { FlowDocument, Issue } from '@flow-service/protocol'

import type { CodeRegistry } from '../code/registry.ts'
import { ProblemError } from '../http/errors.ts'
import type { FlowRow } from './store.ts'

/** No flow has the name. */
export const noFlow = (name: string): ProblemError => new ProblemError('not_found', `there is no flow "${name}"`)

/** Somebody has changed the flow since it was read. */
export const versionConflict = (name: string, current: number): ProblemError =>
  new ProblemError(
    'version_conflict',
    `flow "${name}" is at version ${current} now; read it, merge, and send "version": ${current}`,
    { current_version: current },
  )

/** Refuses to change a registered flow in any place but its module. */
export function assertOwnedByApi(row: FlowRow, code: Pick<CodeRegistry, 'has'>): void {
  if (row.origin === 'api' || !code.has(row.name)) return
  throw new ProblemError('code_defined', `flow "${row.name}" is defined in ${row.code?.module}; change it there`)
}

/** The operation needs published content. */
export const notPublished = (name: string): ProblemError =>
  new ProblemError('not_published', `nothing of flow "${name}" is published; publish it first`)

/** Another flow has the name. */
export const nameTaken = (name: string): ProblemError =>
  new ProblemError('already_exists', `there is a flow "${name}" already; choose another name, or delete that one`)

/** Whether an issue keeps a flow from being published and started. */
export const isError = ({ severity }: Issue): boolean => severity === 'error'

/** The graph has errors, which become the places of the refusal. */
export function flowInvalid(name: string, issues: readonly Issue[]): ProblemError {
  const errors = issues.filter(isError)
  const [first] = errors
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : ''
  return new ProblemError('flow_invalid', `flow "${name}": ${first?.message ?? 'it has errors'}${more}`, {
    errors: errors.map(({ path, code, message }) => ({ path: path ?? '', code, message })),
  })
}

/** Refuses to start, stop or hold what is not live. */
export function assertLive(name: string, { mode }: FlowDocument): void {
  if (mode === 'live') return
  throw new ProblemError('wrong_mode', `flow "${name}" is a batch flow: it is run, not started`)
}

/** Refuses to end a flow whose runs are not over. */
export function assertNoRuns({ name }: FlowRow, runs: readonly string[]): void {
  if (runs.length === 0) return
  const detail = `flow "${name}" has ${runs.length} unfinished runs; cancel them or wait for them`
  throw new ProblemError('flow_has_active_runs', detail, { runs })
}
