/**
 * The words of commands in English: areas, kinds of devices, calls, and what a model of commands makes of a sentence (wire
 * decisions G76, U19, U20). Nodes of type `commands_lm` and the models they ask share them.
 * @module
 */

/** Areas inside the house. */
export const indoorAreas = ['living_room', 'kitchen', 'bathroom', 'bedroom', 'office'] as const
/** Every area that commands know. */
export const commandAreas = [...indoorAreas, 'garden', 'patio', 'garage', 'driveway', 'balcony'] as const
/** An area that commands know. */
export type CommandArea = (typeof commandAreas)[number]

/** Kinds of devices, each with the words that a target port may say for it: `kitchen_lamp` is the light of the kitchen. */
export const commandKinds = {
  light: ['light', 'lamp', 'brightness'],
  heating: ['setpoint', 'heating', 'heat', 'boost'],
  media: ['media', 'music', 'tv'],
  cover: ['shutter', 'blind', 'cover'],
  water: ['water', 'watering', 'sprinkler'],
} as const
/** A kind of device; an area has one device of a kind. */
export type CommandKind = keyof typeof commandKinds

/** What can be done, each with the kind of device that does it. */
export const commandCalls = {
  lights_on: 'light',
  lights_off: 'light',
  media_play: 'media',
  media_stop: 'media',
  heating_set: 'heating',
  heating_boost: 'heating',
  heating_off: 'heating',
  shutters_up: 'cover',
  shutters_down: 'cover',
  shutters_stop: 'cover',
  watering_start: 'water',
  watering_stop: 'water',
} as const satisfies Record<string, CommandKind>
/** What can be done. */
export type CommandCall = keyof typeof commandCalls

/** Degrees Celsius that `heating_set` takes. */
export const commandTemperatures = { min: 5, max: 30 } as const
/** The longest delay of a call, in seconds; all are whole minutes. */
export const MAX_COMMAND_DELAY_S = 86_400

/** A device that a model knows of. */
export interface CommandDevice {
  readonly area: CommandArea
  readonly kind: CommandKind
  /** What it does now, a JSON value as its message has it; null while nobody knows. */
  readonly value: unknown
  /** Whether something happens when it is called; others are devices that a house is supposed to have. */
  readonly wired: boolean
}

/** What a model knows beside the sentence. */
export interface CommandContext {
  /** Where the speaker is; null for away. */
  readonly presence: CommandArea | null
  /** Degrees Celsius outside, -5 to 30. */
  readonly outdoor: number
  /** Whether it is dark outside. */
  readonly dark: boolean
  readonly devices: readonly CommandDevice[]
}

/** One call that a sentence asks for. */
export interface CommandReading {
  readonly call: CommandCall
  readonly area: CommandArea
  readonly kind: CommandKind
  /** `temperature` in degrees Celsius for `heating_set`, and for no other call. */
  readonly args: { readonly temperature?: number }
  /** Seconds until it is due, a multiple of 60; 0 for now. */
  readonly delay_s: number
  /** How probable it is that just this was said, 0 to 1. */
  readonly confidence: number
}

/** What became of a call at one of its targets, or of one that no target takes. */
export type CommandRecord = {
  /** Qualified name of the target's message; empty for a device that is not wired. */
  readonly message: string
  /** What the call writes there; null where the type of the target has no value for it. */
  readonly value: boolean | number | string | null
  /** Whether it has been written, or is held until it is due. */
  readonly applied: boolean
  /** Seconds from the sentence until it is due. */
  readonly delay_s: number
  readonly call: CommandCall
  /** As the reading has it. */
  readonly confidence: number
  /** The call was held, and the sentence has taken its place. */
  readonly superseded?: true
}

/** Turns sentences into calls. */
export interface CommandModel {
  /** The calls that `prompt` asks for, none when it asks for none. Rejects when it cannot tell. */
  interpret(
    prompt: string,
    context: CommandContext,
    signal?: AbortSignal,
  ): readonly CommandReading[] | Promise<readonly CommandReading[]>
}
