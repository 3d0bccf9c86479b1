/**
 * Signing in by OpenID Connect, from the button to the session (wire decision U3): to the provider and back, by the browser
 * that began it, and then a code by which the page or the program that began it gets the session.
 * @module
 */
import { hash, randomBytes } from 'node:crypto'

import type { SignInError, Token } from '@flow-service/protocol'

import type { ResolvedConfig } from '../../config.ts'
import type { Database } from '../../db/database.ts'
import type { EventLog } from '../../events/event-log.ts'
import { isLoopbackAddress } from '../../http/address.ts'
import { ProblemError } from '../../http/errors.ts'
import type { Log } from '../../process/log.ts'
import { createAccountNews } from '../account-news.ts'
import type { Sessions } from '../sessions.ts'
import type { Users } from '../users.ts'
import { Identities } from './identities.ts'
import { createOidcStore } from './oidc-store.ts'
import { OidcProvider, ProviderError } from './provider.ts'
import { SIGN_IN_SECONDS, SignInCookie } from './sign-in-cookie.ts'

/** How long a code can be exchanged, in seconds. */
const CODE_SECONDS = 60

export interface OidcSignInDeps {
  readonly config: ResolvedConfig
  readonly database: Pick<Database, 'sql' | 'transaction' | 'listen' | 'notify'>
  readonly eventLog: Pick<EventLog, 'audit'>
  readonly log: Pick<Log, 'warn'>
  readonly sessionKey: Uint8Array
  readonly sessions: Pick<Sessions, 'issue'>
  readonly users: Pick<Users, 'find'>
}

/** Where a browser goes next, with its cookie set or ended. */
interface Redirection {
  readonly location: string
  readonly cookie: string
}

/** The sign-in by the provider of a configuration. */
export class OidcSignIn {
  readonly #deps: OidcSignInDeps
  readonly #provider: OidcProvider
  readonly #cookie: SignInCookie
  readonly #identities: Identities

  constructor(deps: OidcSignInDeps, provider: OidcProvider) {
    this.#deps = deps
    this.#provider = provider
    this.#cookie = new SignInCookie(deps.sessionKey)
    this.#identities = new Identities({ ...deps, news: createAccountNews(deps.database) })
  }

  /** What people call it. */
  get name(): string {
    return this.#deps.config.oidcName
  }

  /** To the provider, or back with an error when it does not answer. `apiUrl` is that of the request. */
  async begin(returnTo: string, apiUrl: string): Promise<Redirection> {
    const callback = this.#callback(apiUrl)
    const [state, nonce, verifier] = [secret(), secret(), secret()]
    try {
      const location = await this.#provider.signInUrl(callback, { state, nonce, verifier })
      return { location, cookie: await this.#cookie.set({ state, nonce, verifier, returnTo }, callback) }
    } catch (error) {
      return { location: withError(returnTo, this.#wordOf(error)), cookie: this.#cookie.clear(callback) }
    }
  }

  /** Back from the provider with its `query`: to where the sign-in was begun, with a code or an error. */
  async finish(query: string, cookies: string | undefined, apiUrl: string): Promise<Redirection> {
    const callback = this.#callback(apiUrl)
    const cookie = this.#cookie.clear(callback)
    const pending = await this.#cookie.read(cookies)
    if (!pending) return { location: withError('/', 'expired'), cookie }
    const { returnTo, ...checks } = pending
    const back = (error: SignInError): Redirection => ({ location: withError(returnTo, error), cookie })
    const store = createOidcStore(this.#deps.database.sql)
    // of another sign-in, or of one that has come back before, at whichever engine
    if (new URLSearchParams(query).get('state') !== checks.state) return back('expired')
    if (!(await store.takeReturned(proofOf(checks.state), SIGN_IN_SECONDS))) return back('expired')
    try {
      const person = await this.#provider.person(new URL(`${callback.href}?${query}`), checks)
      const admission = await this.#identities.admit(person)
      if ('refused' in admission) return back(admission.refused)
      const code = secret()
      await store.addCode(proofOf(code), admission.account, CODE_SECONDS)
      return { location: `${returnTo}#code=${code}`, cookie }
    } catch (error) {
      return back(this.#wordOf(error))
    }
  }

  /** The session of a code. Refuses with `invalid_token`. */
  async redeem(code: string): Promise<Token> {
    const account = await createOidcStore(this.#deps.database.sql).takeCode(proofOf(code))
    const user = account === null ? null : await this.#deps.users.find(account)
    if (user) return this.#deps.sessions.issue(user)
    throw new ProblemError('invalid_token', 'the code is unknown, used or older than 60 seconds: sign in again')
  }

  /** Where the provider sends people back to: of a `Host` header it is made only where that is this machine itself. */
  #callback(apiUrl: string): URL {
    const { baseUrl } = this.#deps.config
    const { hostname } = new URL(baseUrl ?? apiUrl)
    if (baseUrl === null && hostname !== 'localhost' && !isLoopbackAddress(hostname.replaceAll(/[[\]]/g, '')))
      throw new ProblemError(
        'unavailable',
        `people cannot be sent back to "${hostname}": set SERVICE_BASE_URL to the URL of the API`,
      )
    return new URL(`${baseUrl ?? apiUrl}/login/oidc/callback`)
  }

  #wordOf(error: unknown): SignInError {
    if (!(error instanceof ProviderError)) throw error
    const { oidcIssuer: issuer } = this.#deps.config
    if (error.word === 'provider') this.#deps.log.warn({ issuer, reason: error.message }, 'the OpenID provider failed')
    return error.word
  }
}

/** The sign-in by OpenID Connect; null while no issuer is configured. */
export function createOidcSignIn(deps: OidcSignInDeps): OidcSignIn | null {
  const { oidcIssuer, oidcClientId, oidcClientSecret, ...config } = deps.config
  if (oidcIssuer === null || oidcClientId === null || oidcClientSecret === null) return null
  return new OidcSignIn(deps, new OidcProvider({ config: { ...config, oidcIssuer, oidcClientId, oidcClientSecret } }))
}

const secret = (): string => randomBytes(32).toString('base64url')
const proofOf = (text: string): Buffer => hash('sha256', text, 'buffer')
const withError = (returnTo: string, error: SignInError): string => `${returnTo}#error=${error}`
