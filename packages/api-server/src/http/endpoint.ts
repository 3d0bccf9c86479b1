/**
 * An endpoint is data: one definition from which validation, authorization, OpenAPI, the reference pages and the
 * generated client come. Handlers are typed by it.
 * @module
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'

import type { Steps } from '@flow-service/core'
import type { ProblemCode, Scope } from '@flow-service/protocol'
import type * as z from 'zod'

import type { Principal } from './principal.ts'

/** Who may call an endpoint. A superuser is a user too; the other kinds are accepted only where they are named. */
export type AuthLevel = 'open' | 'user' | 'superuser' | 'device' | 'worker'
/** One level, or several of which one suffices. */
type Auth = AuthLevel | readonly Exclude<AuthLevel, 'open'>[]
export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

/** How a request body travels. */
export type BodySpec<S extends z.ZodType = z.ZodType> =
  | {
      readonly kind: 'json'
      readonly schema: S
      readonly required: boolean
      /** What a body that is not required is read as when it is missing. */
      readonly missing: object | undefined
      readonly maxBytes: number | null
      /** How one is read that may be long; null: at once. */
      readonly long: LongBody | null
    }
  | { readonly kind: 'form'; readonly schema: S }
  | { readonly kind: 'bytes'; readonly maxBytes: number }

/** A body that is a document of thousands of items: others have turns while it is read. */
export interface LongBody {
  /** The member that has the items. */
  readonly list: string
  /** What the schema says of it. */
  readonly check: (value: unknown) => Steps<z.ZodSafeParseResult<unknown>>
}

/**
 * A JSON body. With `required: false` a missing body is read as `{}`; `maxBytes` replaces the general limit of
 * `MAX_BODY_BYTES`.
 */
export const json = <S extends z.ZodType>(
  schema: S,
  options: { required?: boolean; maxBytes?: number; long?: LongBody } = {},
) =>
  ({
    kind: 'json',
    schema,
    required: options.required ?? true,
    missing: {},
    maxBytes: options.maxBytes ?? null,
    long: options.long ?? null,
  }) as const

/** A JSON body that may be missing, which is no object then but nothing. */
export const optionalJson = <S extends z.ZodType>(schema: S, long: LongBody | null = null) =>
  ({ kind: 'json', schema: schema.optional(), required: false, missing: undefined, maxBytes: null, long }) as const

/** An `application/x-www-form-urlencoded` body; every field is a string. */
export const form = <S extends z.ZodType>(schema: S) => ({ kind: 'form', schema }) as const

/** Raw bytes of any media type: the handler reads a stream that fails with 413 beyond `maxBytes`. */
export const bytes = (maxBytes: number) => ({ kind: 'bytes', maxBytes }) as const

/** A declared success; refusals are listed as {@link Endpoint.problems}. */
export type ReplySpec<S extends z.ZodType = z.ZodType> =
  | {
      readonly kind: 'json'
      readonly description: string
      readonly schema: S
      readonly headers?: z.ZodObject
      /** Whether a handler may give the JSON in pieces, which are made while they are read. */
      readonly isLong?: true
    }
  | { readonly kind: 'empty'; readonly description: string; readonly headers?: z.ZodObject }
  | {
      readonly kind: 'stream'
      readonly description: string
      readonly types: readonly string[]
      readonly headers?: z.ZodObject
    }

/** Builders of declared successes; `headers` documents what the answer carries beside the content type. */
export const reply = {
  json: <S extends z.ZodType>(description: string, schema: S, headers?: z.ZodObject) =>
    ({ kind: 'json', description, schema, ...(headers ? { headers } : {}) }) as const,
  longJson: <S extends z.ZodType>(description: string, schema: S, headers?: z.ZodObject) =>
    ({ kind: 'json', isLong: true, description, schema, ...(headers ? { headers } : {}) }) as const,
  empty: (description: string, headers?: z.ZodObject) =>
    ({ kind: 'empty', description, ...(headers ? { headers } : {}) }) as const,
  stream: (description: string, types: readonly string[], headers?: z.ZodObject) =>
    ({ kind: 'stream', description, types, ...(headers ? { headers } : {}) }) as const,
}

/** The definition of one operation. */
export interface Endpoint {
  /** `group.name`: also the method's place in the generated client. */
  readonly id: `${string}.${string}`
  readonly method: Method
  /** OpenAPI path template under the base URL, for example `/flows/{name}/publish`. */
  readonly path: `/${string}`
  readonly summary: string
  readonly description?: string
  readonly deprecated?: boolean
  readonly auth: Auth
  /** What a key or token of a user has to cover; null is none. Needed exactly where users are let in. */
  readonly scope?: Scope | null
  /**
   * The path parameter for whose value a ticket lets a browser in: `ticket=` of the query, which the endpoint declares, in
   * place of the `Authorization` header.
   */
  readonly ticketFor?: string
  /**
   * The path parameter that names the flow, or a message or a dead letter of the flow, which has to run for the answer: where
   * engines share a database, the one that runs it answers.
   */
  readonly place?: { readonly param: string; readonly names: 'flow' | 'letter' | 'message' }
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject
  readonly body?: BodySpec
  readonly replies: { readonly [status: number]: ReplySpec }
  /** The refusals that are characteristic of this operation, for the reference. */
  readonly problems?: readonly ProblemCode[]
}

type PathParams<P extends string> = P extends `${string}{${infer N}}${infer R}` ? N | PathParams<R> : never

type Params<E extends Endpoint> = [PathParams<E['path']>] extends [never]
  ? { params?: never }
  : { params: z.ZodObject<Record<PathParams<E['path']>, z.ZodType>> }
type Scoped<E extends Endpoint> = [Extract<LevelOf<E['auth']>, 'user' | 'superuser'>] extends [never]
  ? { scope?: never }
  : { scope: Scope | null }

/**
 * Declares an endpoint; a path parameter without a schema, or a schema without one, does not compile, and neither does
 * one that lets users in without a scope.
 */
export const endpoint = <const E extends Endpoint>(definition: E & Params<E> & Scoped<E>): E => definition

type Out<S> = S extends z.ZodType ? z.output<S> : never
type BodyOf<B> = B extends { kind: 'bytes' }
  ? Readable
  : B extends { kind: 'json' | 'form'; schema: infer S }
    ? Out<S>
    : undefined
type LevelOf<A> = A extends readonly (infer L)[] ? L : A
type KindOf<L> = L extends 'user' | 'superuser' ? 'user' : L
type PrincipalOf<A> = A extends 'open' ? undefined : Extract<Principal, { kind: KindOf<LevelOf<A>> }>

/** What a handler may know of the request beside its parsed parts. */
export interface RequestFacts {
  /** In upper case: HEAD where the endpoint is one of GET. */
  readonly method: string
  /** Media type of the body in lower case without parameters, `null` when none was sent. */
  readonly mediaType: string | null
  readonly headers: IncomingHttpHeaders
  /** Absolute URL of the API, `https://host/mount/api/v1`: links in answers begin with it. */
  readonly baseUrl: string
  /** Path and query below {@link RequestFacts.baseUrl}, as sent. */
  readonly url: string
  /** Address of the client, `''` when the connection is already gone. */
  readonly address: string
}

/** What a handler gets. */
export interface Call<E extends Endpoint> {
  readonly params: E['params'] extends z.ZodObject ? z.output<E['params']> : undefined
  readonly query: E['query'] extends z.ZodObject ? z.output<E['query']> : undefined
  readonly body: BodyOf<E['body']>
  /** The caller; `undefined` exactly on open endpoints. */
  readonly principal: PrincipalOf<E['auth']>
  /** Aborted when the client goes away before the answer is complete. */
  readonly signal: AbortSignal
  readonly request: RequestFacts
}

type Headers = Readonly<Record<string, string>>
type ReplyValue<S, R> = R extends { kind: 'json'; schema: infer V extends z.ZodType }
  ?
      | { readonly status: S; readonly value: z.input<V>; readonly headers?: Headers }
      | (R extends { isLong: true }
          ? { readonly status: S; readonly text: AsyncIterable<string>; readonly headers?: Headers }
          : never)
  : R extends { kind: 'stream' }
    ? {
        readonly status: S
        readonly type: string
        readonly headers?: Headers
        readonly body: AsyncIterable<string | Uint8Array>
      }
    : { readonly status: S; readonly headers?: Headers }

/** What a handler returns: one of the declared statuses with what its reply asks for. Refusals are thrown. */
type Reply<E extends Endpoint> = {
  [S in keyof E['replies'] & number]: ReplyValue<S, E['replies'][S]>
}[keyof E['replies'] & number]

/** Answers one operation; refuses by throwing a `ProblemError`. */
export type Handler<E extends Endpoint> = (call: Call<E>) => Promise<Reply<E>> | Reply<E>

/** The endpoints of a slice by handler name. */
export type Contract = Readonly<Record<string, Endpoint>>
/** The handlers that belong to a contract. */
export type Handlers<C extends Contract> = { readonly [K in keyof C]: Handler<C[K]> }
