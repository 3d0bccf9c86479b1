/**
 * Boards that `service device simulate` can be: what each measures, switches and shows.
 * @module
 */
import type { DeviceDirection, Dtype } from '@flow-service/protocol'

/** A value of a port. Pictures are made when they are wanted. */
export type PortValue = number | boolean | string

/** A port of a simulated board. */
export interface SimulatedPort {
  readonly name: string
  readonly direction: DeviceDirection
  readonly dtype: Extract<Dtype, 'float' | 'bool' | 'str' | 'image'>
  readonly title: string
  readonly unit?: string
  /** What it measures at first, in a range by steps. */
  readonly value?: PortValue
  readonly min?: number
  readonly max?: number
  readonly step?: number
}

/** A board. */
export interface SimulatedBoard {
  readonly board: string
  /** Its name unless another one is given. */
  readonly name: string
  readonly ports: readonly SimulatedPort[]
}

const sensor = (name: string, title: string, range: Pick<SimulatedPort, 'unit' | 'value' | 'min' | 'max' | 'step'>) =>
  ({ name, direction: 'in', dtype: 'float', title, ...range }) as const
const motion = { name: 'motion', direction: 'in', dtype: 'bool', title: 'Motion', value: false } as const

/** All of them by the name that is typed. */
export const simulatedBoards = {
  'hall-panel': {
    board: 'hall-panel',
    name: 'Hall panel',
    ports: [
      motion,
      sensor('lux', 'Light', { unit: 'lx', value: 120, min: 0, max: 1000, step: 20 }),
      { name: 'relay1', direction: 'out', dtype: 'bool', title: 'Relay' },
      { name: 'backlight', direction: 'out', dtype: 'float', title: 'Backlight', unit: '%', min: 0, max: 100 },
    ],
  },
  weather: {
    board: 'weather',
    name: 'Weather station',
    ports: [
      sensor('temperature', 'Temperature', { unit: '°C', value: 18.5, min: -20, max: 45, step: 0.5 }),
      sensor('humidity', 'Humidity', { unit: '%', value: 55, min: 0, max: 100, step: 1 }),
      sensor('wind', 'Wind', { unit: 'm/s', value: 3, min: 0, max: 40, step: 0.5 }),
      { name: 'display', direction: 'out', dtype: 'str', title: 'Display' },
    ],
  },
  camera: {
    board: 'camera',
    name: 'Camera',
    ports: [
      { name: 'camera', direction: 'in', dtype: 'image', title: 'Picture' },
      motion,
      { name: 'light', direction: 'out', dtype: 'bool', title: 'Light' },
    ],
  },
} as const satisfies Readonly<Record<string, SimulatedBoard>>

/** What a board reports. Pictures are sent on demand alone. */
export const reportOf = ({ board, ports }: SimulatedBoard, name: string): object => ({
  name,
  board,
  firmware: 'simulated',
  io: ports.map(({ value: _value, ...port }) => ({ ...port, ...(port.dtype === 'image' && { on_demand: true }) })),
})

/** The value that somebody has typed for a port; undefined when it is none of its dtype. */
export function typedValue({ dtype }: SimulatedPort, text: string): PortValue | undefined {
  if (dtype === 'str') return text
  if (dtype === 'bool') return { true: true, on: true, false: false, off: false }[text.toLowerCase()]
  const number = text.trim() === '' ? Number.NaN : Number(text)
  return dtype === 'float' && Number.isFinite(number) ? number : undefined
}

/** The value after a step up or down, within the range of the port; a switch turns over. */
export function steppedValue(
  { min = 0, max = 100, step = 1 }: SimulatedPort,
  value: PortValue,
  steps: number,
): PortValue {
  if (typeof value !== 'number') return typeof value === 'boolean' ? !value : value
  return Math.min(max, Math.max(min, Number((value + steps * step).toFixed(6))))
}
