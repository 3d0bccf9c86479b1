/** What holds for whatever is said to the grammar. `npm run soak` says 100,000 prompts to it. */
import { explain, interpret } from '@flow-service/commands-lm'
import {
  commandAreas,
  commandCalls,
  type CommandReading,
  commandTemperatures,
  MAX_COMMAND_DELAY_S,
} from '@flow-service/protocol'
import fc from 'fast-check'
import { expect, test } from 'vitest'

import { contexts, prompts } from './prompts.ts'

const RUNS = process.env['SOAK'] === undefined ? 5_000 : 100_000
/** Ends what hangs; `bench/commands.bench.ts` holds prompts to their time. */
const HANGS_MS = 5_000
/** For all prompts of a soak. */
const TIMEOUT_MS = 3_600_000

const FIELDS = ['area', 'args', 'call', 'confidence', 'delay_s', 'kind']

/** What is wrong with a reading, whatever was said. */
function faultOf(reading: CommandReading): string | null {
  const { call, area, kind, args, delay_s: delay, confidence } = reading
  if (Object.keys(reading).toSorted().join() !== FIELDS.join()) return 'fields'
  if (!Object.hasOwn(commandCalls, call)) return 'call'
  if (commandCalls[call] !== kind) return 'kind'
  if (!commandAreas.includes(area)) return 'area'
  if (!(Number.isInteger(delay / 60) && delay >= 0 && delay <= MAX_COMMAND_DELAY_S)) return 'delay'
  if (!(confidence >= 0 && confidence <= 1)) return 'confidence'
  const { temperature, ...more } = args
  if (Object.keys(more).length > 0 || (call === 'heating_set') !== (temperature !== undefined)) return 'args'
  const { min, max } = commandTemperatures
  return temperature === undefined || (temperature >= min && temperature <= max) ? null : 'temperature'
}

test(`${RUNS} prompts make no call outside the words of the house, none throws or hangs, and each means the same twice`, () => {
  fc.assert(
    fc.property(prompts, contexts, (prompt, context) => {
      const begunMs = performance.now()
      const readings = interpret(prompt, context)
      const readMs = performance.now()
      expect(readings.map((reading) => faultOf(reading)).filter((fault) => fault !== null)).toEqual([])
      expect(interpret(prompt, context)).toEqual(readings)
      // what hangs does so twice, unlike a machine that stands still
      expect(Math.min(readMs - begunMs, performance.now() - readMs)).toBeLessThan(HANGS_MS)
    }),
    { numRuns: RUNS },
  )
}, 600_000)

test(
  'the explanation of a prompt counts what the prompt is read as',
  () => {
    fc.assert(
      fc.property(prompts, contexts, (prompt, context) => {
        const counting = explain(prompt, context).readings.filter(({ lost }) => lost === null)
        const shown = counting.map(({ words: _words, score: _score, lost: _lost, ...reading }) => reading)
        expect(shown).toEqual(interpret(prompt, context).filter(({ confidence }) => confidence > 0))
      }),
      { numRuns: RUNS / 10 },
    )
  },
  TIMEOUT_MS,
)

test(
  'what a prompt means does not depend on what was said before',
  () => {
    fc.assert(
      fc.property(prompts, prompts, contexts, (one, other, context) => {
        const before = interpret(one, context)
        interpret(other, context)
        expect(interpret(one, context)).toEqual(before)
      }),
      { numRuns: RUNS / 10 },
    )
  },
  TIMEOUT_MS,
)
