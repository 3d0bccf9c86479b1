/**
 * What a chat model answers, made into readings: its numbers are mended where it is clear what they mean, and anything else
 * refuses the answer (chat.C2, chat.C3).
 * @module
 */
import {
  type CommandReading,
  commandAreas,
  commandCalls,
  type CommandCall,
  commandTemperatures,
  MAX_COMMAND_DELAY_S,
} from '@flow-service/protocol'
import * as z from 'zod'

import { ChatFailure, quoted, shown } from './chat-failure.ts'

/** The most that a chat model is trusted: a node that asks for more writes nothing. */
export const MAX_CHAT_CONFIDENCE = 0.95
/** The most where a delay was not whole minutes. */
const ROUNDED = 0.9
/** As many calls as a node keeps. */
const MAX_CALLS = 100

const names = Object.keys(commandCalls) as [CommandCall, ...CommandCall[]]
const answerSchema = z.object({
  calls: z
    .array(
      z.object({
        call: z.enum(names),
        area: z.enum(commandAreas),
        kind: z.string().nullish(),
        temperature: z.number().nullish(),
        delay_s: z.number().min(0).max(Number.MAX_SAFE_INTEGER),
        confidence: z.number().min(0).max(1),
      }),
    )
    .max(MAX_CALLS),
})
type Call = z.infer<typeof answerSchema>['calls'][number]

/** The readings of an answer in its order, each once. Throws {@link ChatFailure} for what is no such answer. */
export function readingsOf(said: string, origin: string): CommandReading[] {
  const bad = (what: string): ChatFailure => new ChatFailure('bad_answer', `the model at ${origin} ${what}`)
  let value: unknown
  try {
    value = JSON.parse(unfenced(said))
  } catch {
    throw bad(`answered no JSON but ${quoted(said)}; use one that keeps to response_format json_schema`)
  }
  const { success, error, data } = answerSchema.safeParse(value)
  if (!success) {
    const [{ path, message } = { path: [], message: '' }] = error.issues
    const there = path.reduce<unknown>((at, key) => (at as Readonly<Record<PropertyKey, unknown>>)?.[key], value)
    throw bad(`answered ${shown(there)} at "${['answer', ...path].join('.')}": ${message}`)
  }
  const odd = data.calls.find(({ call, kind }) => (kind ?? commandCalls[call]) !== commandCalls[call])
  if (odd !== undefined)
    throw bad(
      `answered ${odd.call} for a device of kind ${quoted(odd.kind ?? '')}: it is one of ${commandCalls[odd.call]}`,
    )
  if (data.calls.some(({ call, temperature }) => call === 'heating_set' && typeof temperature !== 'number'))
    throw bad('answered heating_set without a temperature')
  return settled(data.calls.map(readingOf))
}

/** What stands in a code fence, as models write JSON for people. */
function unfenced(said: string): string {
  const text = said.trim()
  const line = text.indexOf('\n')
  return text.startsWith('```') && text.endsWith('```') && line !== -1 ? text.slice(line, -3) : text
}

/** What cannot be done is told with the nearest that can, at a confidence of 0. */
function readingOf({ call, area, temperature: degrees = null, delay_s: said, confidence }: Call): CommandReading {
  const { min, max } = commandTemperatures
  const whole = Math.ceil(said / 60) * 60
  const delay = Math.min(whole, MAX_COMMAND_DELAY_S)
  const temperature = call === 'heating_set' && degrees !== null ? Math.min(max, Math.max(min, degrees)) : null
  const isPossible = delay === whole && (temperature === null || temperature === degrees)
  return {
    call,
    area,
    kind: commandCalls[call],
    args: temperature === null ? {} : { temperature },
    delay_s: delay,
    confidence: isPossible ? Math.min(confidence, whole === said ? MAX_CHAT_CONFIDENCE : ROUNDED) : 0,
  }
}

/** One reading for each call of a device at a time; those that contradict each other count nothing. */
function settled(readings: readonly CommandReading[]): CommandReading[] {
  const wishes = Map.groupBy(readings, ({ area, kind, delay_s: delay }) => `${area} ${kind} ${delay}`)
  return [...wishes.values()].flatMap((same) => {
    const different = Map.groupBy(same, ({ call, args }) => `${call} ${args.temperature}`)
    return [...different.values()].flatMap(([first, ...more]) => {
      if (first === undefined) return []
      const least = Math.min(first.confidence, ...more.map(({ confidence }) => confidence))
      return { ...first, confidence: different.size === 1 ? least : 0 }
    })
  })
}
