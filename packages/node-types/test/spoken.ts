/**
 * A model whose sentences are its answers, for the rules of the node alone: `lights_off kitchen; heating_set bedroom 21 +600`.
 * A `~` before a call makes it doubtful.
 */
import { createCommandsNode } from '@flow-service/node-types'
import {
  commandCalls,
  type CommandArea,
  type CommandCall,
  type CommandContext,
  type CommandReading,
} from '@flow-service/protocol'

import { Rig, type Setup } from './test-kit.ts'

export const SURE = 0.98
export const DOUBTFUL = 0.9

/** One target of each device, by port. */
export const devices = {
  kitchen_light: 'bool',
  office_light: 'bool',
  bedroom_heating: 'str',
  bedroom_setpoint: 'float',
  office_blind: 'str',
  kitchen_tv: 'str',
  garden_water: 'bool',
} as const

export function readingsOf(text: string): CommandReading[] {
  return text.split('; ').flatMap((part) => {
    const [, doubt, call, area, temperature, delay] = /^(~?)(\w+) (\w+)(?: ([\d.]+))?(?: \+(\d+))?$/.exec(part) ?? []
    if (call === undefined) return []
    return {
      call: call as CommandCall,
      area: area as CommandArea,
      kind: commandCalls[call as CommandCall],
      args: temperature === undefined ? {} : { temperature: Number(temperature) },
      delay_s: Number(delay ?? 0),
      confidence: doubt === '~' ? DOUBTFUL : SURE,
    }
  })
}

/** A node type with that model, and the contexts that it was asked in. */
export function spokenNode(answer: (prompt: string) => unknown = readingsOf) {
  const contexts: CommandContext[] = []
  const definition = createCommandsNode({
    missing: () => null,
    load: async () => ({
      interpret(prompt, context) {
        contexts.push(context)
        return answer(prompt) as CommandReading[]
      },
    }),
  })
  return { contexts, definition }
}

/** What a prompt came to. */
export interface Told {
  /** Values of targets, in one delivery with the records. */
  readonly values: Record<string, unknown>
  readonly records: readonly Record<string, unknown>[]
}

/** A node in a flow by itself, to be spoken to. Targets by port. */
export async function speaking(
  { settings = { apply: true }, outputs, ...setup }: Setup,
  answer?: (prompt: string) => unknown,
) {
  const { contexts, definition } = spokenNode(answer)
  const rig = await Rig.start(definition, {
    ...setup,
    settings,
    inputs: { prompt: 'str' },
    outputs: { ...outputs, actions: 'array' },
  })
  return {
    rig,
    contexts,
    say: async (prompt: string): Promise<Told> => {
      const before = rig.emitted.length
      await rig.arrive({ prompt })
      const [told, ...more] = rig.emitted.slice(before)
      if (told === undefined || more.length > 0) throw new Error(`"${prompt}" had ${more.length} more deliveries`)
      const { actions, ...values } = told
      return { values, records: actions as Told['records'] }
    },
    /** What is written while time passes. */
    after: async (seconds: number): Promise<readonly unknown[]> => {
      const before = rig.emitted.length
      await rig.advance(seconds)
      return rig.emitted.slice(before)
    },
  }
}
