/**
 * A simulated board on a terminal: its ports in place, moved by arrow keys.
 * @module
 */
import type { PortState, SimulatedDevice } from './simulated-device.ts'
import { oneLine } from './table.ts'
import { bold, dim, green, yellow } from './terminal.ts'

const SLIDER = 24

/** The parts of a simulation that the panel shows and moves. */
export type Shown = Pick<SimulatedDevice, 'ports' | 'standing' | 'move'>

/** The front of a board: which port is chosen, and what keys do. */
export class SimulatedPanel {
  readonly #title: string
  readonly #device: Shown
  #chosen = 0

  constructor(title: string, device: Shown) {
    this.#title = title
    this.#device = device
  }

  /** A key by its name, as `node:readline` calls it. */
  press(key: string): void {
    const { ports } = this.#device
    const { port } = ports[this.#chosen] ?? {}
    const isSwitch = port?.dtype === 'bool'
    if (key === 'up') this.#chosen = Math.max(0, this.#chosen - 1)
    else if (key === 'down') this.#chosen = Math.min(ports.length - 1, this.#chosen + 1)
    else if (port && (key === 'left' || key === 'right')) this.#device.move(port, key === 'left' ? -1 : 1)
    else if (port && isSwitch && (key === 'space' || key === 'return')) this.#device.move(port, 1)
  }

  /** What stands on the terminal. */
  lines(): string[] {
    const { ports, standing } = this.#device
    const width = Math.max(...ports.map(({ port }) => port.title.length))
    return [
      `  ${bold(oneLine(this.#title))}  ${standing === 'online' ? green(standing) : yellow(standing)}`,
      dim('  up and down choose, left and right change, space switches, Ctrl-C ends'),
      '',
      ...ports.map((state, at) => {
        const mark = at === this.#chosen ? '>' : ' '
        const title = state.port.title.padEnd(width)
        return `${mark} ${at === this.#chosen ? bold(title) : title}  ${shownValue(state)}  ${wiring(state)}`
      }),
      '',
    ]
  }
}

function shownValue({ port, value, pictures, isWanted }: PortState): string {
  if (port.dtype === 'image') {
    const text = `${isWanted ? 'sending' : 'idle'}, ${pictures} sent`
    return (isWanted ? green : dim)(text.padEnd(SLIDER + 12))
  }
  if (value === null || value === undefined) return dim('-'.padEnd(SLIDER + 12))
  if (typeof value === 'boolean') return (value ? green : dim)((value ? '● on' : '○ off').padEnd(SLIDER + 12))
  const text = `${oneLine(value, 30)}${port.unit === undefined ? '' : ` ${port.unit}`}`
  if (typeof value !== 'number' || port.min === undefined || port.max === undefined) return text.padEnd(SLIDER + 12)
  const filled = Math.round((Math.min(1, Math.max(0, (value - port.min) / (port.max - port.min))) || 0) * SLIDER)
  return `${'█'.repeat(filled)}${dim('░'.repeat(SLIDER - filled))}  ${text.padEnd(10)}`
}

const wiring = ({ port, messages }: PortState): string =>
  messages.length === 0 ? dim('no flow yet') : `${port.direction === 'in' ? '->' : '<-'} ${messages.join(', ')}`
