/**
 * What a call writes to a target, by the target's dtype (wire decision U20).
 * @module
 */
import type { CommandCall, CommandReading } from '@flow-service/protocol'

import type { TargetDtype } from './ports.ts'

/** A value of a target. */
export type WrittenValue = boolean | number | string

interface Row {
  readonly bool?: boolean
  readonly number?: number
  readonly str?: string
}

/** The temperature of `heating_set` is no part of it. */
const table: Readonly<Record<CommandCall, Row>> = {
  lights_on: { bool: true, number: 100, str: 'on' },
  lights_off: { bool: false, number: 0, str: 'off' },
  media_play: { bool: true, str: 'play' },
  media_stop: { bool: false, str: 'stop' },
  heating_set: {},
  heating_boost: { bool: true, str: 'boost' },
  heating_off: { bool: false, str: 'off' },
  shutters_up: { bool: true, number: 100, str: 'up' },
  shutters_down: { bool: false, number: 0, str: 'down' },
  shutters_stop: { str: 'stop' },
  watering_start: { bool: true, str: 'on' },
  watering_stop: { bool: false, str: 'off' },
}

/**
 * Null where the dtype has no value for the call. An int takes whole degrees alone: 22 is not what "21.5" has asked for.
 */
export function writtenValue(
  { call, args }: Pick<CommandReading, 'call' | 'args'>,
  dtype: TargetDtype,
): WrittenValue | null {
  if (dtype === 'bool' || dtype === 'str') return table[call][dtype] ?? null
  const number = call === 'heating_set' ? args.temperature : table[call].number
  return number === undefined || (dtype === 'int' && !Number.isInteger(number)) ? null : number
}
