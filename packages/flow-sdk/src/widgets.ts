/**
 * Widgets of dashboards: each is made from the messages that it shows or publishes, whose types have to fit. Where they
 * stand is up to `dashboard`.
 * @module
 */
import {
  type ArtifactRef,
  type BatchFlow,
  type Dtype,
  type Json,
  type Ref,
  type WidgetInput,
} from '@flow-service/protocol'

import { defined } from './definition.ts'
import { FlowError } from './flow-error.ts'
import type { MessageRef, PortRef } from './message-ref.ts'

/** What every widget may say of itself; `w` and `h` are columns and rows. */
export interface WidgetOptions {
  /** Once in a dashboard; made up unless given. */
  readonly id?: string
  /** The name of the message unless given. */
  readonly title?: string
  readonly w?: number
  readonly h?: number
}

type Typed = WidgetInput extends infer W
  ? W extends { type: string }
    ? Omit<W, 'id' | 'x' | 'y' | 'w' | 'h'>
    : never
  : never

/** A widget that has no place yet. */
export interface Widget {
  readonly kind: 'widget'
  /** As the document has it, but for its place. */
  readonly shown: Typed
  readonly id: string | undefined
  /** What was asked for. */
  readonly size: { readonly w: number | undefined; readonly h: number | undefined }
  /** What it has where nothing was asked for. */
  readonly usual: { readonly w: number; readonly h: number }
}

type Shown<D extends Dtype> = PortRef<unknown, D | 'any'>
type NumberRef = Shown<'float' | 'int'>
type NumberTarget = MessageRef<number, 'float' | 'int'> | MessageRef<Json, 'any'>
type TextTarget = MessageRef<string, 'str'> | NumberTarget

const made = (type: Typed['type'], { w, h }: Widget['usual'], given: WidgetOptions, content: object): Widget => ({
  kind: 'widget',
  // `dashboard` checks it with the schema, and says what is wrong
  shown: { type, ...defined({ title: given.title }), ...content } as Typed,
  id: given.id,
  size: { w: given.w, h: given.h },
  usual: { w, h },
})

/** The options of a type: those that are given, without what every widget has. */
function optionsOf({ id: _id, title: _title, w: _w, h: _h, ...options }: WidgetOptions): object {
  return { options: defined(options) }
}

const bound = ({ message }: Ref<unknown>, given: WidgetOptions): object => ({
  title: given.title ?? message.slice(message.indexOf('.') + 1),
  binding: { message },
  ...optionsOf(given),
})

/** Options of {@link value}. */
export interface ValueOptions extends WidgetOptions {
  readonly unit?: string
  /** Digits behind the point. */
  readonly decimals?: number
}

/** The last value of a message. */
export const value = (ref: Ref<unknown>, options: ValueOptions = {}): Widget =>
  made('value', { w: 3, h: 2 }, options, bound(ref, options))

/** Options of {@link gauge}. */
export interface GaugeOptions extends WidgetOptions {
  /** 0 unless given. */
  readonly min?: number
  /** 100 unless given. */
  readonly max?: number
  readonly unit?: string
  /** From which value on the gauge is of a level. */
  readonly thresholds?: readonly { readonly from: number; readonly level: 'ok' | 'warning' | 'error' }[]
}

/** The last value of a number between two bounds. */
export const gauge = (ref: NumberRef, options: GaugeOptions = {}): Widget =>
  made('gauge', { w: 3, h: 3 }, options, bound(ref, options))

/** How curves are drawn. */
export interface CurveOptions extends WidgetOptions {
  readonly logX?: boolean
  readonly logY?: boolean
  /** 0 to 1. */
  readonly smoothing?: number
  readonly unit?: string
}

const curveOptions = ({ logX, logY, smoothing, unit }: CurveOptions): object => ({
  options: defined({ log_x: logX, log_y: logY, smoothing, unit }),
})

/** Options of {@link chart}. */
export interface ChartOptions extends CurveOptions {
  /** How many seconds back; all that is kept unless given. */
  readonly window?: number
}

/** The values that messages have had, as curves. */
export const chart = (refs: readonly NumberRef[], options: ChartOptions = {}): Widget =>
  made('chart', { w: 6, h: 4 }, options, {
    source: {
      kind: 'messages',
      messages: refs.map(({ message }) => message),
      ...defined({ window_s: options.window }),
    },
    ...curveOptions(options),
  })

/** Options of {@link runsChart}. */
export interface RunsChartOptions extends CurveOptions {
  /** How many of the newest runs; 5 unless given. */
  readonly latest?: number
  /** Streaming outputs of the flow, by their messages. */
  readonly metrics: readonly string[]
  /** `step` unless given, `time`, or another of its streaming outputs. */
  readonly x?: string
}

/**
 * Curves of the newest runs of a batch flow.
 * @example runsChart(fit, { latest: 3, metrics: ['loss'], logY: true })
 */
export function runsChart(flow: BatchFlow<unknown, unknown>, options: RunsChartOptions): Widget {
  const { latest = 5, metrics, x } = options
  const streams = flow.document.nodes?.flatMap(({ ports = [] }) => ports.filter(({ stream }) => stream)) ?? []
  const names = new Set(streams.map(({ name, port }) => name ?? port ?? ''))
  const curve = (name: string): string => {
    if (names.has(name)) return `${flow.name}.${name}`
    const known = names.size === 0 ? 'it has none' : `it has ${[...names].map((each) => `"${each}"`).join(', ')}`
    throw new FlowError(`chart of flow "${flow.name}": there is no streaming output "${name}"; ${known}`)
  }
  const axis = x === undefined || x === 'step' || x === 'time' ? x : curve(x)
  const select = { latest, flow: flow.name }
  return made('chart', { w: 6, h: 4 }, options, {
    title: options.title ?? flow.name,
    source: { kind: 'runs', select, metrics: metrics.map(curve), ...defined({ x: axis }) },
    ...curveOptions(options),
  })
}

/** Options of {@link table}. */
export interface TableOptions extends WidgetOptions {
  /** Keys of the rows, in this order; all of them unless given. */
  readonly columns?: readonly string[]
  /** Rows at most; 50 unless given. */
  readonly limit?: number
}

/** The last value of a message as rows. */
export const table = (ref: Shown<'object' | 'array'>, options: TableOptions = {}): Widget =>
  made('table', { w: 6, h: 4 }, options, bound(ref, options))

/** The last picture of a message, or one that is stored: it is kept as long as it is shown. */
export const image = (shown: Shown<'image'> | ArtifactRef, options: WidgetOptions = {}): Widget =>
  made('image', { w: 4, h: 4 }, options, 'digest' in shown ? { options: { artifact: shown } } : bound(shown, options))

/** A text in Markdown. HTML in it is text too. */
export const text = (markdown: string, options: WidgetOptions = {}): Widget =>
  made('text', { w: 4, h: 2 }, options, { options: { markdown } })

/** Needed where the message does not take true and false. */
type Fallback<K extends string, T> = true extends T
  ? { readonly [P in K]?: NoInfer<T> }
  : { readonly [P in K]: NoInfer<T> }

type RestOf<O> = Record<never, never> extends O ? [options?: O] : [options: O]

/**
 * Publishes one value, true unless given.
 * @example button(hall.messages.mode, { value: 'auto', label: 'Automatic' })
 */
export const button = <T>(
  ref: MessageRef<T, Dtype>,
  ...[options]: RestOf<WidgetOptions & { readonly label?: string } & Fallback<'value', T>>
): Widget => made('button', { w: 2, h: 1 }, options ?? {}, bound(ref, options ?? {}))

/** A switch between two values, true and false unless given. */
export const toggle = <T>(
  ref: MessageRef<T, Dtype>,
  ...[options]: RestOf<WidgetOptions & Fallback<'on' | 'off', T>>
): Widget => made('switch', { w: 2, h: 1 }, options ?? {}, bound(ref, options ?? {}))

/** Options of {@link slider}. */
export interface SliderOptions extends WidgetOptions {
  readonly min: number
  readonly max: number
  /** 1 unless given. */
  readonly step?: number
}

/** Publishes a number between two bounds. */
export const slider = (ref: NumberTarget, options: SliderOptions): Widget =>
  made('slider', { w: 4, h: 1 }, options, bound(ref, options))

/** Publishes what somebody types; a widget of type `input`. */
export const field = (ref: TextTarget, options: WidgetOptions & { readonly placeholder?: string } = {}): Widget =>
  made('input', { w: 4, h: 1 }, options, bound(ref, options))
