/**
 * The devices that commands know, and the names of ports for them: `kitchen_light` and `kitchen_lamp` are the light of the
 * kitchen, which is one device.
 * @module
 */
import {
  type CommandArea,
  commandAreas,
  type CommandKind,
  commandKinds,
  indoorAreas,
  nearName,
} from '@flow-service/protocol'

/** What an area has of a kind. */
export interface Device {
  readonly area: CommandArea
  readonly kind: CommandKind
}

const words = Object.entries(commandKinds).flatMap(([kind, names]) =>
  names.map((word) => ({ kind: kind as CommandKind, word: word as string })),
)
const byPort: ReadonlyMap<string, Device> = new Map(
  commandAreas.flatMap((area) => words.map(({ kind, word }) => [`${area}_${word}`, { area, kind }] as const)),
)

/** The device of a target by the name of its port; null when commands know none of that name. */
export const deviceOf = (port: string): Device | null => byPort.get(port) ?? null

/** A text that two devices never share. */
export const idOf = ({ area, kind }: Device): string => `${area}_${kind}`

/** Devices that every house is supposed to have. */
export const defaultDevices: readonly Device[] = [
  ...indoorAreas.map((area) => ({ area, kind: 'light' }) as const),
  { area: 'living_room', kind: 'heating' },
  { area: 'bedroom', kind: 'heating' },
]

/** What to do about a port whose name is no device: the names that would do, the nearest first. */
export function remedyFor(port: string): string {
  const area = commandAreas.find((each) => port.startsWith(`${each}_`))
  const word = words.find((each) => port.endsWith(`_${each.word}`))?.word
  const meant = nearName(port, [...byPort.keys()])
  const hint = meant === null ? '' : `; did you mean "${meant}"?`
  if (area !== undefined) return `call it ${anyOf(words.map((each) => `${area}_${each.word}`))}${hint}`
  if (word !== undefined) return `call it ${anyOf(commandAreas.map((each) => `${each}_${word}`))}${hint}`
  const kinds = words.map((each) => each.word)
  return `call it <area>_<kind>, of the areas ${commandAreas.join(', ')} and the kinds ${kinds.join(', ')}${hint}`
}

const anyOf = (names: readonly string[]): string => `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
