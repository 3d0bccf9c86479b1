/**
 * What a worker's token says of itself. The engine alone can verify it; the worker reads its own name and labels there.
 * @module
 */

/** Claims of a token, as far as they are readable. */
export interface TokenClaims {
  readonly name: string | null
  readonly labels: readonly string[]
}

/** Reads the payload of a JWT (RFC 7519) without verifying it. Nothing is known of a text that is none. */
export function claimsOf(token: string): TokenClaims {
  const { name, labels } = payloadOf(token)
  return {
    name: typeof name === 'string' ? name : null,
    labels: Array.isArray(labels) ? labels.filter((label) => typeof label === 'string') : [],
  }
}

function payloadOf(token: string): Record<string, unknown> {
  try {
    const payload: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
    return typeof payload === 'object' && payload !== null ? (payload as Record<string, unknown>) : {}
  } catch {
    // the engine says what is wrong with it
    return {}
  }
}
