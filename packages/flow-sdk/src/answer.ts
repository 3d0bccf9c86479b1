/**
 * What the code of a stage or node answers, and what the compiler says of a wrong answer. `definition.ts` gives `run` these
 * types. The compiler would unfold a generator down to its iterator results, a dozen lines in which the port is lost; so the
 * type of a wrong `run` is a sentence, with which the one line of the error ends.
 * @module
 */
import type { ValueOf, ValuesOf } from './port-type.ts'

type StreamNames<O> = { [K in keyof O]: O[K] extends { kind: 'stream' } ? K : never }[keyof O]
/** The outputs that are streams. */
export type Streams<O> = Pick<O, StreamNames<O>>
/** Values by port name, of which each may be left out. */
export type Optional<O> = { readonly [K in keyof O]?: ValueOf<O[K]> | undefined }
/** What a stage returns. */
export type Finals<O> = ValuesOf<Omit<O, StreamNames<O>>> & Optional<Streams<O>>
/** The values, or nothing where each of them may be left out. */
export type OrNothing<R> = Record<never, never> extends R ? R | void : R
/** The ways to answer: `R` is returned, `Y` yielded. */
export type Produced<Y, R> = R | Promise<R> | Generator<Y, R, void> | AsyncGenerator<Y, R, void>

/** `Body`, if its answer `G` gives the streams `P` and the result `R`; or what is wrong with it. `O` has all outputs. */
export type Checked<Body, G, P, R, O> = [G] extends [Produced<Optional<P>, OrNothing<R>>]
  ? Body
  : Fault<YieldFault<Yielded<G>, P> | ReturnFault<Returned<G>, R, O>>

type Yielded<G> = G extends Generator<infer Y, unknown, never> | AsyncGenerator<infer Y, unknown, never> ? Y : never
type Returned<G> = G extends Generator<unknown, infer R, never> | AsyncGenerator<unknown, infer R, never>
  ? R
  : Awaited<G>

/** One sentence: the first, of several. */
type Fault<T> = [T] extends [never] ? 'run answers with something else than its outputs' : LastOf<T>

type YieldFault<Y, P> = [Y] extends [Optional<P>]
  ? never
  : [Unknown<Y, P>] extends [never]
    ? Wrong<Y, Optional<P>> extends infer K extends keyof P & string
      ? `run yields a wrong ${Listed<K>}: the stream is ${DtypeOf<P[K]>}`
      : never
    : `run yields ${Listed<Unknown<Y, P>>}, which is none of its streams: ${Listed<keyof P>}`

type ReturnFault<R, Finals, O> = [R] extends [OrNothing<Finals>]
  ? never
  : [Missing<R, Finals>] extends [never]
    ? [Wrong<R, Finals>] extends [never]
      ? `run returns ${Listed<Unknown<R, O>>}, which is none of its outputs: ${Listed<keyof O>}`
      : Wrong<R, Finals> extends infer K extends keyof O & string
        ? `run returns a wrong ${Listed<K>}: the output is ${DtypeOf<O[K]>}`
        : never
    : `run returns no ${Listed<Missing<R, Finals>>}: each output that is no stream has to be returned`

type DtypeOf<P> = P extends { readonly dtype: infer D extends string } ? D : never
type KeysOf<T> = T extends object ? keyof T : never
/** Keys that no port has. */
type Unknown<T, P> = Exclude<KeysOf<T>, keyof P>
/** Ports whose value is of another type. */
type Wrong<T, P> = T extends unknown
  ? { [K in keyof T & keyof P]: T[K] extends P[K] ? never : K }[keyof T & keyof P]
  : never
/** Ports that have to have a value and have none. */
type Missing<T, P> = {
  [K in keyof P]-?: Record<never, never> extends Pick<P, K> ? never : K extends KeysOf<T> ? never : K
}[keyof P]

type LastOf<T> = (T extends unknown ? (of: () => T) => void : never) extends (of: infer All) => void
  ? All extends () => infer Last
    ? Last
    : never
  : never
/** The names in one text, as a union of texts would be a message for each. */
type Listed<K> = [K] extends [never]
  ? '(none)'
  : LastOf<K> extends infer Last extends string
    ? [Exclude<K, Last>] extends [never]
      ? Last
      : `${Listed<Exclude<K, Last>>}, ${Last}`
    : '(others)'
