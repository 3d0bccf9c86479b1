/**
 * What a browser keeps while somebody signs in at an OpenID provider: sealed, so that nobody else can make it up or read it.
 * It is the one cookie of the service (threat T7), and lets nobody do anything.
 * @module
 */
import { hkdfSync } from 'node:crypto'

import * as z from 'zod'

import { jose } from '../jose.ts'

/** How long a sign-in may take, in seconds. */
export const SIGN_IN_SECONDS = 600

const NAME = 'service_sign_in'
const TYPE = 'sign-in+jwt'
const pendingSchema = z.object({ state: z.string(), nonce: z.string(), verifier: z.string(), returnTo: z.string() })

/** A sign-in that has been begun. */
export type PendingSignIn = z.infer<typeof pendingSchema>

/** The cookie, sealed by a key that engines of a database share; `callback` is the URL to which browsers bring it. */
export class SignInCookie {
  readonly #key: Uint8Array

  constructor(sessionKey: Uint8Array) {
    this.#key = new Uint8Array(hkdfSync('sha256', sessionKey, '', 'flow-service sign-in', 32))
  }

  /** `Set-Cookie` of a sign-in. */
  async set(pending: PendingSignIn, callback: URL): Promise<string> {
    const { EncryptJWT } = await jose()
    const value = await new EncryptJWT(pending)
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', typ: TYPE })
      .setIssuedAt()
      .setExpirationTime(`${SIGN_IN_SECONDS} s`)
      .encrypt(this.#key)
    return `${NAME}=${value}; Max-Age=${SIGN_IN_SECONDS}${attributes(callback)}`
  }

  /** `Set-Cookie` that ends it. */
  clear(callback: URL): string {
    return `${NAME}=; Max-Age=0${attributes(callback)}`
  }

  /** The sign-in of a `Cookie` header; null when there is none, or it is not ours, or too old. */
  async read(header: string | undefined): Promise<PendingSignIn | null> {
    const [value, ...others] = (header ?? '').split(/; */).flatMap((pair) => {
      return pair.startsWith(`${NAME}=`) ? [pair.slice(NAME.length + 1)] : []
    })
    if (value === undefined || others.length > 0) return null
    const { errors, jwtDecrypt } = await jose()
    try {
      const { payload } = await jwtDecrypt(value, this.#key, {
        contentEncryptionAlgorithms: ['A256GCM'],
        keyManagementAlgorithms: ['dir'],
        typ: TYPE,
        requiredClaims: ['exp'],
      })
      return pendingSchema.parse(payload)
    } catch (error) {
      if (error instanceof errors.JOSEError) return null
      throw error
    }
  }
}

/** Lax: the provider sends the browser back by a link, and that brings it. */
const attributes = ({ protocol, pathname }: URL): string =>
  `; Path=${pathname}; HttpOnly; SameSite=Lax${protocol === 'https:' ? '; Secure' : ''}`
