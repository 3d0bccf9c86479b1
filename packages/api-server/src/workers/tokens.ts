/**
 * Tokens of workers: JWTs (RFC 7519) signed with EdDSA that say the name and the labels of a worker (wire decision G55).
 * Whether a token still counts is in the database.
 * @module
 */
import { randomUUID } from 'node:crypto'

import type { MintedWorkerToken, WorkerToken, WorkerTokenRequest } from '@flow-service/protocol'
import type { JWTPayload } from 'jose'

import { jose } from '../auth/jose.ts'
import type { SigningKey } from '../auth/signing-key.ts'
import type { Database, Sql } from '../db/database.ts'
import type { TokenVerifier } from '../http/authenticate.ts'
import { ProblemError } from '../http/errors.ts'
import type { WorkerPrincipal } from '../http/principal.ts'
import { createWorkerTokenStore, type WorkerTokenStore } from './token-store.ts'

const AUDIENCE = 'worker'
/** An explicit type (RFC 8725, section 3.11): a token of another kind never passes for that of a worker. */
const TYPE = 'worker+jwt'
const LIFETIME_S = 365 * 86_400
/** Of a worker that the engine starts itself. */
export const PROVISIONED_LIFETIME_S = 86_400
/** Seconds that the clocks of two engines may differ. */
const LEEWAY_S = 5
const CHANNEL = 'worker_token_revoked'

/** Writes the entry of the audit trail in the transaction of the change. */
type Audit = (tx: Sql, token: Pick<WorkerToken, 'jti' | 'name' | 'labels'>) => Promise<void>

/** What tokens are made of. */
export interface WorkerTokensDeps {
  readonly key: SigningKey
  readonly database: Pick<Database, 'sql' | 'transaction' | 'listen' | 'notify'>
}

/** The tokens of workers. */
export class WorkerTokens {
  readonly #key: SigningKey
  readonly #database: WorkerTokensDeps['database']
  readonly #store: WorkerTokenStore

  constructor({ key, database }: WorkerTokensDeps) {
    this.#key = key
    this.#database = database
    this.#store = createWorkerTokenStore(database.sql)
  }

  /** A new token of a name that no other live one has; refuses with `already_exists`. */
  mint(request: WorkerTokenRequest, audit: Audit): Promise<MintedWorkerToken> {
    return this.#mint(request, audit, false)
  }

  /** As `mint`, for workers that the engine starts itself: it counts for a day. */
  provision(request: WorkerTokenRequest, record: Audit): Promise<MintedWorkerToken> {
    return this.#mint(request, record, true)
  }

  async #mint({ name, labels }: WorkerTokenRequest, audit: Audit, provisioned: boolean): Promise<MintedWorkerToken> {
    const jti = randomUUID()
    const issuedAt = Math.floor(Date.now() / 1000)
    const expiresAt = issuedAt + (provisioned ? PROVISIONED_LIFETIME_S : LIFETIME_S)
    const row = await this.#database.transaction(async (tx) => {
      const store = createWorkerTokenStore(tx)
      await store.lockForAdding()
      if (await store.isTaken(name)) {
        throw new ProblemError(
          'already_exists',
          `a live worker token has the name "${name}": revoke that one first, or choose another name`,
        )
      }
      const added = await store.add({ jti, name, labels, issuedAt, expiresAt, provisioned })
      await audit(tx, added)
      return added
    })
    const { SignJWT } = await jose()
    const token = await new SignJWT({ name, labels })
      .setProtectedHeader({ alg: 'EdDSA', typ: TYPE })
      .setJti(jti)
      .setAudience(AUDIENCE)
      .setIssuedAt(issuedAt)
      .setExpirationTime(expiresAt)
      .sign(this.#key.privateKey)
    return { token, jti, expires_at: row.expires_at, name, labels }
  }

  /** All tokens without their texts, by name. */
  list(): Promise<WorkerToken[]> {
    return this.#store.list()
  }

  /** Voids a token; one that is void stays as it was. Refuses with `not_found`. */
  async revoke(jti: string, audit: Audit): Promise<WorkerToken> {
    const token = await this.#database.transaction(async (tx) => {
      const revoked = await createWorkerTokenStore(tx).revoke(jti)
      if (!revoked) throw new ProblemError('not_found', `there is no worker token "${jti}": list them to see their jti`)
      await audit(tx, revoked)
      return revoked
    })
    await this.#database.notify(CHANNEL, jti)
    return token
  }

  /** As `verify`, without the database: whether the token still counts is not asked. */
  readonly identify: TokenVerifier = (token) => workerOf(token, this.#key)

  /** The worker that a token is of; `null` when it is forged, signed by another key, or no token of a worker. */
  readonly verify: TokenVerifier = async (token) => {
    const worker = await workerOf(token, this.#key)
    if (!worker) return null
    const live = await this.#store.liveOf([worker.jti])
    if (!live.has(worker.jti)) {
      throw new ProblemError('unauthenticated', `the token of worker "${worker.name}" was revoked or has expired`)
    }
    await this.#store.used(worker.jti)
    return worker
  }

  /** Version 0 of those tokens that count. */
  async versionsOf(jtis: readonly string[]): Promise<Map<string, number>> {
    const live = await this.#store.liveOf(jtis)
    return new Map([...live].map((jti) => [jti, 0]))
  }

  /** Hears of revoked tokens, on any engine of the database; null when some may have been missed. The result ends that. */
  onRevoked(listener: (jti: string | null) => void): Promise<() => Promise<void>> {
    return this.#database.listen(CHANNEL, listener, () => listener(null))
  }
}

async function workerOf(token: string, { publicKey }: SigningKey): Promise<WorkerPrincipal | null> {
  const { errors, jwtVerify } = await jose()
  try {
    const { payload } = await jwtVerify(token, publicKey, {
      algorithms: ['EdDSA'],
      audience: AUDIENCE,
      typ: TYPE,
      requiredClaims: ['jti', 'iat', 'exp', 'name', 'labels'],
      clockTolerance: LEEWAY_S,
    })
    return principalOf(payload)
  } catch (error) {
    if (error instanceof errors.JOSEError) return null
    throw error
  }
}

/** Only what this engine has signed gets here. */
function principalOf({ jti, name, labels }: JWTPayload): WorkerPrincipal {
  return { kind: 'worker', jti: String(jti), name: String(name), labels: (labels as unknown[]).map(String) }
}
