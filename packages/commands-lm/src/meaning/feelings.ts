/**
 * What is done about what somebody feels: cold, dark, off to bed.
 * @module
 */
import { indoorAreas, type CommandArea, type CommandCall, type CommandContext } from '@flow-service/protocol'

import { isSomewhere } from '../parse/parts.ts'
import type { Sense } from '../words/senses.ts'
import type { Call, Outcome } from './calls.ts'
import { areasOf, has, isOn } from './devices.ts'
import type { Feeling } from './discourse.ts'

const refuse = (refusal: string): Outcome => ({ calls: [], refusal })

const doubtful = ['understood from what was told']

/** The area that a feeling is about. */
function areaOf(feeling: Feeling, context: CommandContext): CommandArea | null {
  const { where } = feeling
  if (where.areas.length === 1) return where.areas[0] ?? null
  return isSomewhere(where) && !where.here && !where.there ? null : context.presence
}

interface Want {
  readonly call: CommandCall
  readonly sure: boolean
}

const sure = (call: CommandCall): Want => ({ call, sure: true })
const unsure = (call: CommandCall): Want => ({ call, sure: false })

type Wish = (area: CommandArea, context: CommandContext) => Want | string

/** What to do in an area about a feeling; words for why nothing is. */
const wishes: Readonly<Partial<Record<Sense, Wish>>> = {
  cold: (area, context) =>
    has(area, 'heating', context) ? { call: 'heating_boost', sure: context.outdoor < 22 } : 'no heating there',
  hot: (area, context) =>
    has(area, 'heating', context) ? { call: 'heating_off', sure: context.outdoor < 20 } : 'no heating there',
  dark: (area, context) =>
    !context.dark && has(area, 'cover', context) && isOn(area, 'cover', context) === false
      ? sure('shutters_up')
      : sure('lights_on'),
  bright: (area, context) =>
    !context.dark && has(area, 'cover', context) ? sure('shutters_down') : sure('lights_off'),
  sun: (area, context) =>
    context.dark
      ? 'there is no sun in the dark'
      : has(area, 'cover', context)
        ? sure('shutters_up')
        : 'no shutters there',
  glare: (area, context) => (has(area, 'cover', context) ? sure('shutters_down') : 'no shutters there'),
  loud: () => unsure('media_stop'),
  film: () => unsure('media_play'),
  home: (_area, context) => (context.dark ? unsure('lights_on') : 'it is not dark'),
}

const call = (made: CommandCall, area: CommandArea, certain: boolean, feeling: Feeling): Call => ({
  call: made,
  area,
  temperature: null,
  delay: 0,
  doubts: certain ? [] : doubtful,
  refusal: null,
  from: feeling.clause.from,
  to: feeling.clause.to,
})

function leave(feeling: Feeling, context: CommandContext): Outcome {
  const calls: Call[] = []
  for (const area of indoorAreas) {
    if (has(area, 'light', context)) calls.push(call('lights_off', area, false, feeling))
    if (has(area, 'media', context)) calls.push(call('media_stop', area, false, feeling))
  }
  return calls.length > 0 ? { calls, refusal: null } : refuse('nothing to turn off')
}

/** What a feeling comes to. */
export function callsOfFeeling(feeling: Feeling, context: CommandContext): Outcome {
  if (feeling.sense === 'leaving' || feeling.sense === 'sleep') return leave(feeling, context)
  if (feeling.sense === 'thirsty') {
    if (feeling.clause.parts.length === 0) return refuse('it is not said what is dry')
    const found = areasOf(feeling.where, 'water', false, context)
    if (found.refusal !== null) return refuse(found.refusal)
    return { calls: found.areas.map((area) => call('watering_start', area, false, feeling)), refusal: null }
  }
  const area = areaOf(feeling, context)
  if (area === null) return refuse('the speaker is away')
  const want = wishes[feeling.sense]?.(area, context) ?? 'nothing to be done'
  // "cold in the hall and the office"
  const certain = typeof want !== 'string' && want.sure && !feeling.where.elsewhere
  return typeof want === 'string' ? refuse(want) : { calls: [call(want.call, area, certain, feeling)], refusal: null }
}
