/**
 * References to messages, and which of them a port takes. A wire is checked twice: by the compiler with these types,
 * and while the flow is built with `compatible` of the protocol.
 * @module
 */
import type { Dtype, Json, Ref } from '@flow-service/protocol'

import type { ValueOf } from './port-type.ts'

declare const itTakes: unique symbol

type DtypeOf<P> = P extends { readonly dtype: infer D extends Dtype } ? D : never

/** A message whose dtype is known: what `use` returns for each output. */
export interface PortRef<out T, out D extends Dtype> extends Ref<T> {
  readonly dtype: D
}

/** A message of a live flow: read by inputs, published by outputs and from outside. */
export interface MessageRef<in out T, out D extends Dtype> extends PortRef<T, D>, Sink<T, D> {}

/** A message as the target of an output. */
interface Sink<in T, out D extends Dtype> {
  readonly message: string
  readonly dtype: D
  /** For the compiler alone, as in a Ref. */
  readonly [itTakes]: (value: T) => void
}

/** One typed Ref for each port. */
export type RefsOf<P> = { readonly [K in keyof P]: PortRef<ValueOf<P[K]>, DtypeOf<P[K]>> }
/** One typed Ref for each declared message. */
export type MessageRefsOf<P> = { readonly [K in keyof P]: MessageRef<ValueOf<P[K]>, DtypeOf<P[K]>> }

/** Dtypes that take values of another one, as `compatible` of the protocol has it. */
interface Widenings {
  int: 'float'
  image: 'media' | 'artifact'
  media: 'artifact'
}
/** The dtypes that take values of a dtype. */
export type Targets<D extends Dtype> = D extends 'any'
  ? Dtype
  : D | 'any' | (D extends keyof Widenings ? Widenings[D] : never)
/** The dtypes whose values a dtype takes. */
export type Sources<D extends Dtype> = { [S in Dtype]: D extends Targets<S> ? S : never }[Dtype]

/** What may be wired to an input. A message of `t.any` fits each one and is checked at delivery. */
export type WireTo<P> =
  Json extends ValueOf<P>
    ? Ref<unknown>
    : PortRef<ValueOf<P>, Exclude<Sources<DtypeOf<P>>, 'any'> | DtypeOf<P>> | PortRef<Json, 'any'>

/** What an output may be mapped to: another name, or a message that takes its values. */
export type MapTo<P> = string | Sink<ValueOf<P>, Targets<DtypeOf<P>>>
