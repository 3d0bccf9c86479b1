/**
 * What the authorization server needs of the engine that it stands in.
 * @module
 */
import type { KeyObject } from 'node:crypto'

import type { Scope } from '@flow-service/protocol'

/** A program that may ask to be let in. */
export interface AuthorizationClient {
  readonly id: string
  readonly name: string
  readonly redirectUris: readonly string[]
  /** It has made itself known: nobody has looked at its name. */
  readonly registered: boolean
}

/** Somebody who may let an agent in. */
export interface AuthorizationUser {
  readonly id: string
  readonly email: string
}

/** An agent that is let in. */
export interface LetIn {
  readonly id: string
  readonly account: string
  /** Null for a program that is forgotten. */
  readonly clientId: string | null
  readonly scopes: readonly Scope[]
  /** Seconds since the Unix epoch. */
  readonly createdAt: number
  readonly expiresAt: number
}

/** Something that the authorization server remembers under an id that whoever has it may use. */
export interface KeptRecord {
  readonly payload: object
  readonly isConsumed: boolean
}

/** How a sign-in ends. */
export type SignInAnswer =
  | { readonly kind: 'user'; readonly user: AuthorizationUser }
  | { readonly kind: 'wrong' }
  | { readonly kind: 'slow'; readonly waitS: number }

/** How a program that makes itself known is answered. */
export type RegisterAnswer =
  | { readonly kind: 'client'; readonly client: AuthorizationClient }
  | { readonly kind: 'fault'; readonly fault: string }
  | { readonly kind: 'slow'; readonly waitS: number }

/** The engine as the authorization server sees it. */
export interface AuthorizationHost {
  /** Ed25519; its public half verifies what is signed by it. */
  readonly privateKey: KeyObject
  /** Whether programs may make themselves known. */
  readonly registration: boolean
  findClient(id: string): Promise<AuthorizationClient | null>
  register(client: { name: string; redirectUris: readonly string[] }, address: string): Promise<RegisterAnswer>
  signIn(given: { address: string; email: string; password: string }): Promise<SignInAnswer>
  /** Somebody who may sign in now. */
  findUser(id: string): Promise<AuthorizationUser | null>
  /** Those of the scopes that could ever let an agent of the user do something. */
  scopesFor(userId: string, wanted: readonly Scope[]): Promise<readonly Scope[]>
  /** Lets an agent in; its id. */
  letIn(given: { userId: string; client: AuthorizationClient; scopes: readonly Scope[] }): Promise<string>
  /** One whose user and key are as they were, and that nobody has ended. */
  findLetIn(id: string): Promise<LetIn | null>
  /** It lasts this long from now on. */
  extendLetIn(id: string, lifetimeS: number): Promise<void>
  /** Ends it, with all that it was given; once more, it changes nothing. */
  endLetIn(id: string): Promise<void>
  readonly records: {
    save(given: { kind: string; id: string; payload: object; grant: string | null; lifetimeS: number }): Promise<void>
    find(kind: string, id: string): Promise<KeptRecord | null>
    /** Of all callers, on whichever engines, one gets true. */
    consume(kind: string, id: string): Promise<boolean>
    remove(kind: string, id: string): Promise<void>
  }
  readonly log: { error(fields: object, message: string): void }
}
