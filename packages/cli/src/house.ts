/**
 * The house that a sentence is tried on: what a model of commands knows beside the sentence, and what may be written.
 * Options describe one here; `house-of-flow.ts` finds one in a flow.
 * @module
 */
import { type CommandsMoment, type CommandsView, commandsView } from '@flow-service/node-types'
import {
  type CommandArea,
  commandAreas,
  type CommandContext,
  type CommandDevice,
  type CommandKind,
  commandKinds,
  indoorAreas,
} from '@flow-service/protocol'

import { CommandFailure } from './failure.ts'
import { jsonOrText } from './values.ts'

/** Options that describe a house, or say otherwise than a flow. */
export interface HouseFlags {
  readonly presence?: string
  readonly outdoor?: number
  readonly dark?: boolean
  readonly light?: boolean
  readonly device?: readonly string[]
  readonly minConfidence?: number
}

/** What a sentence is tried on. */
export interface House {
  readonly context: CommandContext
  /** What a call needs to be written. */
  readonly minConfidence: number
  /** Whether anything is written. */
  readonly applies: boolean
  /** Whose house it is. */
  readonly title: string
  /** What a call comes to at each target of its device; null where nobody knows the targets. */
  readonly writes: CommandsView['writes'] | null
}

/** Where a device is, and what it is. */
export type DevicePlace = Pick<CommandDevice, 'area' | 'kind'>

/** The house that options describe: the devices that they name, or all that a house may have. */
export function describedHouse(flags: HouseFlags, now: Date): House {
  const named = flags.device?.map(typedDevice) ?? []
  const values = new Map(named.map(({ port, value }) => [port, value]))
  const { context, minConfidence } = commandsView(
    {
      settings: {},
      ports: named.map(({ port }) => ({ direction: 'output', port, message: port, dtype: 'any' })),
    },
    momentAt(now, (port) => values.get(port) ?? null),
  )
  const house = { minConfidence, applies: true, writes: null }
  if (flags.device !== undefined) return asSaid({ ...house, context, title: 'of these devices' }, flags)
  const title = 'a full one; yours by --device, or by --flow'
  return asSaid({ ...house, context: { ...context, devices: fullHouse }, title }, flags)
}

/** What is known now, by the clock of this machine. */
export const momentAt = (now: Date, valueOf: (message: string) => unknown): CommandsMoment => ({
  valueOf,
  atMs: now.getTime(),
  timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
})

/** The house of a flow, but with what options say otherwise. */
export function changedHouse(house: House, flags: HouseFlags): House {
  const changes = (flags.device ?? []).map(typedDevice)
  const wired = house.context.devices.filter((device) => device.wired)
  const stranger = changes.find((change) => !wired.some((device) => isSame(device, change)))
  if (stranger !== undefined) {
    const there = wired.length === 0 ? 'nothing' : wired.map(deviceName).join(', ')
    throw new CommandFailure(2, `${deviceName(stranger)} is not wired in ${house.title}, which has ${there}`)
  }
  const devices = house.context.devices.map((device) => {
    const change = changes.findLast((other) => isSame(device, other))
    return change === undefined ? device : { ...device, value: change.value }
  })
  return asSaid({ ...house, context: { ...house.context, devices } }, flags)
}

/** The name by which a port stands for a device. */
export const deviceName = ({ area, kind }: DevicePlace): string => `${area}_${kind}`

/** Whether both are the same device: an area has one of a kind. */
export const isSame = (one: DevicePlace, other: DevicePlace): boolean =>
  one.area === other.area && one.kind === other.kind

/** The device that a port `<area>_<kind>` stands for; null when it stands for none. */
export function deviceOfPort(port: string): DevicePlace | null {
  const area = commandAreas.find((known) => port.startsWith(`${known}_`))
  if (area === undefined) return null
  const word = port.slice(area.length + 1)
  const kind = kindNames.find((known) => commandKinds[known].some((name) => name === word))
  return kind === undefined ? null : { area, kind }
}

/** An area as people write it; null when it is none. */
export function areaOf(text: string): CommandArea | null {
  const name = text.trim().toLowerCase()
  return commandAreas.find((area) => area === name.replaceAll(/[\s-]+/g, '_')) ?? null
}

const kindNames = Object.keys(commandKinds) as CommandKind[]

const fullHouse: readonly CommandDevice[] = Object.entries({
  light: commandAreas,
  heating: indoorAreas,
  media: [...indoorAreas, 'patio'],
  cover: ['living_room', 'kitchen', 'bedroom', 'office', 'garage'],
  water: ['garden', 'patio', 'balcony'],
} satisfies Record<CommandKind, readonly CommandArea[]>).flatMap(([kind, areas]) =>
  areas.map((area) => ({ area, kind: kind as CommandKind, value: null, wired: true })),
)

/** `kitchen_light=on`, or `kitchen_light` while nobody knows what it does. */
function typedDevice(text: string): CommandDevice & { readonly port: string } {
  const at = text.indexOf('=')
  const port = at === -1 ? text : text.slice(0, at)
  const place = deviceOfPort(port)
  if (place !== null) return { ...place, port, value: at === -1 ? null : jsonOrText(text.slice(at + 1)), wired: true }
  const kinds = kindNames.map((kind) => commandKinds[kind].join(', '))
  throw new CommandFailure(
    2,
    [
      `"${port}" is no device; write <area>_<kind>=<value>, such as kitchen_light=on`,
      `areas: ${commandAreas.join(', ')}`,
      `kinds: ${kinds.join(', ')}`,
    ].join('\n  '),
  )
}

function asSaid(house: House, flags: HouseFlags): House {
  const { presence, outdoor, dark, light, minConfidence } = flags
  return {
    ...house,
    context: {
      ...house.context,
      ...(presence === undefined ? {} : { presence: saidPresence(presence) }),
      ...(outdoor === undefined ? {} : { outdoor: within(outdoor, [-5, 30], '--outdoor', 'degrees Celsius') }),
      ...(dark ? { dark: true } : light ? { dark: false } : {}),
    },
    ...(minConfidence === undefined
      ? {}
      : { minConfidence: within(minConfidence, [0, 1], '--min-confidence', 'a number') }),
  }
}

function saidPresence(text: string): CommandArea | null {
  const area = areaOf(text)
  if (area !== null || text === 'away') return area
  throw new CommandFailure(2, `"${text}" is no area; give --presence one of ${commandAreas.join(', ')}, or away`)
}

function within(value: number, [low, high]: readonly [number, number], option: string, what: string): number {
  if (value >= low && value <= high) return value
  throw new CommandFailure(2, `${value} is out of range; give ${option} ${what} from ${low} to ${high}`)
}
