/**
 * What API keys and tokens of agents may do (wire decision U4). A session may do all that its user may.
 * @module
 */
import * as z from 'zod'

/** Every scope with what it covers. */
const meanings = {
  'flows:read': 'flows, node types, the library, the graph, dashboards, devices, modules',
  'flows:write': 'drafts, layout, checks, plans, drafts of dashboards',
  'flows:publish': 'publish, discard, rename, duplicate, delete, and all control of live flows; dashboards likewise',
  'flows:code': 'what of flows only superusers may change: code, commands, environment variables',
  'runs:read': 'runs, metrics, exports, bytes of artifacts',
  'runs:write': 'submit, import, cancel, retry and delete runs; store artifacts',
  'messages:read': 'the catalogue of messages, last values, history, the event socket',
  'messages:publish': 'publish messages; routes of connectors',
  'devices:write': 'devices and their pairing',
  'observability:read': 'state, cascades, measurements, events, dead letters, workers',
  admin: 'everything',
} as const

/** A part of the API. None gives what the owner lacks. */
export type Scope = keyof typeof meanings

/** All scopes. */
export const scopes = Object.keys(meanings) as [Scope, ...Scope[]]

/** What a scope covers, in a few words. */
export const meaningOfScope = (scope: Scope): string => meanings[scope]

/** A part of the API that a key or token may be limited to. */
export const scopeSchema = z
  .enum(scopes, { error: ({ input }) => `"${String(input)}" is not one of ${scopes.join(', ')}` })
  .meta({
    id: 'Scope',
    description: scopes.map((scope) => `- `.concat('`', scope, '`: ', meanings[scope])).join('\n'),
  })

/** Whether a caller of these scopes may do what `needed` covers; null is a session, which may do all. */
export const covers = (granted: ReadonlySet<Scope> | null, needed: Scope): boolean =>
  granted === null || granted.has('admin') || granted.has(needed)
