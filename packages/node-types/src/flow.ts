/**
 * Typed constructors of the built-in node types, for `use` in flows written in TypeScript. Options are the settings in
 * camelCase. This entry holds no implementation.
 * @module
 */
import {
  type Inputs,
  type LatestType,
  latest,
  nodeType,
  type Outputs,
  type SecretRef,
  t,
  type TypedNode,
  type ValueOf,
  type ValuesOf,
  type ValueType,
} from '@flow-service/flow-sdk'
import type { Dtype, Json } from '@flow-service/protocol'

export {
  exec,
  type ExecOptions,
  file,
  type FileOptions,
  push,
  type PushOptions,
  tsdb,
  type TsdbConnection,
  type TsdbQuery,
  type TsdbSeries,
} from './flow-outside.ts'

export {
  mqtt,
  type MqttConnection,
  type MqttPublishOptions,
  type MqttSubscribeOptions,
  websocket,
  type WebsocketClientOptions,
  type WebsocketServeOptions,
} from './flow-sockets.ts'

type NoPorts = Record<never, never>
type AnyValue = ValueType<unknown, Dtype>

/** Options of {@link http.webhook}. */
export interface WebhookOptions<O extends Outputs> {
  /** Route path below `/hooks/{flow}/`. */
  readonly url: string
  /** An object feeds the outputs it names; a single output takes anything else whole. */
  readonly out: O
  /** `POST` unless given. */
  readonly method?: 'GET' | 'POST'
  /** Last part of the address; without it anyone may post. */
  readonly secret?: string | SecretRef
  /** Answer once the arrival is on the disk; it is delivered again after a crash. */
  readonly durable?: boolean
}

/** Options of {@link http.request}. */
export interface RequestOptions<I extends Inputs, O extends Outputs> {
  /** Full URL. */
  readonly url: string
  readonly in: I
  /** Keys of the JSON object that the request answers. */
  readonly out?: O
  /** `POST` unless given. */
  readonly method?: 'GET' | 'POST'
  /** Seconds to wait for the answer; 30 unless given. */
  readonly timeout?: number
  readonly headers?: Readonly<Record<string, string | SecretRef>>
  /** Fixed query parameters; they win over inputs of the same name. */
  readonly query?: Readonly<Record<string, string | number | boolean | SecretRef>>
  /** False: inputs only trigger the request. */
  readonly sendInputs?: boolean
}

/** Webhooks and requests. */
export const http = {
  /**
   * Receive requests while the flow is active.
   * @example const { alert } = use(http.webhook({ url: 'alerts', out: { alert: t.object }, secret: secret('hook') }))
   */
  webhook: <O extends Outputs>({ out, ...settings }: WebhookOptions<O>): TypedNode<NoPorts, O> =>
    nodeType('http', { out, settings }),

  /**
   * Request a URL on each arrival; the outputs are keys of the JSON object it answers.
   * @example use(http.request({ url: 'https://example.com/score', in: { x: t.float }, out: { y: t.float } }), { x })
   */
  request: <I extends Inputs, O extends Outputs = NoPorts>(options: RequestOptions<I, O>): TypedNode<I, O> => {
    const { in: inputs, out, sendInputs, ...settings } = options
    return nodeType('http', {
      in: inputs,
      out: out ?? ({} as O),
      settings: { ...settings, send_inputs: sendInputs },
    })
  },
}

/** Options of {@link inject}. */
export interface InjectOptions<O extends Outputs> {
  readonly out: O
  /** Value to emit; the current time unless given. */
  readonly payload?: ValueOf<O[keyof O]>
  /** Value by output, in place of `payload`. */
  readonly payloads?: { readonly [K in keyof O]?: ValueOf<O[K]> }
  /** Seconds between two emissions; 0, the default, emits none by itself. */
  readonly interval?: number
  /** Five fields: minute hour day month weekday. */
  readonly cron?: string
  /** Emit once after the flow has started. */
  readonly atStart?: boolean
  /** Seconds from the start to that emission; 1 unless given. */
  readonly startDelay?: number
}

/**
 * Emit a value on request, at an interval, by a cron pattern or at the start of the flow.
 * @example use(inject({ out: { tick: t.str }, cron: '0 6 * * mon-fri' }))
 */
export function inject<O extends Outputs>(options: InjectOptions<O>): TypedNode<NoPorts, O> {
  const { out, atStart, startDelay, ...settings } = options
  return nodeType('inject', { out, settings: { ...settings, at_start: atStart, start_delay: startDelay } })
}

/** Options of {@link delay}. */
export interface DelayOptions {
  /** Seconds to hold each message. */
  readonly delay?: number
  /** Least seconds between two messages; the latest one that came meanwhile is sent at the end. */
  readonly interval?: number
  /** Five fields: emit the latest message by the clock instead. */
  readonly cron?: string
}

/**
 * Hold messages back, limit their rate, or emit the latest one by the clock. Ports: `in` and `out`.
 * @example use(delay(t.float, { interval: 10 }), { in: m.temp }, { out: { out: 'calmTemp' } })
 */
export const delay = <P extends AnyValue>(
  of: P,
  options: DelayOptions,
): TypedNode<{ readonly in: P }, { readonly out: P }> =>
  nodeType('delay', { in: { in: of }, out: { out: of }, settings: { ...options } })

/** A rule of {@link switchOn}; values of another type than `value` do not match, also with `ne`. */
export interface SwitchRule<N extends string = string> {
  readonly operator: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'contains' | 'between'
  /** With `between`: `[low, high]`, both included. */
  readonly value: Json
  /** Name of the output; the switch has each output that a rule or `otherwise` names. */
  readonly output: N
  /** Compare this part of an object: keys joined by dots. */
  readonly key?: string
}

/** Options of {@link switchOn}. */
export interface SwitchOptions<N extends string> {
  /** Checked in order. */
  readonly rules: readonly SwitchRule<N>[]
  /** False: leave through every output that has a matching rule. */
  readonly stopAtFirst?: boolean
  /** Output of values that match no rule; they are dropped unless given. */
  readonly otherwise?: N
}

/**
 * Route a value by rules. The input is called `in`; the rules name the outputs, which carry the whole value.
 * @example
 * const { page } = use(switchOn(t.object, { rules: [{ key: 'level', operator: 'eq', value: 'high', output: 'page' }] }), { in: alert })
 */
export function switchOn<P extends AnyValue, const N extends string>(
  of: P,
  { rules, stopAtFirst, otherwise }: SwitchOptions<N>,
): TypedNode<{ readonly in: P }, { readonly [K in N]: P }> {
  const names = new Set([...rules.map(({ output }) => output), ...(otherwise === undefined ? [] : [otherwise])])
  const out = Object.fromEntries([...names].map((name) => [name, of])) as { readonly [K in N]: P }
  return nodeType('switch', { in: { in: of }, out, settings: { rules, stop_at_first: stopAtFirst, otherwise } })
}

/** Options of {@link change}. */
export interface ChangeOptions<Q extends AnyValue> {
  /** Type of the output; that of the input unless given. */
  readonly out?: Q
  readonly scale?: number
  readonly offset?: number
  /** Decimal places; halves go away from zero. */
  readonly roundTo?: number
  /** Value by the text of the value it replaces. */
  readonly mapping?: Readonly<Record<string, ValueOf<Q>>>
  /** In place of a value that the mapping lacks, which passes unless given. */
  readonly default?: ValueOf<Q>
}

/**
 * Scale, shift and round numbers, then replace values by a table. Ports: `in` and `out`.
 * @example const { out } = use(change(t.float, { scale: 1.8, offset: 32, roundTo: 1 }), { in: celsius }, { out: { out: 'fahrenheit' } })
 */
export function change<P extends AnyValue, Q extends AnyValue = P>(
  of: P,
  options: ChangeOptions<Q> = {},
): TypedNode<{ readonly in: P }, { readonly out: Q }> {
  const { out, roundTo, ...settings } = options
  // Without `out`, Q is P by its default.
  const target = out ?? (of as unknown as Q)
  return nodeType('change', { in: { in: of }, out: { out: target }, settings: { ...settings, round_to: roundTo } })
}

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

type Joined<I, M> = M extends 'array'
  ? ValueType<readonly ValueOf<I[keyof I]>[], 'array'>
  : ValueType<ValuesOf<I>, 'object'>

/**
 * Gather the latest values of several inputs into one object (or array, in port order) on the output `out`.
 * @example const { out } = use(join({ in: { temp: t.float, room: t.str } }), { temp, room }, { out: { out: 'reading' } })
 */
export function join<I extends Inputs, M extends 'object' | 'array' = 'object'>(options: {
  readonly in: I
  readonly mode?: M
}): TypedNode<I, { readonly out: Joined<I, M> }> {
  const out = (options.mode === 'array' ? t.array : t.object) as unknown as Joined<I, M>
  return nodeType('join', { in: options.in, out: { out }, settings: { mode: options.mode } })
}

/** Options of {@link rbe}. */
export interface RbeOptions {
  /** Numbers that differ by less from the last one that passed are held back; 0 unless given. */
  readonly deadband?: number
  /** The deadband is a percentage of that number. */
  readonly deadbandPercent?: boolean
}

/**
 * Pass a value only when it differs from the last one that passed. Ports: `in` and `out`.
 * @example const { out } = use(rbe(t.float, { deadband: 0.5 }), { in: m.temp }, { out: { out: 'settled' } })
 */
export const rbe = <P extends AnyValue>(
  of: P,
  { deadbandPercent, ...settings }: RbeOptions = {},
): TypedNode<{ readonly in: P }, { readonly out: P }> =>
  nodeType('rbe', { in: { in: of }, out: { out: of }, settings: { ...settings, deadband_percent: deadbandPercent } })

type Numbers = Readonly<Record<string, typeof t.float | typeof t.int>>

/**
 * One layer: each output is a weighted sum of the inputs plus a bias, drawn from `seed` (0 unless given).
 * @example const { y } = use(mlp({ in: { a: t.float, b: t.float }, out: { y: t.float }, seed: 7 }), { a, b })
 */
export const mlp = <I extends Numbers, O extends Readonly<Record<string, typeof t.float>>>(options: {
  readonly in: I
  readonly out: O
  readonly seed?: number
}): TypedNode<I, O> => nodeType('mlp', { in: options.in, out: options.out, settings: { seed: options.seed } })
