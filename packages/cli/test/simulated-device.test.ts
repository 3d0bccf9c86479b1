import type { DeviceStatus } from '@flow-service/device-sdk'
import type { DeviceBinding } from '@flow-service/protocol'
import { beforeEach, describe, expect, test } from 'vitest'

import { reportOf, simulatedBoards, steppedValue, typedValue } from '../src/simulated-board.ts'
import { type Connected, SimulatedDevice } from '../src/simulated-device.ts'
import { SimulatedPanel } from '../src/simulated-panel.ts'

const { camera, 'hall-panel': hall, weather } = simulatedBoards

/** A connection in memory. */
class Line implements Connected {
  readonly sent: [string, unknown][] = []
  readonly pictures: string[] = []
  bindings: DeviceBinding[] = []
  status: DeviceStatus = { state: 'online' }
  demand: readonly string[] = []
  hear: Record<string, (value: unknown, source: never) => void> = {}
  rewire: (bindings: readonly DeviceBinding[]) => void = () => {}
  look: (ports: readonly string[]) => void = () => {}

  on(port: string, listener: (value: unknown, source: never) => void): () => void {
    this.hear[port] = listener
    return () => {}
  }
  onBindings(listener: (bindings: readonly DeviceBinding[]) => void): () => void {
    this.rewire = listener
    return () => {}
  }
  onDemand(listener: (ports: readonly string[]) => void): () => void {
    this.look = listener
    return () => {}
  }
  onStatus(): () => void {
    return () => {}
  }
  async publish(port: string, value: unknown): Promise<{ ts: string }> {
    this.sent.push([port, value])
    return { ts: '' }
  }
  frame(_port: string, bytes: Uint8Array, mediaType: string): boolean {
    this.pictures.push(`${mediaType} ${Buffer.from(bytes.subarray(1, 4)).toString()}`)
    return true
  }
  wanted(port: string): boolean {
    return this.demand.includes(port)
  }
  wire(...ports: string[]): void {
    this.bindings = ports.map((text) => {
      const [port = '', direction = ''] = text.split(' ')
      return { port, direction, message: `house.${port}` } as DeviceBinding
    })
    this.rewire(this.bindings)
  }
}

let line: Line
let told: string[]
beforeEach(() => {
  line = new Line()
  told = []
})
const simulated = (board: typeof hall | typeof camera | typeof weather = hall): SimulatedDevice =>
  new SimulatedDevice(line, board, (text) => told.push(text))

describe('a simulated board', () => {
  test('tells flows what it measures once they are wired, and whatever is moved afterwards', () => {
    const device = simulated()
    device.type('lux=300')
    expect([line.sent, told]).toEqual([[], ['lux = 300, which no flow takes yet']])
    line.wire('lux in', 'relay1 out')
    expect([line.sent, told.at(-1)]).toEqual([[['lux', 300]], 'wired: lux -> house.lux, relay1 <- house.relay1'])
    for (const { port } of device.ports) device.move(port, 1)
    expect(line.sent.at(-1)).toEqual(['lux', 320])
  })

  test.each([
    ['lux=x', 'error: "x" is no value of lux, which is a float'],
    ['lux=', 'error: "" is no value of lux, which is a float'],
    ['motion=1', 'error: "1" is no value of motion, which is a bool'],
    ['backlight=1', 'error: write name=value, with a name of: motion, lux'],
    ['what', 'error: write name=value, with a name of: motion, lux'],
    ['lux=\u001b[2J', String.raw`error: "\u001b[2J" is no value of lux, which is a float`],
  ])('refuses the line "%s"', (typed, answer) => {
    simulated().type(typed)
    expect([told, line.sent]).toEqual([[answer], []])
  })

  test('shows what flows say, and spells out what a terminal would obey', () => {
    const device = simulated(weather)
    line.hear.display?.('rain\u001b[2J', undefined as never)
    expect(told).toEqual([String.raw`<- display = rain\u001b[2J`])
    expect(device.ports.at(-1)).toMatchObject({ value: 'rain\u001b[2J' })
  })

  test('sends a picture at once when one is wanted, then one each time, and none otherwise', () => {
    const device = simulated(camera)
    device.look()
    expect(line.pictures).toEqual([])
    line.demand = ['camera']
    line.look(line.demand)
    device.look()
    expect([line.pictures, told]).toEqual([['image/png PNG', 'image/png PNG'], ['wanted: camera']])
    expect(device.ports[0]).toMatchObject({ pictures: 2, isWanted: true })
    line.demand = []
    line.look(line.demand)
    expect([line.pictures.length, told.at(-1)]).toEqual([2, 'nothing is wanted'])
  })

  test('reports its ports without what they measure, and pictures as on demand', () => {
    expect(reportOf(camera, 'Door')).toMatchObject({
      name: 'Door',
      io: [
        { name: 'camera', dtype: 'image', on_demand: true },
        { name: 'motion' },
        { name: 'light', direction: 'out' },
      ],
    })
    expect(JSON.stringify(reportOf(hall, 'Hall'))).not.toContain('"value"')
  })
})

test('numbers are moved by steps within their range, switches turn over, texts stay', () => {
  const [, lux] = hall.ports
  expect([steppedValue(lux, 990, 1), steppedValue(lux, 0, -1), steppedValue(lux, 20, -1)]).toEqual([1000, 0, 0])
  expect(steppedValue(weather.ports[0], 0.1, 1)).toBe(0.6)
  expect([steppedValue(hall.ports[0], true, 1), steppedValue(weather.ports[3], 'rain', 1)]).toEqual([false, 'rain'])
  expect(typedValue(hall.ports[0], 'ON')).toBe(true)
})

test('the panel moves the port that is chosen by keys', () => {
  const device = simulated()
  line.wire('motion in', 'lux in')
  line.sent.length = 0
  const panel = new SimulatedPanel('Hall panel (hall)', device)
  for (const key of ['up', 'space', 'down', 'right', 'right', 'left', 'space', 'x']) panel.press(key)
  expect(line.sent).toEqual([
    ['motion', true],
    ['lux', 140],
    ['lux', 160],
    ['lux', 140],
  ])
  line.hear.backlight?.(50, undefined as never)
  const shown = panel.lines().map((text) => text.trimEnd())
  expect(shown[0]).toBe('  Hall panel (hall)  online')
  expect(shown.slice(3)).toEqual([
    '  Motion     ● on                                  -> house.motion',
    '> Light      ███░░░░░░░░░░░░░░░░░░░░░  140 lx      -> house.lux',
    '  Relay      -                                     no flow yet',
    '  Backlight  ████████████░░░░░░░░░░░░  50 %        no flow yet',
    '',
  ])
})
