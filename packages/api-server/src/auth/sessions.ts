/**
 * Session tokens: JWTs (RFC 7519) signed with HS256 by one key. The token proves who signed in and when; what the user
 * may do is read from the database for every request.
 * @module
 */
import { createHmac, randomBytes } from 'node:crypto'
import { join } from 'node:path'

import type { Token } from '@flow-service/protocol'
import { validate } from 'uuid'

import type { ResolvedConfig } from '../config.ts'
import type { Pins } from '../db/pins.ts'
import type { TokenVerifier } from '../http/authenticate.ts'
import { sessionGrant } from '../http/principal.ts'
import { ConfigError } from '../process/setting.ts'
import { jose } from './jose.ts'
import { readPrivateFile } from './private-file.ts'
import { agreeOnKey, type FoundKey } from './shared-key.ts'
import type { TokenHolder, Users } from './users.ts'

const AUDIENCE = 'session'
/** An explicit type (RFC 8725, section 3.11): a token of another kind never passes for a session. */
const TYPE = 'session+jwt'
/** Seconds that the clocks of two engines may differ. */
const LEEWAY_S = 5

export interface Sessions {
  /** A token for a user. */
  issue(user: TokenHolder): Promise<Token>
  /** The user of a session token; `null` when it is forged, expired, revoked or no session token. */
  readonly verify: TokenVerifier
}

/** Sessions signed by `key`, lasting `days`. */
export function createSessions(options: {
  readonly key: Uint8Array
  readonly days: number
  readonly users: Pick<Users, 'find'>
}): Sessions {
  const { key, users } = options
  const lifetime = options.days * 86_400
  return {
    async issue({ principal, tokenVersion }) {
      const { SignJWT } = await jose()
      const now = Math.floor(Date.now() / 1000)
      const token = await new SignJWT({ version: tokenVersion })
        .setProtectedHeader({ alg: 'HS256', typ: TYPE })
        .setSubject(principal.id)
        .setAudience(AUDIENCE)
        .setIssuedAt(now)
        .setExpirationTime(now + lifetime)
        .sign(key)
      return { access_token: token, token_type: 'bearer', expires_in: lifetime }
    },

    async verify(token) {
      const claims = await claimsOf(token, key, lifetime)
      if (!claims) return null
      const holder = await users.find(claims.subject)
      if (!holder || holder.tokenVersion !== claims.version) return null
      const grant = { ...sessionGrant, version: holder.tokenVersion, endsAtMs: claims.endsAtMs }
      return { ...holder.principal, grant }
    },
  }
}

async function claimsOf(
  token: string,
  key: Uint8Array,
  lifetime: number,
): Promise<{ subject: string; version: unknown; endsAtMs: number } | null> {
  const { errors, jwtVerify } = await jose()
  try {
    const { payload } = await jwtVerify(token, key, {
      algorithms: ['HS256'],
      audience: AUDIENCE,
      typ: TYPE,
      requiredClaims: ['sub', 'iat', 'exp'],
      clockTolerance: LEEWAY_S,
      // also refuses a token from the future
      maxTokenAge: lifetime,
    })
    const subject = String(payload.sub)
    // what is no id is nobody's: no store is asked for it
    return validate(subject) ? { subject, version: payload.version, endsAtMs: Number(payload.exp) * 1000 } : null
  } catch (error) {
    if (error instanceof errors.JOSEError) return null
    throw error
  }
}

type KeyConfig = Pick<ResolvedConfig, 'dataDir' | 'environment' | 'sessionKey'>

const keyFile = ({ dataDir }: Pick<KeyConfig, 'dataDir'>): string => join(dataDir, 'session.key')

/**
 * `SERVICE_SESSION_KEY`, else `session.key` in the data folder; null when it is still to be made. Production makes no key,
 * because everybody would be signed out when the folder is lost: it throws `ConfigError` then.
 */
export async function findSessionKey(config: KeyConfig): Promise<FoundKey<Uint8Array> | null> {
  if (config.sessionKey !== null) return { key: Buffer.from(config.sessionKey), source: 'SERVICE_SESSION_KEY' }
  const path = keyFile(config)
  const stored = await readPrivateFile(path)
  if (stored !== null) return { key: checked(stored, path), source: path }
  if (config.environment === 'production')
    throw new ConfigError('SERVICE_SESSION_KEY is not set: production needs a session key of at least 32 bytes')
  return null
}

/** The key that was found, or a new one in `session.key`; see {@link agreeOnKey}. */
export const settleSessionKey = (
  config: Pick<KeyConfig, 'dataDir'>,
  found: FoundKey<Uint8Array> | null,
  pins: Pins | null,
): Promise<Uint8Array> =>
  agreeOnKey(
    {
      pin: 'session_key',
      use: 'sign sessions',
      change: 'signs everybody out',
      variable: 'SERVICE_SESSION_KEY',
      path: keyFile(config),
      fingerprint: (key) => createHmac('sha256', key).update('fingerprint').digest('hex').slice(0, 16),
      make() {
        const text = randomBytes(48).toString('base64url')
        return { key: Buffer.from(text), text: `${text}\n` }
      },
    },
    found,
    pins,
  )

function checked(stored: string, path: string): Uint8Array {
  const key = Buffer.from(stored.trim())
  if (key.length < 32) throw new ConfigError(`${path} holds ${key.length} bytes: put at least 32 there, or delete it`)
  return key
}
