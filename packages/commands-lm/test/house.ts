/**
 * A house for tests of the grammar, and the calls of a sentence said to it.
 */
import {
  type CommandArea,
  commandAreas,
  type CommandContext,
  type CommandKind,
  indoorAreas,
} from '@flow-service/protocol'

import { reading, understand } from '../src/understand.ts'

const house: Readonly<Record<CommandKind, readonly CommandArea[]>> = {
  light: commandAreas,
  heating: indoorAreas,
  media: [...indoorAreas, 'patio'],
  cover: ['living_room', 'kitchen', 'bedroom', 'office', 'garage'],
  water: ['garden', 'patio', 'balcony'],
}

/** The devices of the house; those in `on` are on. */
export const devices = (on: readonly string[] = []): CommandContext['devices'] =>
  (Object.entries(house) as [CommandKind, readonly CommandArea[]][]).flatMap(([kind, areas]) =>
    areas.map((area) => ({ area, kind, value: on.includes(`${area}.${kind}`), wired: true })),
  )

/** Somebody who is away. */
export const away: CommandContext = { presence: null, outdoor: 12, dark: false, devices: devices() }
/** Somebody who is somewhere in the house. */
export const inside = (presence: CommandArea, more: Partial<CommandContext> = {}): CommandContext => ({
  ...away,
  presence,
  ...more,
})

/** The calls of a sentence in short, doubtful ones with a `~`, however sure the table of confidence makes the others. */
export const calls = (text: string, context = away): string => {
  const [best] = understand(text, context).all
  return (best?.calls ?? [])
    .filter((call) => reading(call, best?.score ?? 0).confidence > 0)
    .map(({ call, area, temperature, delay, doubts }) =>
      [`${doubts.length > 0 ? '~' : ''}${call}`, area, temperature ?? undefined, delay > 0 ? `+${delay}` : undefined]
        .filter((part) => part !== undefined)
        .join(' '),
    )
    .toSorted()
    .join('; ')
}
