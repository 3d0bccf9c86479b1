/**
 * Whom a key signs in: the check of every request that brings one. The owner's flags are those of now, so that a key is
 * never more than its owner; what it is less stands in its scopes.
 * @module
 */
import { timingSafeEqual } from 'node:crypto'

import type { Scope } from '@flow-service/protocol'

import type { TokenVerifier } from '../../http/authenticate.ts'
import { ProblemError } from '../../http/errors.ts'
import type { UserPrincipal } from '../../http/principal.ts'
import type { KeyRow } from './key-store.ts'
import { prefixOf, proofOf } from './key-text.ts'
import type { KeyUses } from './key-uses.ts'

/** A key with the user that it signs in. */
export interface KeyHolder {
  readonly principal: UserPrincipal
  readonly key: Pick<KeyRow, 'id' | 'name' | 'proof' | 'revoked' | 'unnoted' | 'active'>
}

/** The holder of a stored key. */
export const keyHolderOf = (row: KeyRow): KeyHolder => ({
  key: row,
  principal: {
    kind: 'user',
    id: row.owner,
    email: row.email,
    fullName: row.fullName,
    superuser: row.superuser,
    grant: {
      via: 'key',
      id: row.id,
      name: row.name,
      scopes: new Set<Scope>(row.scopes),
      version: 0,
      endsAtMs: row.expiresAt === null ? null : Date.parse(row.expiresAt),
    },
  },
})

/** What a check takes. */
export interface KeyCheckDeps {
  /** Finds the holder of the key of a prefix, whatever has become of it. */
  readonly keys: { find(prefix: string): Promise<KeyHolder | null> }
  readonly uses: Pick<KeyUses, 'note'>
}

/** The user whom a key signs in; `null` when the text is no key. Refuses with `unauthenticated` one that is void. */
export const createKeyCheck =
  ({ keys, uses }: KeyCheckDeps): TokenVerifier =>
  async (token) => {
    const prefix = prefixOf(token)
    if (prefix === null) return null
    const holder = await keys.find(prefix)
    if (!holder || !timingSafeEqual(holder.key.proof, proofOf(token)))
      throw new ProblemError('unauthenticated', 'there is no such key: make one with "service keys create"')
    const ended = endOf(holder)
    if (ended !== null)
      throw new ProblemError('unauthenticated', `the key "${holder.key.name}" ${ended}: use another one`)
    if (holder.key.unnoted) uses.note(holder.key.id)
    return holder.principal
  }

/** What has become of a key; null when it signs in. */
function endOf({ key, principal: { grant } }: KeyHolder): string | null {
  if (key.revoked) return 'was revoked'
  if (grant.endsAtMs !== null && grant.endsAtMs <= Date.now()) return 'has expired'
  return key.active ? null : 'is of a user who may not sign in'
}
