/**
 * Tokens by which engines of one database know each other: JWTs (RFC 7519) signed with EdDSA by the key that the database
 * pins. Each is made for one dial of one engine: who is shown it can show it to no other one.
 * @module
 */
import type { Clock } from '@flow-service/core'

import { jose } from '../../auth/jose.ts'
import type { SigningKey } from '../../auth/signing-key.ts'

/** An explicit type (RFC 8725, section 3.11): a token of another kind never passes for that of an engine. */
const TYPE = 'engine+jwt'
const LIFETIME_S = 60
/** Seconds that the clocks of two engines may differ. */
const LEEWAY_S = 5

/** What tokens are made and checked with. */
export interface EngineTokenDeps {
  readonly signingKey: SigningKey
  readonly clock: Pick<Clock, 'now'>
}

/** Who dials whom, by the ids of engines. */
export interface EngineDial {
  readonly from: string
  readonly to: string
}

/** A token that says that its bearer is an engine, to another one. */
export async function mintEngineToken(
  { from, to }: EngineDial,
  { signingKey, clock }: EngineTokenDeps,
): Promise<string> {
  const { SignJWT } = await jose()
  const issuedAt = Math.floor(clock.now() / 1000)
  return new SignJWT()
    .setProtectedHeader({ alg: 'EdDSA', typ: TYPE })
    .setSubject(from)
    .setAudience(to)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + LIFETIME_S)
    .sign(signingKey.privateKey)
}

/** The engine that has dialled `self`; null when its token is forged, has expired, is another engine's or none of an engine. */
export async function readEngineToken(
  token: string,
  self: string,
  { signingKey, clock }: EngineTokenDeps,
): Promise<string | null> {
  const { errors, jwtVerify } = await jose()
  try {
    const { payload } = await jwtVerify(token, signingKey.publicKey, {
      algorithms: ['EdDSA'],
      audience: self,
      typ: TYPE,
      requiredClaims: ['sub', 'iat', 'exp'],
      clockTolerance: LEEWAY_S,
      maxTokenAge: LIFETIME_S,
      currentDate: new Date(clock.now()),
    })
    return payload.sub ?? null
  } catch (error) {
    if (error instanceof errors.JOSEError) return null
    throw error
  }
}
