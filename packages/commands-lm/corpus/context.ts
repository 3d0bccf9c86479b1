/**
 * What a model knows beside a sentence of the corpus: the column `context`, and the houses that it names.
 * @module
 */
import {
  type CommandArea,
  commandAreas,
  type CommandContext,
  type CommandDevice,
  type CommandKind,
  indoorAreas,
} from '@flow-service/protocol'

type House = Readonly<Record<CommandKind, readonly CommandArea[]>>

/** The houses of the corpus: for each kind the areas that have such a device. */
export const houses = {
  full: {
    light: commandAreas,
    heating: indoorAreas,
    media: [...indoorAreas, 'patio'],
    cover: ['living_room', 'kitchen', 'bedroom', 'office', 'garage'],
    water: ['garden', 'patio', 'balcony'],
  },
  flat: {
    light: ['living_room', 'kitchen', 'bathroom', 'bedroom'],
    heating: ['living_room', 'bedroom'],
    media: ['living_room'],
    cover: ['living_room', 'bedroom'],
    water: ['balcony'],
  },
  studio: {
    light: ['living_room'],
    heating: ['living_room'],
    media: ['living_room'],
    cover: ['living_room'],
    water: ['balcony'],
  },
} as const satisfies Record<string, House>
/** A house of the corpus. */
export type HouseName = keyof typeof houses

type States = Readonly<Record<CommandKind, readonly [off: unknown, on: unknown]>>
const bools: States = {
  light: [false, true],
  heating: [false, true],
  media: [false, true],
  cover: [false, true],
  water: [false, true],
}

/** How devices that are off and on look in the messages of a house: as booleans, as texts, as per cent. */
const states: Readonly<Record<HouseName, States>> = {
  full: bools,
  flat: {
    light: ['off', 'on'],
    heating: ['off', 'boost'],
    media: ['stop', 'play'],
    cover: ['down', 'up'],
    water: ['off', 'on'],
  },
  studio: { ...bools, light: [0, 100], cover: [0, 100] },
}

/** Degrees outside that models are told at most, and at least. */
const OUTDOOR = { min: -5, max: 30 }

/** The context that the column says; throws at words that the guide does not know. */
export function contextOf(column: string): CommandContext {
  const said = new Map(column === '-' ? [] : column.split(' ').map((part) => pairOf(part)))
  const take = (key: string): string | undefined => {
    const value = said.get(key)
    said.delete(key)
    return value
  }
  const house = oneOf(take('house') ?? 'full', Object.keys(houses) as HouseName[])
  const presence = oneOf(take('presence') ?? 'away', [...commandAreas, 'away'] as const)
  const dark = oneOf(take('dark') ?? 'no', ['yes', 'no'] as const)
  const outdoor = Number(take('outdoor') ?? 12)
  if (!Number.isFinite(outdoor)) throw new Error('outdoor is no number')
  const on = take('on')
  const state = oneOf(take('state') ?? 'known', ['known', 'unknown'] as const)
  if (on !== undefined && state === 'unknown') throw new Error('on= beside state=unknown')
  const [rest] = said.keys()
  if (rest !== undefined) throw new Error(`"${rest}" is no key of a context`)
  return {
    presence: presence === 'away' ? null : presence,
    outdoor: Math.min(OUTDOOR.max, Math.max(OUTDOOR.min, outdoor)),
    dark: dark === 'yes',
    devices: devicesOf(house, state === 'unknown' ? null : new Set(on?.split(',') ?? [])),
  }
}

function pairOf(part: string): [string, string] {
  const [key = '', value] = part.split('=')
  if (value === undefined) throw new Error(`"${part}" has no value`)
  return [key, value]
}

function oneOf<T extends string>(value: string, allowed: readonly T[]): T {
  const found = allowed.find((each) => each === value)
  if (found === undefined) throw new Error(`"${value}" is none of ${allowed.join(' ')}`)
  return found
}

/** The devices of a house, those in `on` being on and the others off; null when nothing is known of them. */
function devicesOf(house: HouseName, on: ReadonlySet<string> | null): CommandDevice[] {
  const left = new Set(on)
  const devices = (Object.entries(houses[house]) as [CommandKind, readonly CommandArea[]][]).flatMap(([kind, areas]) =>
    areas.map((area) => {
      const [whenOff, whenOn] = states[house][kind]
      const isOn = left.delete(`${area}.${kind}`)
      return { area, kind, value: on === null ? null : isOn ? whenOn : whenOff, wired: true }
    }),
  )
  const [stranger] = left
  if (stranger !== undefined) throw new Error(`the house "${house}" has no device "${stranger}"`)
  return devices
}
