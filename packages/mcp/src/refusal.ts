/**
 * Refusals of tools: a code to branch on, what failed, and what to do.
 * @module
 */
import { ApiError } from '@flow-service/client-sdk'
import { type ProblemCode, type ProblemItem, remedyOf, type Scope } from '@flow-service/protocol'
import type { CallToolResult } from '@modelcontextprotocol/server'
import type * as z from 'zod'

import { clip, line, MAX_TEXT, report } from './words.ts'

const MAX_ITEMS = 10

/** What a tool says in place of an answer; `remedy` is what an agent can do. */
export class ToolRefusal extends Error {
  override readonly name = 'ToolRefusal'
  readonly code: ProblemCode
  readonly remedy: string | null
  readonly more: Readonly<Record<string, unknown>>
  constructor(
    code: ProblemCode,
    detail: string,
    { remedy = null, ...more }: { readonly remedy?: string | null; readonly [member: string]: unknown } = {},
  ) {
    super(detail)
    this.code = code
    this.remedy = remedy
    this.more = more
  }
}

/** The token does not cover a tool, or a part of it. */
export const lacksScope = (what: string, scope: Scope): ToolRefusal =>
  new ToolRefusal('forbidden', `${what} needs the scope "${scope}", which the token lacks`, {
    required_scope: scope,
    remedy: `ask the person who runs you for a token with the scope "${scope}"`,
  })

/** Input that is not of a tool's schema. */
export function badInput(tool: string, error: z.ZodError): ToolRefusal {
  const errors = error.issues.flatMap(itemsOf)
  const [first] = errors
  const others = errors.length > 1 ? ` (and ${errors.length - 1} more)` : ''
  return new ToolRefusal('validation_failed', `${first?.path ?? tool}: ${first?.message ?? 'not valid'}${others}`, {
    errors: errors.slice(0, MAX_ITEMS),
    remedy: `call ${tool} again with input of its schema`,
  })
}

function itemsOf(issue: z.core.$ZodIssue): ProblemItem[] {
  const pathOf = (path: readonly PropertyKey[]): string => line(`/${path.map(String).join('/')}`, 200)
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({
      path: pathOf([...issue.path, key]),
      code: issue.code,
      message: 'it is not known here; leave it out',
    }))
  const missing = issue.code === 'invalid_type' && issue.message.endsWith('received undefined')
  const message = missing ? `it is missing; ${remedyOf(issue)}` : remedyOf(issue)
  return [{ path: pathOf(issue.path), code: issue.code, message: line(message, 300) }]
}

/** Whatever a tool threw, as a result that is an error. */
export function refused(error: unknown): CallToolResult {
  const { code, message, remedy, more } = refusalOf(error)
  const detail = clip(message, 1000)
  const items = (more.errors ?? []) as readonly ProblemItem[]
  const rows = items.map(({ path, message }) => `${path}: ${message}`)
  const head = [`${code}: ${detail}`, ...(remedy === null ? [] : [`What to do: ${remedy}.`])]
  return {
    isError: true,
    content: [{ type: 'text', text: clip(report(head, rows), MAX_TEXT) }],
    structuredContent: { ...more, code, detail, remedy },
  }
}

function refusalOf(error: unknown): ToolRefusal {
  if (error instanceof ToolRefusal) return error
  if (error instanceof ApiError) return ofProblem(error)
  const why = error instanceof Error ? reasonOf(error) : String(error)
  return new ToolRefusal('unavailable', `the service does not answer: ${line(why, 300)}`, {
    remedy: 'try again in a moment; if it stays so, tell the person who runs you',
  })
}

/** `fetch` says that it failed, and hides why one level deeper. */
const reasonOf = ({ message, cause }: Error): string =>
  cause instanceof Error && cause.message !== '' ? cause.message : message

function ofProblem({ problem }: ApiError): ToolRefusal {
  const { code, detail, required_scope: scope, current_version: version, errors = [] } = problem
  return new ToolRefusal(code, detail, {
    remedy: scope === undefined ? (remedies[code] ?? null) : `ask for a token with the scope "${scope}"`,
    ...(scope === undefined ? {} : { required_scope: scope }),
    ...(version === undefined ? {} : { current_version: version }),
    errors: errors
      .slice(0, MAX_ITEMS)
      .map(({ path, code, message }) => ({ path: line(path, 200), code, message: line(message, 300) })),
  })
}

const remedies: { readonly [C in ProblemCode]?: string } = {
  version_conflict: 'read it again with get_flow, put your change into what it is now, and save with its version',
  code_defined: 'the flow is written in a project in TypeScript: change it there',
  flow_invalid: 'look at the issues with validate, mend them with save_draft',
  not_published: 'only a published flow can run: use try_draft for the draft, or have it published',
  not_found: 'look at the names with list_flows, list_runs, list_messages or find_node_types',
  message_not_declared: 'look at the names with list_messages',
  wrong_mode: 'look at the mode of the flow with get_flow',
  unauthenticated: 'the token has ended or was revoked: ask for a new one',
  rate_limited: 'wait a moment, then try again',
  unavailable: 'wait a moment, then try again',
}
