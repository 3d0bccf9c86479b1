/**
 * The answer of a model, checked: a model may be anybody's code, or a server that makes things up, and what it gives is
 * written to devices.
 * @module
 */
import {
  commandAreas,
  commandCalls,
  type CommandCall,
  type CommandReading,
  commandTemperatures,
  describeValue,
  MAX_COMMAND_DELAY_S,
} from '@flow-service/protocol'

/** More than every device of a house, all calls of a kind. */
const MAX_READINGS = 100

/** The readings. Throws a TypeError that says what the model gave, and what it may give. */
export function readingsIn(answer: unknown): readonly CommandReading[] {
  if (!Array.isArray(answer)) throw wrong(answer, 'a list of readings')
  if (answer.length > MAX_READINGS)
    throw new TypeError(`the model gave ${answer.length} readings; one sentence has at most ${MAX_READINGS}`)
  return answer.map(readingOf)
}

function readingOf(given: unknown): CommandReading {
  if (typeof given !== 'object' || given === null) throw wrong(given, 'a reading')
  const { call, area, kind, args = {}, delay_s, confidence } = given as Record<keyof CommandReading, unknown>
  if (!isCall(call)) throw wrong(call, `one of the calls ${Object.keys(commandCalls).join(', ')}`)
  const known = commandAreas.find((each) => each === area)
  if (known === undefined) throw wrong(area, `one of the areas ${commandAreas.join(', ')}`)
  if (kind !== commandCalls[call]) throw wrong(kind, `the kind ${commandCalls[call]} for the call ${call}`)
  if (!isDelay(delay_s)) throw wrong(delay_s, `a delay of whole minutes in seconds, 0 to ${MAX_COMMAND_DELAY_S}`)
  if (typeof confidence !== 'number' || !(confidence >= 0 && confidence <= 1))
    throw wrong(confidence, 'a confidence from 0 to 1')
  return { call, area: known, kind: commandCalls[call], args: argsOf(call, args), delay_s, confidence }
}

function argsOf(call: CommandCall, args: unknown): CommandReading['args'] {
  if (typeof args !== 'object' || args === null) throw wrong(args, 'an object of arguments')
  if (call !== 'heating_set') return {}
  const { temperature } = args as { readonly temperature?: unknown }
  const { min, max } = commandTemperatures
  if (typeof temperature === 'number' && temperature >= min && temperature <= max) return { temperature }
  throw wrong(temperature, `a temperature from ${min} to ${max} for the call heating_set`)
}

const isCall = (call: unknown): call is CommandCall => typeof call === 'string' && Object.hasOwn(commandCalls, call)

const isDelay = (delay: unknown): delay is number =>
  typeof delay === 'number' && delay >= 0 && delay <= MAX_COMMAND_DELAY_S && delay % 60 === 0

function wrong(given: unknown, wanted: string): TypeError {
  // a number that JSON lacks reads as null there
  const shown = typeof given === 'number' ? String(given) : describeValue(given)
  return new TypeError(`the model gave ${shown} where it has to give ${wanted}`)
}
