/**
 * A sentence, read: all ways to read it, each with its calls.
 * @module
 */
import { commandCalls, type CommandContext, type CommandReading } from '@flow-service/protocol'

import { confidenceOf, MAX_DOUBTFUL } from './calibration.ts'
import { callsOf, type Call, type Outcome } from './meaning/calls.ts'
import { UNSAID } from './meaning/devices.ts'
import { discourse, type Feeling } from './meaning/discourse.ts'
import { callsOfFeeling } from './meaning/feelings.ts'
import { lattice, type Lattice } from './parse/lattice.ts'
import { parses, type Parse } from './parse/search.ts'
import { mended } from './slips.ts'
import { tokens, type Tokens } from './tokens.ts'

/** A reading of the whole sentence. */
export interface Understanding {
  readonly parse: Parse
  /** What its cost and its lead say for it; 0 at best. */
  readonly score: number
  readonly calls: readonly Call[]
  readonly refusal: string | null
}

/** The sentence and its readings, the best first. */
export interface Understood {
  readonly sentence: Tokens
  readonly lattice: Lattice
  readonly all: readonly Understanding[]
}

/** The later of two calls for the same device at the same time counts. */
function lastOfEach(calls: readonly Call[]): Call[] {
  const key = (call: Call): string => `${call.area} ${commandCalls[call.call]} ${call.delay} ${call.refusal === null}`
  return calls.filter((call, at) => !calls.slice(at + 1).some((later) => key(later) === key(call)))
}

/** Leaving and sleeping count before all else; of the rest, each counts once. */
function felt(feelings: readonly Feeling[]): readonly Feeling[] {
  const going = feelings.find(({ sense }) => sense === 'leaving' || sense === 'sleep' || sense === 'home')
  return going
    ? [going]
    : feelings.filter(({ sense }, at) => feelings.findIndex((other) => other.sense === sense) === at)
}

/** From this cost on, one of the words that were not understood may have said where. */
const SKIPPED = 1

/** Not everywhere, when the place may be among the words that were not understood. */
const placed = (outcome: Outcome, cost: number): Outcome =>
  cost < SKIPPED
    ? outcome
    : {
        ...outcome,
        calls: outcome.calls.map((call) =>
          call.refusal === null && call.doubts.includes(UNSAID)
            ? { ...call, refusal: 'which area was not said, or not understood' }
            : call,
        ),
      }

function meaningOf(parse: Parse, context: CommandContext): Understanding {
  const said = discourse(parse.clauses)
  const outcomes: Outcome[] = said.orders.map((order) => placed(callsOf(order, context), parse.cost))
  const ordered = said.orders.length > 0 || parse.clauses.some((clause) => clause.kind === 'command' && clause.dont)
  const feelings = ordered ? [] : felt(said.feelings).map((feeling) => callsOfFeeling(feeling, context))
  const aside =
    parse.clauses.some((clause) => clause.foreign && clause.kind !== 'report') ||
    outcomes.some(
      (one, at) =>
        one.refusal !== null &&
        one.calls.every((call) => call.refusal !== null) &&
        !said.orders[at]?.clauses.some((clause) => clause.dont || clause.verb?.leaves === true),
    )
  const all = [...outcomes, ...feelings].map((one) =>
    aside
      ? {
          ...one,
          calls: one.calls.map((call) => ({
            ...call,
            doubts: [...call.doubts, 'something else that was said cannot be done'],
          })),
        }
      : one,
  )
  const refusal = [...all.map((one) => one.refusal), said.refusal].find((one) => one !== null) ?? null
  return { parse, score: -parse.cost - LEAD, calls: lastOfEach(all.flatMap((one) => one.calls)), refusal }
}

/** A lead of more than this says nothing more. */
const LEAD = 0.75

const callsIn = ({ calls }: Understanding): string =>
  calls
    .map(({ call, area, temperature, delay, refusal }) => [call, area, temperature, delay, refusal !== null].join(' '))
    .toSorted()
    .join()

/**
 * The first reading is worth more the further the cheapest one with other calls is behind it: one that is nearly as cheap
 * may well be what was said.
 */
function withLead(all: readonly Understanding[]): Understanding[] {
  const [best, ...others] = all
  if (best === undefined) return []
  const meant = callsIn(best)
  const rival = others.find((other) => callsIn(other) !== meant)
  const lead = rival === undefined ? LEAD : Math.min(LEAD, rival.parse.cost - best.parse.cost)
  return [{ ...best, score: best.score + lead }, ...others]
}

/** Reads `prompt`. */
export function understand(prompt: string, context: CommandContext): Understood {
  const sentence = mended(tokens(prompt))
  const graph = lattice(sentence.long ? { ...sentence, words: [] } : sentence)
  const all = withLead(parses(graph).map((parse) => meaningOf(parse, context)))
  return { sentence, lattice: graph, all }
}

/** A call as a reading with its confidence. */
export function reading(call: Call, score: number): CommandReading {
  const sure = confidenceOf(score)
  const confidence = call.refusal !== null ? 0 : call.doubts.length > 0 ? Math.min(sure, MAX_DOUBTFUL) : sure
  return {
    call: call.call,
    area: call.area,
    kind: commandCalls[call.call],
    args: call.temperature === null ? {} : { temperature: call.temperature },
    delay_s: call.delay,
    confidence: Math.round(confidence * 1000) / 1000,
  }
}
