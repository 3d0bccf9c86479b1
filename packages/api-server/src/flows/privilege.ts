/**
 * What of a change takes a superuser (wire decision G20): the difference between two documents in normal form, node by
 * node id. Everything that decides which code runs counts; wiring, titles, ordinary settings and workers do not.
 *
 * What is saved is compared with the current content, the draft or else the published form, of the very version that it
 * replaces. So each form only ever holds code that a superuser has put into that node of that flow, and moving a whole
 * form takes none: publishing, discarding the draft, renaming. The other form is no permit: a node that only it has is
 * added, and what a superuser has taken out of the draft comes back by discarding all of it. A copy, and a flow made
 * anew under an old name, are compared with nothing.
 * @module
 */
import type { NodeRegistry } from '@flow-service/core'
import { canonicalJson, covers, type FlowDocument, type FlowNode, type ProblemItem } from '@flow-service/protocol'

import { ProblemError } from '../http/errors.ts'
import { assertScope, type UserPrincipal } from '../http/principal.ts'

/** Types that execute code or commands, known by name whether or not this engine has them installed. */
const codeTypes: ReadonlySet<string> = new Set(['python', 'code', 'exec'])

const guardedFields = ['library', 'source', 'entry'] as const

/** Refuses with `forbidden` what this user may not change, with the places; `stored` is null for a new flow. */
export function assertPrivileged(
  stored: FlowDocument | null,
  next: FlowDocument,
  by: UserPrincipal,
  registry: NodeRegistry,
): void {
  if (by.superuser && covers(by.grant.scopes, 'flows:code')) return
  const [first, ...more] = privilegedChanges(stored, next, registry)
  if (!first) return
  if (by.superuser) assertScope(by, 'flows:code')
  throw new ProblemError('forbidden', `${first.path}: ${first.message}`, { errors: [first, ...more] })
}

/** The parts of `next` that an ordinary user may not change against `stored`. */
function privilegedChanges(stored: FlowDocument | null, next: FlowDocument, registry: NodeRegistry): ProblemItem[] {
  const isGuarded = (type: string): boolean => codeTypes.has(type) || registry.get(type)?.superuser === true
  const before = new Map(stored?.nodes.map((node) => [node.id, node]))
  const items = next.nodes.flatMap((node, at) => changesOf(before.get(node.id), node, `/nodes/${at}`, isGuarded))
  if (differs(stored?.resources.env ?? {}, next.resources.env))
    items.push(refused('/resources/env', 'environment variables are changed by superusers'))
  return items
}

function changesOf(
  before: FlowNode | undefined,
  node: FlowNode,
  path: string,
  isGuarded: (type: string) => boolean,
): ProblemItem[] {
  const guarded = isGuarded(node.type)
  if (before === undefined) {
    if (guarded) return [refused(`${path}/type`, `nodes of type "${node.type}" are added by superusers`)]
  } else if (before.type !== node.type && (guarded || isGuarded(before.type))) {
    return [refused(`${path}/type`, `only a superuser turns "${before.type}" into "${node.type}"`)]
  }
  // what a document shows of shared code may be older than the library, and changes nothing
  const shares = node.library !== null && node.library === before?.library
  const items = guardedFields
    .filter((field) => !(shares && field === 'source') && differs(before?.[field] ?? null, node[field]))
    .map((field) => refused(`${path}/${field}`, `the ${field} of a node is changed by superusers`))
  if (guarded && !runsOwnCode(node.type) && differs(before?.settings, node.settings))
    items.push(refused(`${path}/settings`, `the settings of "${node.type}" nodes are changed by superusers`))
  return items
}

/** Settings of such nodes are arguments of code that a superuser has written. */
const runsOwnCode = (type: string): boolean => type === 'python' || type === 'code'

const differs = (a: unknown, b: unknown): boolean => canonicalJson(a ?? null) !== canonicalJson(b ?? null)

const refused = (path: string, message: string): ProblemItem => ({ path, code: 'superuser', message })
