/**
 * Who sends a request: a bearer token of the `Authorization` header (RFC 6750), never of a cookie or the query.
 * @module
 */
import type { IncomingMessage } from 'node:http'

import { ProblemError } from './errors.ts'
import type { Principal } from './principal.ts'

/** Longest token that is looked at, in characters. */
const MAX_TOKEN_LENGTH = 8192

/**
 * Checks tokens of one kind. `null` means that it is none of this kind; a token of this kind that is expired or
 * revoked is refused with `unauthenticated`.
 */
export type TokenVerifier = (token: string) => Promise<Principal | null>

/** Checks tokens of several kinds, one verifier after the other: the first that knows a token decides. */
export const firstOf =
  (verifiers: readonly TokenVerifier[]): TokenVerifier =>
  async (token) => {
    for (const verify of verifiers) {
      const principal = await verify(token)
      if (principal) return principal
    }
    return null
  }

/** The caller of a request by the first verifier that knows its token; refuses with `unauthenticated`. */
export function createAuthenticator(
  verifiers: readonly TokenVerifier[],
): (request: IncomingMessage) => Promise<Principal> {
  const verify = firstOf(verifiers)
  return async (request) => {
    const principal = await verify(bearerToken(request))
    if (principal) return principal
    throw new ProblemError('unauthenticated', 'the token is not valid, has expired or was revoked: sign in again')
  }
}

/** The token of the one `Authorization: Bearer …` header; refuses with `unauthenticated`. */
export function bearerToken(request: IncomingMessage): string {
  const headers = request.headersDistinct.authorization ?? []
  if (headers.length > 1) throw new ProblemError('unauthenticated', 'send one Authorization header, not several')
  const [header] = headers
  if (header === undefined) throw new ProblemError('unauthenticated', 'send a token: Authorization: Bearer <token>')
  const token = /^bearer +([\w.~+/-]+=*) *$/i.exec(header)?.[1]
  if (token === undefined || token.length > MAX_TOKEN_LENGTH)
    throw new ProblemError('unauthenticated', 'the Authorization header is not of the form "Bearer <token>"')
  return token
}
