/**
 * Why an operation on a dashboard is refused.
 * @module
 */
import { type DashboardContent, dashboardNameSchema, MAX_DASHBOARD_BYTES } from '@flow-service/protocol'

import { invalid, ProblemError } from '../http/errors.ts'

/** No dashboard has the name. */
export const noDashboard = (name: string): ProblemError =>
  new ProblemError('not_found', `there is no dashboard "${name}": create it first, or list those that there are`)

/** There is a draft alone, and the published content was asked for. */
export const nothingPublished = (name: string): ProblemError =>
  new ProblemError('not_found', `nothing of dashboard "${name}" is published: publish it, or read it with "draft=true"`)

/** There is no published content to go back to. */
export const neverPublished = (name: string): ProblemError =>
  new ProblemError('not_published', `nothing of dashboard "${name}" is published: publish it, or delete it`)

/** Somebody has changed the dashboard since it was read. */
export const versionConflict = (name: string, current: number): ProblemError =>
  new ProblemError(
    'version_conflict',
    `dashboard "${name}" is at version ${current} now; read it, merge, and send "version": ${current}`,
    { current_version: current },
  )

/** Another dashboard has the name. */
export const nameTaken = (name: string): ProblemError =>
  new ProblemError('already_exists', `there is a dashboard "${name}" already; choose another name, or delete that one`)

/** Its module is the only place where it is changed. */
export const codeDefined = (name: string, module: string): ProblemError =>
  new ProblemError('code_defined', `dashboard "${name}" is defined in ${module}; change it there`)

/** Refuses with `validation_failed` what cannot be a name of a dashboard. */
export function assertName(name: string): void {
  const fault = dashboardNameSchema.safeParse(name).error?.issues[0]
  if (fault) throw invalid([{ path: '/name', code: fault.code, message: `"${name}": ${fault.message}` }])
}

/** Refuses with `payload_too_large` a content that is larger than others could be sent. */
export function assertSize(content: DashboardContent): void {
  if (Buffer.byteLength(JSON.stringify(content)) <= MAX_DASHBOARD_BYTES) return
  throw new ProblemError(
    'payload_too_large',
    `the content of a dashboard is ${MAX_DASHBOARD_BYTES} bytes of JSON at most`,
    {
      max_bytes: MAX_DASHBOARD_BYTES,
    },
  )
}
