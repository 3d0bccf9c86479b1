/**
 * Typed constructor of `debounce`.
 * @module
 */
import { type LatestType, latest, nodeType, t, type TypedNode, type ValueOf } from '@flow-service/flow-sdk'

import type { AnyValue } from '../../constructor-ports.ts'

interface QuietOptions<W extends string> {
  /** Seconds of quiet before the second value; 60 unless given. */
  readonly wait?: number
  /** False: the wait runs from the first value of a burst. */
  readonly extend?: boolean
  /** Name of an input that carries the wait; zero or less takes back the second value. */
  readonly waitPort?: W
}

/**
 * Options of {@link debounce}. Where the type takes a bool, `first` (true) and `then` (false) may be left out, and with
 * them all options. `passthrough` sends the incoming value in place of `first`, so that `in` has the type too.
 */
export type DebounceOptions<T, W extends string = never, B extends boolean = false> = QuietOptions<W> & {
  readonly passthrough?: boolean extends B ? 'true or false as it is written, since the ports depend on it' : B
} & (true extends B ? unknown : boolean extends T ? { readonly first?: T } : { readonly first: T }) &
  (boolean extends T ? { readonly then?: T | null } : { readonly then: T | null })

type DebounceNode<I, P extends AnyValue, W extends string> = TypedNode<
  { readonly in: I } & { readonly [K in W]: LatestType<number, 'float'> },
  { readonly out: P }
>

/**
 * Send one value at once and another when the input has been quiet. Ports: `in`, which takes any value unless it is
 * passed through, `out`, and the wait port if it is named.
 * @example use(debounce(t.bool, { wait: 90 }), { in: m.motion }, { out: { out: m.light } })
 */
export function debounce<P extends AnyValue>(
  of: boolean extends ValueOf<P> ? P : 'a type of bool or any, as the options first and then are left out',
): DebounceNode<typeof t.any, P, never>
export function debounce<P extends AnyValue, const W extends string = never, const B extends boolean = false>(
  of: P,
  options: DebounceOptions<ValueOf<P>, W, B>,
): DebounceNode<true extends B ? P : typeof t.any, P, W>
// Told apart by the number of arguments alone, so that an error speaks of the one that is meant.
export function debounce(
  of: AnyValue,
  options: QuietOptions<string> & { readonly passthrough?: boolean | string } = {},
): TypedNode<never, never> {
  const { waitPort, ...settings } = options
  const wait = waitPort === undefined ? {} : { [waitPort]: latest(t.float, options.wait ?? 60) }
  const inputs = { in: options.passthrough ? of : t.any, ...wait } as DebounceNode<AnyValue, AnyValue, string>['in']
  const spec = { in: inputs, out: { out: of }, settings: { ...settings, wait_port: waitPort } }
  return nodeType('debounce', spec) as TypedNode<never, never>
}
