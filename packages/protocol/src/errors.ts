/**
 * The error catalogue: every refused request carries one of these codes (wire decisions G01, G02).
 * @module
 */
import * as z from 'zod'

/** Code to HTTP status and fixed title. */
export const problemCatalogue = {
  bad_request: { status: 400, title: 'Bad request' },
  malformed_json: { status: 400, title: 'The body is not valid JSON' },
  invalid_credentials: { status: 400, title: 'Wrong user name or password' },
  wrong_mode: { status: 400, title: 'Not possible in this mode of the flow' },
  environment_adopted: { status: 400, title: 'The environment is read-only' },
  invalid_token: { status: 400, title: 'The one-time code or link is not valid' },
  channel_not_configured: { status: 400, title: 'The alert channel is not configured' },
  unauthenticated: { status: 401, title: 'Authentication is missing or not valid' },
  forbidden: { status: 403, title: 'Permission is missing' },
  not_found: { status: 404, title: 'Not found' },
  message_not_declared: { status: 404, title: 'No published flow declares the message' },
  method_not_allowed: { status: 405, title: 'The method is not allowed here' },
  request_timeout: { status: 408, title: 'The request took too long to arrive' },
  version_conflict: { status: 409, title: 'Somebody saved first' },
  already_exists: { status: 409, title: 'The name is taken' },
  in_use: { status: 409, title: 'Still in use' },
  flow_has_active_runs: { status: 409, title: 'The flow has queued or running runs' },
  run_active: { status: 409, title: 'The run is not finished' },
  already_paired: { status: 409, title: 'Somebody else has adopted the device' },
  last_superuser: { status: 409, title: 'Nobody else is a superuser' },
  apply_running: { status: 409, title: 'Modules are being applied' },
  not_published: { status: 409, title: 'Nothing is published' },
  not_active: { status: 409, title: 'The flow is not active' },
  not_paused: { status: 409, title: 'The flow is not paused' },
  code_defined: { status: 409, title: 'It is defined in code' },
  payload_too_large: { status: 413, title: 'The body is too large' },
  unsupported_media_type: { status: 415, title: 'The content type is not supported' },
  validation_failed: { status: 422, title: 'The request is not valid' },
  flow_invalid: { status: 422, title: 'The flow has errors' },
  rate_limited: { status: 429, title: 'Too many requests' },
  internal: { status: 500, title: 'Internal error' },
  unavailable: { status: 503, title: 'Not available now' },
} as const satisfies Record<string, { status: number; title: string }>

/** A stable word that programs branch on. */
export type ProblemCode = keyof typeof problemCatalogue

/** One invalid place of a request: `path` is a JSON Pointer into the body, or `query.limit`, `path.name`. */
export const problemItemSchema = z
  .object({
    path: z.string().meta({ description: 'JSON Pointer into the body, or `query.<name>`.' }),
    code: z.string().meta({ description: 'For programs.' }),
    message: z.string().meta({ description: 'What is wrong there, and what to give instead.' }),
  })
  .meta({ id: 'ProblemItem' })
/** One invalid place of a request, and what is wrong with it. */
export type ProblemItem = z.infer<typeof problemItemSchema>

/** Body of every answer that is not a success: RFC 9457 `application/problem+json` with flat extension members. */
export const problemSchema = z
  .looseObject({
    type: z.string().meta({ description: '`urn:service:problem:<code>`' }),
    title: z.string().meta({ description: 'Fixed for each code.' }),
    status: z.int().meta({ description: 'The status of the answer.' }),
    detail: z.string().meta({ description: 'What failed this time, with which value, and what to do.' }),
    code: z
      .enum(Object.keys(problemCatalogue) as [ProblemCode, ...ProblemCode[]])
      .meta({ description: 'What programs branch on.' }),
    required_scope: z
      .string()
      .optional()
      .meta({ description: 'With `forbidden`: the scope that the key or token lacks.' }),
    current_version: z.int().optional().meta({ description: 'With `version_conflict`: reload, merge, save again.' }),
    errors: z
      .array(problemItemSchema)
      .optional()
      .meta({ description: 'The places of the request that are wrong, with `validation_failed`.' }),
  })
  .meta({ id: 'Problem', description: 'Every answer that is not a success has this shape.' })
/** Body of a refusal (RFC 9457). `code` is what programs branch on, `detail` what people read. */
export type Problem = z.infer<typeof problemSchema>
