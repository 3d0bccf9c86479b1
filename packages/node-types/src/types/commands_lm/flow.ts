/**
 * Typed constructor of `commands_lm`.
 * @module
 */
import { latest, nodeType, t, type TypedNode, type ValueType } from '@flow-service/flow-sdk'
import type { CommandArea, CommandKind, commandKinds, CommandRecord } from '@flow-service/protocol'

/** Name of a target: the device that follows it, such as `kitchen_light` or `living_room_tv`. */
export type CommandTarget = `${CommandArea}_${(typeof commandKinds)[CommandKind][number]}`

type TargetType = typeof t.bool | typeof t.int | typeof t.float | typeof t.str
type Targets = { readonly [K in CommandTarget]?: TargetType }
/** A type in which each name that is no target has no value. */
type OnlyTargets<T> = { readonly [K in Exclude<keyof T, CommandTarget>]: never }

const known = { presence: latest(t.str, ''), outdoor: latest(t.float, 20), dark: latest(t.bool, false) }
type Known = typeof known
type Report = { readonly actions: ValueType<readonly CommandRecord[], 'array'> }

/** Options of {@link commandsLm}. */
export interface CommandsOptions<T, K extends keyof Known> {
  /** Devices that may be written, each by the type of its message. */
  readonly targets?: T & OnlyTargets<T>
  /** What a sentence is understood by, beside the devices: inputs that are wired. */
  readonly knows?: readonly K[]
  /** True writes to the targets; a sentence is only reported unless given. */
  readonly apply?: boolean
  /** Nothing is written that is less probable to be what was said; 0.93 unless given. */
  readonly minConfidence?: number
}

/**
 * Carry out commands in English. Inputs: `prompt`, and of `presence` (an area), `outdoor` (degrees Celsius) and `dark` those
 * that it `knows`. Outputs: `actions`, what came of each prompt, and the targets.
 * @example
 * use(commandsLm({ targets: { kitchen_light: t.bool }, knows: ['presence'], apply: true }),
 *   { prompt: m.said, presence: m.room }, { out: { kitchen_light: lights.k1 } })
 */
export function commandsLm<T extends Targets = Record<never, never>, const K extends keyof Known = never>({
  targets,
  knows = [],
  apply,
  minConfidence,
}: CommandsOptions<T, K> = {}): TypedNode<
  { readonly prompt: typeof t.str } & { readonly [P in K]: Known[P] },
  Report & { readonly [P in keyof T & CommandTarget]: NonNullable<T[P]> }
> {
  type Node = ReturnType<typeof commandsLm<T, K>>
  const inputs = { prompt: t.str, ...Object.fromEntries(knows.map((name) => [name, known[name]])) }
  return nodeType('commands_lm', {
    in: inputs as Node['in'],
    out: { actions: t.array, ...targets } as unknown as Node['out'],
    settings: { apply, min_confidence: minConfidence },
  })
}
