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

/** Options of {@link debounce}; `first` (true) and `then` (false) may be left out where the type takes a bool. */
export type DebounceOptions<T, W extends string = never> = QuietOptions<W> & {
  readonly passthrough?: false
} & (boolean extends T
    ? { readonly first?: T; readonly then?: T | null }
    : { readonly first: T; readonly then: T | null })

/** Options of a {@link debounce} that sends the incoming value in place of `first`. */
export type PassthroughOptions<T, W extends string = never> = QuietOptions<W> & {
  readonly passthrough: true
} & (boolean extends T ? { readonly then?: T | null } : { readonly then: T | null })

type DebounceNode<I, P extends AnyValue, W extends string> = TypedNode<
  { readonly in: I } & { readonly [K in W]: LatestType<number, 'float'> },
  { readonly out: P }
>

/**
 * Send one value at once and another when the input has been quiet. Ports: `in`, which takes any value unless it is
 * passed through, `out`, and the wait port if it is named.
 * @example use(debounce(t.bool, { wait: 90 }), { in: m.motion }, { out: { out: m.light } })
 */
export function debounce<P extends AnyValue, const W extends string = never>(
  of: P,
  options: PassthroughOptions<ValueOf<P>, W>,
): DebounceNode<P, P, W>
export function debounce<P extends typeof t.bool | typeof t.any, const W extends string = never>(
  of: P,
  options?: DebounceOptions<ValueOf<P>, W>,
): DebounceNode<typeof t.any, P, W>
export function debounce<P extends AnyValue, const W extends string = never>(
  of: P,
  options: DebounceOptions<ValueOf<P>, W>,
): DebounceNode<typeof t.any, P, W>
export function debounce(
  of: AnyValue,
  options: QuietOptions<string> & { readonly passthrough?: boolean } = {},
): DebounceNode<AnyValue, AnyValue, string> {
  const { waitPort, ...settings } = options
  const wait = waitPort === undefined ? {} : { [waitPort]: latest(t.float, options.wait ?? 60) }
  const inputs = { in: options.passthrough ? of : t.any, ...wait } as DebounceNode<AnyValue, AnyValue, string>['in']
  return nodeType('debounce', { in: inputs, out: { out: of }, settings: { ...settings, wait_port: waitPort } })
}
