/**
 * Who makes a request.
 * @module
 */

/** A signed-in user; the flags are read from the database for every request, never from the token. */
export interface UserPrincipal {
  readonly kind: 'user'
  readonly id: string
  readonly email: string
  readonly fullName: string | null
  readonly superuser: boolean
}

/** A worker, as its token says. */
export interface WorkerPrincipal {
  readonly kind: 'worker'
  /** Of the token. */
  readonly jti: string
  readonly name: string
  readonly labels: readonly string[]
}

/** A paired device, as its credential says. */
export interface DevicePrincipal {
  readonly kind: 'device'
  /** Of the device. */
  readonly id: string
  /** Id of the credential: pairing anew makes another one. */
  readonly credential: string
}

/** The caller of an endpoint, told apart by `kind`; every kind of credential adds its member here. */
export type Principal = UserPrincipal | WorkerPrincipal | DevicePrincipal
