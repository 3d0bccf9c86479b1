/**
 * The OpenID provider as a client asks it: what it says of itself, where people sign in, and who has signed in. Its address is
 * the operator's own; its answers are believed after OpenID Connect Core, section 3.1.3, signatures included.
 *
 * - provider.P1 nobody waits for it longer than {@link PATIENCE_MS} a request, and while it fails it is asked once in
 *   {@link PAUSE_MS}.
 * - provider.P2 what it says of itself is read again after {@link FRESH_MS}; while that fails, the last counts on.
 * - provider.P3 an e-mail address and its verification come from the same answer.
 * @module
 */
import * as oidc from 'openid-client'

import type { ResolvedConfig } from '../../config.ts'

const PATIENCE_MS = 10_000
const PAUSE_MS = 5_000
const FRESH_MS = 3_600_000

/** At most 255 characters (OpenID Connect Core, section 2). */
const SUBJECT = /^\P{C}{1,255}$/u
const EMAIL = /^(?=.{3,320}$)[^@\s\p{C}]+@[^@\s\p{C}]+$/u

/** The settings of a provider, which are all there. */
export type ProviderConfig = Pick<ResolvedConfig, 'oidcGroupsClaim' | 'oidcSuperuserGroup'> & {
  readonly oidcIssuer: string
  readonly oidcClientId: string
  readonly oidcClientSecret: string
}

/** What a sign-in has to come back with. */
interface Checks {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

/** Somebody who has signed in, as the provider says. */
export interface Person {
  readonly issuer: string
  readonly subject: string
  readonly email: string | null
  readonly isVerified: boolean
  readonly name: string | null
  readonly groups: readonly string[]
}

/** The provider has signed nobody in: it has refused, or does not answer as it should. The message is for the log. */
export class ProviderError extends Error {
  readonly word: 'denied' | 'provider'
  constructor(word: 'denied' | 'provider', message: string) {
    super(message)
    this.word = word
  }
}

/** The provider of a configuration. */
export class OidcProvider {
  readonly #config: ProviderConfig
  readonly #patienceMs: number
  readonly #now: () => number
  #known: { readonly client: oidc.Configuration; readonly atMs: number } | null = null
  #asking: Promise<oidc.Configuration> | null = null
  #failed: { readonly error: ProviderError; readonly atMs: number } | null = null

  constructor(options: {
    readonly config: ProviderConfig
    /** Milliseconds; 10,000 unless given. */
    readonly patienceMs?: number
    readonly now?: () => number
  }) {
    this.#config = options.config
    this.#patienceMs = options.patienceMs ?? PATIENCE_MS
    this.#now = options.now ?? Date.now
  }

  /** Where the person signs in, who comes back to `callback`. Rejects with `ProviderError`. */
  async signInUrl(callback: URL, { state, nonce, verifier }: Checks): Promise<string> {
    const client = await this.#client()
    const { oidcGroupsClaim: groups, oidcSuperuserGroup: group } = this.#config
    const isOffered = group !== null && client.serverMetadata().scopes_supported?.includes(groups)
    return told(async () => {
      const url = oidc.buildAuthorizationUrl(client, {
        redirect_uri: callback.href,
        scope: `openid email profile${isOffered ? ` ${groups}` : ''}`,
        state,
        nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      })
      return url.href
    })
  }

  /** Who has come back to `returned`, the callback with its query. Rejects with `ProviderError`. */
  async person(returned: URL, { state, nonce, verifier }: Checks): Promise<Person> {
    const client = await this.#client()
    return told(async () => {
      const tokens = await oidc.authorizationCodeGrant(client, returned, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      })
      const claims = tokens.claims()
      if (claims === undefined) throw new ProviderError('provider', 'there is no ID token')
      const sources: Record<string, unknown>[] = [claims]
      if (this.#lacks(claims) && client.serverMetadata().userinfo_endpoint !== undefined)
        sources.push(await oidc.fetchUserInfo(client, tokens.access_token, claims.sub))
      return this.#personOf(claims, sources)
    })
  }

  #lacks(claims: Record<string, unknown>): boolean {
    const { oidcGroupsClaim: groups, oidcSuperuserGroup: group } = this.#config
    return claims.email === undefined || claims.email_verified === undefined || (group !== null && !claims[groups])
  }

  #personOf({ iss, sub }: { iss: string; sub: string }, sources: readonly Record<string, unknown>[]): Person {
    if (!SUBJECT.test(sub)) throw new ProviderError('provider', 'the subject of the ID token is no text')
    const mailed = sources.filter(({ email }) => EMAIL.test(textOf(email)))
    const mail = mailed.find((claims) => claims.email_verified !== undefined) ?? mailed[0]
    const name = sources.map((claims) => textOf(claims.name).replaceAll(/\p{C}/gu, '').slice(0, 200)).find(Boolean)
    const groups = sources.map((claims) => claims[this.#config.oidcGroupsClaim]).find(Boolean) ?? []
    return {
      issuer: iss,
      subject: sub,
      email: mail === undefined ? null : textOf(mail.email),
      isVerified: mail?.email_verified === true,
      name: name ?? null,
      groups: [groups].flat().filter((group) => typeof group === 'string'),
    }
  }

  async #client(): Promise<oidc.Configuration> {
    const nowMs = this.#now()
    if (this.#known && nowMs - this.#known.atMs < FRESH_MS) return this.#known.client
    // (provider.P1)
    if (this.#failed && nowMs - this.#failed.atMs < PAUSE_MS) {
      if (this.#known) return this.#known.client
      throw this.#failed.error
    }
    this.#asking ??= this.#discover().finally(() => (this.#asking = null))
    return this.#asking
  }

  async #discover(): Promise<oidc.Configuration> {
    const { oidcIssuer, oidcClientId, oidcClientSecret } = this.#config
    const issuer = new URL(oidcIssuer)
    try {
      const client = await told(() =>
        oidc.discovery(issuer, oidcClientId, undefined, secretOf(oidcClientSecret), {
          timeout: this.#patienceMs / 1000,
          execute: [
            oidc.enableNonRepudiationChecks,
            // what the configuration does not allow is no issuer
            ...(issuer.protocol === 'http:' ? [oidc.allowInsecureRequests] : []),
          ],
        }),
      )
      this.#known = { client, atMs: this.#now() }
      this.#failed = null
      return client
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error
      this.#failed = { error, atMs: this.#now() }
      // (provider.P2)
      if (this.#known) return this.#known.client
      throw error
    }
  }
}

const textOf = (claim: unknown): string => (typeof claim === 'string' ? claim : '')

/** The client proves itself as the provider wants it (OpenID Connect Discovery, section 3). */
const secretOf =
  (secret: string): oidc.ClientAuth =>
  (server, ...rest) => {
    const posts = server.token_endpoint_auth_methods_supported?.includes('client_secret_post')
    const prove = posts ? oidc.ClientSecretPost(secret) : oidc.ClientSecretBasic(secret)
    prove(server, ...rest)
  }

/** What comes of asking; whatever goes wrong is the provider's. */
async function told<T>(ask: () => T | Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof ProviderError || !(error instanceof Error)) throw error
    const isDenial = error instanceof oidc.AuthorizationResponseError && error.error === 'access_denied'
    throw new ProviderError(isDenial ? 'denied' : 'provider', wordsOf(error))
  }
}

/** An error without what it has met: answers of the provider hold tokens. */
function wordsOf(error: Error): string {
  if (error instanceof oidc.ResponseBodyError || error instanceof oidc.AuthorizationResponseError)
    return `it answers the error "${error.error}"`
  const { cause } = error
  return cause instanceof Error ? `${error.message}: ${cause.message}` : error.message
}
