/**
 * From orders to calls, by the house and by where the speaker is.
 * @module
 */
import {
  commandTemperatures,
  MAX_COMMAND_DELAY_S,
  type CommandArea,
  type CommandCall,
  type CommandContext,
  type CommandKind,
} from '@flow-service/protocol'

import { isSomewhere, type Where } from '../parse/parts.ts'
import { deals } from '../words/verbs.ts'
import { areasOf, groupAreas, has, isOn, without, type Areas } from './devices.ts'
import { kindOfDeed, unnamed, type Order, type Target } from './order.ts'

/** A call of a sentence; `doubts` are why it is not sure, `refusal` why it is not made. */
export interface Call {
  readonly call: CommandCall
  readonly area: CommandArea
  readonly temperature: number | null
  readonly delay: number
  readonly doubts: readonly string[]
  readonly refusal: string | null
  readonly from: number
  readonly to: number
}

/** What an order comes to: calls, or why there are none. */
export interface Outcome {
  readonly calls: readonly Call[]
  readonly refusal: string | null
}

const contraries: Readonly<Partial<Record<CommandCall, CommandCall>>> = {
  lights_on: 'lights_off',
  lights_off: 'lights_on',
  media_play: 'media_stop',
  media_stop: 'media_play',
  heating_boost: 'heating_off',
  heating_off: 'heating_boost',
  heating_set: 'heating_off',
  shutters_up: 'shutters_down',
  shutters_down: 'shutters_up',
  watering_start: 'watering_stop',
  watering_stop: 'watering_start',
}

interface Made {
  readonly call: CommandCall
  readonly kind: CommandKind
  readonly temperature: number | null
  readonly doubts: readonly string[]
}

const refuse = (refusal: string): Outcome => ({ calls: [], refusal })

/** What is to be done with one target: a call, or why none. */
function make(order: Order, target: Target): Made | string {
  const { deed, degrees } = order
  if (degrees !== null) {
    if (target.kind !== null && target.kind !== 'heating') return `a ${target.kind} takes no temperature`
    if (deed === 'off' || deed === 'stop') return 'off, and a temperature'
    if (degrees < commandTemperatures.min || degrees > commandTemperatures.max)
      return `${degrees} °C is outside ${commandTemperatures.min} to ${commandTemperatures.max}`
    const half = Math.round(degrees * 2) / 2
    return {
      call: 'heating_set',
      kind: 'heating',
      temperature: half,
      doubts: half === degrees ? [] : ['temperatures are set in halves of a degree'],
    }
  }
  if (deed === null) return 'it is not said what to do'
  let { kind } = target
  const doubts: string[] = []
  if (kind === null) {
    kind = kindOfDeed[deed] ?? null
    if (
      kind === null &&
      target.where.areas.includes('garage') &&
      target.where.areas.length === 1 &&
      /^(open|close|up|down)$/.test(deed)
    )
      kind = 'cover'
    if (kind === null && (deed === 'on' || deed === 'off' || deed === 'shut')) {
      kind = 'light'
      doubts.push('it is not said which thing: the light')
    }
    if (kind === null) return 'it is not said which thing'
  }
  const deal = deals[kind][deed]
  if (!deal) return `that cannot be done with a ${kind}`
  if (deal.doubtful === true) doubts.push('understood, though not quite what was said')
  if (target.title && deal.call === 'media_play') doubts.push('a certain song or programme cannot be chosen')
  return { call: deal.call, kind, temperature: null, doubts }
}

function toggled(area: CommandArea, kind: CommandKind, context: CommandContext): CommandCall | null {
  const on = kind === 'cover' ? null : isOn(area, kind, context)
  if (on === null) return null
  const deal = deals[kind][on ? 'off' : 'on']
  return deal?.call ?? null
}

/** Whole minutes; `doubts` when it was rounded. */
function minutes(seconds: number): { readonly seconds: number; readonly doubts: readonly string[] } {
  const whole = Math.max(0, Math.ceil(seconds / 60 - 1e-9)) * 60
  return { seconds: whole, doubts: whole === seconds ? [] : ['rounded up to whole minutes'] }
}

/** The call itself, and the contrary at the end of a time. */
function timed(order: Order, made: Made, area: CommandArea, doubts: readonly string[]): Call[] | string {
  const delay = minutes(order.delay ?? 0)
  // What is no number is not less either.
  if (!(delay.seconds <= MAX_COMMAND_DELAY_S)) return 'delays are at most 24 hours'
  const from = order.clauses[0]?.from ?? 0
  const to = order.clauses.at(-1)?.to ?? 0
  const all = [...made.doubts, ...doubts, ...delay.doubts, ...order.doubts]
  const first: Call = {
    call: made.call,
    area,
    temperature: made.temperature,
    delay: delay.seconds,
    doubts: all,
    refusal: null,
    from,
    to,
  }
  if (order.length === null) return [first]
  const contrary = contraries[made.call]
  if (contrary === undefined) return 'that cannot be done for a time'
  const end = minutes((order.delay ?? 0) + order.length)
  if (!(end.seconds <= MAX_COMMAND_DELAY_S)) return 'delays are at most 24 hours'
  const more = [...all, ...end.doubts]
  return [
    { ...first, doubts: more },
    { ...first, call: contrary, temperature: null, delay: end.seconds, doubts: more },
  ]
}

/** Where a thing is of which no place was said: where a place was said behind it, unless the speaker has one at hand. */
function whereOf(target: Target, kind: CommandKind, all: boolean, context: CommandContext): Where {
  if (all || isSomewhere(target.where) || !target.later) return target.where
  const near = context.presence !== null && has(context.presence, kind, context)
  return near || !target.later.areas.some((area) => has(area, kind, context)) ? target.where : target.later
}

function targetCalls(order: Order, target: Target, context: CommandContext): Outcome {
  if (
    target.pointer === 'it' &&
    target.kind === null &&
    (order.degrees !== null ||
      (order.deed !== null && kindOfDeed[order.deed] !== undefined && isSomewhere(target.where)))
  )
    return targetCalls(order, { ...target, pointer: null }, context)
  if (target.pointer !== null)
    return target.pointer === 'one' ? refuse('nothing to point at') : pointing(order, target, context)
  if (target.everything) return everything(order, target, context)
  if (order.deed === 'toggle') return toggles(order, target, context)
  const made = make(order, target)
  if (typeof made === 'string') return refuse(made)
  const all = target.all || (order.out.length > 0 && !isSomewhere(target.where))
  const named = target.where.areas.includes('garage')
  const outcome = callsFor(
    order,
    made,
    without(areasOf(whereOf(target, made.kind, all, context), made.kind, all, context), order.out, made.kind, context),
  )
  // Who speaks of all blinds may not think of the garage door.
  const wide = made.kind === 'cover' && !named
  return wide
    ? {
        ...outcome,
        calls: outcome.calls.map((call) =>
          call.area === 'garage' ? { ...call, doubts: [...call.doubts, 'the garage door was not named'] } : call,
        ),
      }
    : outcome
}

function callsFor(order: Order, made: Made, found: Areas): Outcome {
  if (found.refusal !== null) return refuse(found.refusal)
  const calls: Call[] = []
  for (const area of found.areas) {
    const some = timed(order, made, area, found.doubts)
    if (typeof some === 'string') return refuse(some)
    calls.push(...some)
  }
  return { calls, refusal: null }
}

function toggles(order: Order, target: Target, context: CommandContext): Outcome {
  const kind = target.kind ?? 'light'
  const found = without(areasOf(target.where, kind, target.all, context), order.out, kind, context)
  if (found.refusal !== null) return refuse(found.refusal)
  const calls: Call[] = []
  for (const area of found.areas) {
    const call = toggled(area, kind, context)
    if (call === null) return refuse('whether it is on is not known')
    const some = timed(
      order,
      { call, kind, temperature: null, doubts: target.kind === null ? ['it is not said which thing: the light'] : [] },
      area,
      found.doubts,
    )
    if (typeof some === 'string') return refuse(some)
    calls.push(...some)
  }
  return { calls, refusal: null }
}

const pointable: readonly CommandKind[] = ['light', 'media', 'heating', 'water']

/** "turn it off": the one thing that is on where the speaker is. */
function pointing(order: Order, target: Target, context: CommandContext): Outcome {
  if (order.deed !== 'off' && order.deed !== 'stop' && order.deed !== 'close' && order.deed !== 'pause')
    return refuse('nothing to point at')
  const place =
    target.where.areas.length === 1
      ? (target.where.areas[0] ?? null)
      : isSomewhere(target.where) && !target.where.here
        ? null
        : context.presence
  if (place === null) return refuse('nothing to point at')
  const on = pointable.filter((kind) => isOn(place, kind, context) === true)
  const [kind] = on
  if (kind === undefined || on.length > 1) return refuse('nothing to point at')
  const deal = deals[kind].off
  if (!deal) return refuse('nothing to point at')
  return callsFor(
    order,
    { call: deal.call, kind, temperature: null, doubts: ['it was not said what: the one thing that is on'] },
    { areas: [place], doubts: [], refusal: null },
  )
}

/** "turn everything off": each thing that can be off. */
function everything(order: Order, target: Target, context: CommandContext): Outcome {
  if (order.deed === 'water' || order.deed === 'warm') {
    const made = make(order, { ...target, everything: false, kind: order.deed === 'water' ? 'water' : 'heating' })
    if (typeof made === 'string') return refuse(made)
    return callsFor(
      order,
      made,
      without(areasOf(target.where, made.kind, true, context), order.out, made.kind, context),
    )
  }
  const off =
    order.deed === 'off' ||
    order.deed === 'shut' ||
    order.deed === 'stop' ||
    order.deed === 'close' ||
    order.deed === 'down'
  if (!off) return refuse('"everything" can only be turned off')
  const calls: Call[] = []
  const where: Where =
    isSomewhere(target.where) || context.presence === null ? target.where : { ...target.where, here: true }
  for (const kind of pointable) {
    const named = where.areas.filter((area) => has(area, kind, context))
    const near =
      where.here && context.presence !== null && has(context.presence, kind, context) ? [context.presence] : []
    const grouped = where.groups.length > 0 || !isSomewhere(where) ? groupAreas(where, kind, context) : []
    if (where.here && context.presence === null) return refuse('"here" is not known while the speaker is away')
    if (where.elsewhere && where.areas.length === 0) return refuse('a place that is not known here')
    const found = without(
      { areas: [...new Set([...named, ...near, ...grouped])], doubts: [], refusal: null },
      order.out,
      kind,
      context,
    )
    const deal = deals[kind].off
    if (!deal || found.areas.length === 0) continue
    const some = callsFor(
      order,
      { call: deal.call, kind, temperature: null, doubts: ['everything that can be turned off'] },
      { areas: found.areas, doubts: found.doubts, refusal: null },
    )
    if (some.refusal !== null) return some
    calls.push(...some.calls)
  }
  return calls.length > 0 ? { calls, refusal: null } : refuse('nothing there can be turned off')
}

/** The calls of an order. */
export function callsOf(order: Order, context: CommandContext): Outcome {
  if (order.targets.length === 0) {
    if (order.refusal !== null) return refuse(order.refusal)
    if (order.deed === 'off' && order.degrees === null && order.clauses.every((clause) => !clause.title))
      return callsOf({ ...order, targets: [{ ...unnamed, pointer: 'it' }] }, context)
    if (
      order.degrees === null &&
      order.deed !== 'water' &&
      !(order.deed !== null && order.clauses.some((clause) => clause.title))
    )
      return refuse('it is not said which thing')
    return callsOf(
      {
        ...order,
        targets: [
          {
            ...unnamed,
            kind: order.degrees === null ? (order.deed === 'water' ? 'water' : 'media') : 'heating',
            title: order.clauses.some((clause) => clause.title),
          },
        ],
      },
      context,
    )
  }
  const title = order.clauses.some((clause) => clause.title)
  const outcomes = order.targets.map((target) =>
    targetCalls(order, title ? { ...target, title: true, kind: target.kind ?? 'media' } : target, context),
  )
  const refusal = order.refusal ?? outcomes.find((one) => one.refusal !== null)?.refusal ?? null
  const calls = outcomes.flatMap((one) => one.calls)
  if (order.refusal !== null) return { calls: calls.map((call) => ({ ...call, refusal: order.refusal })), refusal }
  const lost = outcomes.some((one) => one.refusal !== null)
  return {
    calls: lost
      ? calls.map((call) => ({ ...call, doubts: [...call.doubts, 'something beside it cannot be done'] }))
      : calls,
    refusal,
  }
}
