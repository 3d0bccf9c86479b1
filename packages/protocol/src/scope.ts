/**
 * What API keys and tokens of agents may do (wire decision U4). A session may do all that its user may.
 * @module
 */
import * as z from 'zod'

import { meaningOfScope, type Scope, scopes } from './words.ts'

/** A part of the API that a key or token may be limited to. */
export const scopeSchema = z
  .enum(scopes, { error: ({ input }) => `"${String(input)}" is not one of ${scopes.join(', ')}` })
  .meta({
    id: 'Scope',
    description: scopes.map((scope) => `- `.concat('`', scope, '`: ', meaningOfScope(scope))).join('\n'),
  })

/** Whether a caller of these scopes may do what `needed` covers; null is a session, which may do all. */
export const covers = (granted: ReadonlySet<Scope> | null, needed: Scope): boolean =>
  granted === null || granted.has('admin') || granted.has(needed)
