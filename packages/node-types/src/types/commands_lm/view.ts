/**
 * What a node of a document would see and write, for who tries sentences on it without the engine that runs it.
 * @module
 */
import type { CommandContext, CommandReading, Dtype } from '@flow-service/protocol'

import { idOf } from './device.ts'
import { targetsIn } from './ports.ts'
import { commandSettings } from './settings.ts'
import { surroundingsOf } from './surroundings.ts'
import { writtenValue, type WrittenValue } from './written-value.ts'

/** What a document has of a node. */
export interface DocumentedCommands {
  readonly settings: Readonly<Record<string, unknown>>
  readonly ports: readonly {
    readonly direction: 'input' | 'output'
    readonly port: string
    readonly message: string
    readonly dtype: Dtype
  }[]
}

/** What is known at the time of a sentence. */
export interface CommandsMoment {
  /** The last value of a message by its qualified name; null when it has none. */
  readonly valueOf: (message: string) => unknown
  readonly atMs: number
  /** In which it is dark or not, an IANA name. */
  readonly timeZone: string
}

/** A value for the message of a target; null where the target's dtype has none for the call. */
export interface CommandsWrite {
  readonly message: string
  readonly value: WrittenValue | null
}

/** What a node sees of a house, and may do there. */
export interface CommandsView {
  readonly context: CommandContext
  readonly apply: boolean
  readonly minConfidence: number
  /** What a call comes to at each target of its device; nothing for a device that is not wired. */
  readonly writes: (reading: Pick<CommandReading, 'call' | 'area' | 'kind' | 'args'>) => readonly CommandsWrite[]
}

/** The view of a node; settings that it could not be published with count as not set. */
export function commandsView({ settings, ports }: DocumentedCommands, moment: CommandsMoment): CommandsView {
  const targets = targetsIn(ports.filter(({ direction }) => direction === 'output'))
  const messages = new Map(ports.map(({ direction, port, message }) => [`${direction} ${port}`, message]))
  const last = (port: string): unknown => moment.valueOf(messages.get(port) ?? '')
  const see = surroundingsOf(
    { current: (port) => last(`output ${port}`), now: () => moment.atMs, timeZone: moment.timeZone },
    targets,
  )
  const inputs = ['presence', 'outdoor', 'dark'].map((port) => [port, last(`input ${port}`)] as const)
  const { apply, min_confidence } = commandSettings.safeParse(settings).data ?? commandSettings.parse({})
  return {
    context: see(Object.fromEntries(inputs)),
    apply,
    minConfidence: min_confidence,
    writes: (reading) =>
      targets
        .filter(({ device }) => idOf(device) === idOf(reading))
        .map(({ message, dtype }) => ({ message, value: writtenValue(reading, dtype) })),
  }
}
