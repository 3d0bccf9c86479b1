/**
 * Carries out what a model has understood, as far as the wiring and the settings allow, and tells what came of it.
 * @module
 */
import type { NodeContext, Values } from '@flow-service/connector-sdk'
import type { CommandReading, CommandRecord } from '@flow-service/protocol'

import { idOf } from './device.ts'
import { type HeldCall, type HeldCalls, MAX_HELD, supersedes, type Write } from './held-calls.ts'
import { REPORT, type Target } from './ports.ts'
import type { CommandSettings } from './settings.ts'
import { writtenValue, type WrittenValue } from './written-value.ts'

/** What a node carries calls out with. */
export interface CarryOutDeps {
  readonly ctx: NodeContext<CommandSettings>
  readonly targets: readonly Target[]
  readonly held: HeldCalls
}

/** When a prompt came, and what was waiting then. */
export interface Moment {
  readonly atMs: number
  readonly waiting: readonly HeldCall[]
}

/** A call and one of its targets; null where it has none. */
interface Step {
  readonly target: Target | null
  readonly value: WrittenValue | null
  isApplied: boolean
}

interface Plan {
  readonly reading: CommandReading
  readonly steps: readonly Step[]
}

/** The values to publish: those of targets that are due now, and the report. */
export function carryOut(readings: readonly CommandReading[], moment: Moment, deps: CarryOutDeps): Values {
  const plans = readings.map((reading) => planOf(reading, deps))
  keepLast(plans)
  const superseded: CommandRecord[] = []
  const values: Values = {}
  for (const plan of plans.toSorted((a, b) => a.reading.delay_s - b.reading.delay_s)) {
    if (!plan.steps.some(({ isApplied }) => isApplied)) continue
    const { delay_s } = plan.reading
    const dueMs = moment.atMs + delay_s * 1000
    const replaced = moment.waiting.filter((call) => deps.held.has(call) && supersedes(plan.reading, dueMs, call))
    if (delay_s > 0 && deps.held.size - replaced.length >= MAX_HELD) {
      for (const step of plan.steps) step.isApplied = false
      deps.held.full()
      continue
    }
    for (const call of replaced) {
      deps.held.takeBack(call)
      superseded.push(...recordsOfHeld(call))
    }
    const writes = writesOf(plan)
    if (delay_s > 0) deps.held.hold({ reading: plan.reading, writes }, dueMs)
    else for (const { port, value } of writes) values[port] = value
  }
  if (deps.ctx.outputs.some(({ port }) => port === REPORT))
    values[REPORT] = [...plans.flatMap(recordsOf), ...superseded]
  return values
}

function planOf(reading: CommandReading, { ctx, targets }: CarryOutDeps): Plan {
  const { confidence, delay_s } = reading
  const { apply, min_confidence } = ctx.settings
  const wired = targets.filter(({ device }) => idOf(device) === idOf(reading))
  // a confidence of 0 says that it cannot be done
  const isMeant = apply && confidence > 0 && confidence >= min_confidence
  const isKept = delay_s === 0 || ctx.mode === 'live'
  if (isMeant && !isKept && wired.length > 0)
    ctx.log(`${reading.call} ${reading.area} in ${delay_s} s is not applied: a run ends before it is due`)
  const steps = wired.map((target) => {
    const value = writtenValue(reading, target.dtype)
    return { target, value, isApplied: isMeant && isKept && value !== null }
  })
  return { reading, steps: steps.length > 0 ? steps : [{ target: null, value: null, isApplied: false }] }
}

/** What a sentence says last of a target at a time counts: "on, no, off" writes once. */
function keepLast(plans: readonly Plan[]): void {
  const taken = new Set<string>()
  for (const { reading, steps } of plans.toReversed()) {
    for (const step of steps) {
      if (!step.isApplied) continue
      const place = `${step.target?.port} ${reading.delay_s}`
      step.isApplied = !taken.has(place)
      taken.add(place)
    }
  }
}

const writesOf = ({ steps }: Plan): Write[] =>
  steps.flatMap(({ target, value, isApplied }) =>
    isApplied && target !== null && value !== null ? [{ port: target.port, message: target.message, value }] : [],
  )

const told = ({ delay_s, call, confidence }: CommandReading) => ({ delay_s, call, confidence })

const recordsOf = ({ reading, steps }: Plan): CommandRecord[] =>
  steps.map(({ target, value, isApplied }) => ({
    message: target?.message ?? '',
    value,
    applied: isApplied,
    ...told(reading),
  }))

const recordsOfHeld = ({ reading, writes }: HeldCall): CommandRecord[] =>
  writes.map(({ message, value }) => ({ message, value, applied: false, ...told(reading), superseded: true }))
