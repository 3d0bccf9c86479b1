/**
 * Executions of a live node that have failed and are tried again (`retry`). Each waits as a timer that outlives the
 * engine, while the node takes what comes (node.N8).
 * @module
 */
import type { Values } from '@flow-service/connector-sdk'
import { accepts, type NodeRetry as Retry } from '@flow-service/protocol'

import type { ContextOwner } from '../context-owner.ts'
import type { Failure } from '../failure.ts'
import { retryDelayMs } from '../retry-delay.ts'
import { type Arrivals, fedBy, type Handled } from './arrivals.ts'
import { type DueTimer, type InputPort, TIMER, TRIGGER } from './bus.ts'
import type { TimersHome } from './node-home.ts'
import type { NodeTimers } from './node-timers.ts'

/** What an execution was called with, as its timer holds it. */
type Called =
  | { readonly is: 'value'; readonly port: string; readonly value: unknown }
  | { readonly is: 'values'; readonly values: Values }
  | { readonly is: 'trigger' }
  | { readonly is: 'timer'; readonly timer: DueTimer }

/** One object a node that has a `retry`. */
export class NodeRetry {
  readonly #home: TimersHome
  readonly #node: Pick<ContextOwner, 'log'>
  readonly #timers: NodeTimers
  readonly #retry: Retry

  constructor(home: TimersHome, node: Pick<ContextOwner, 'log'>, timers: NodeTimers, retry: Retry) {
    this.#home = home
    this.#node = node
    this.#timers = timers
    this.#retry = retry
  }

  /** Whether an execution is tried again that has failed; `attempt` is its number, from 1. */
  again({ type, message }: Failure, { what, value }: { what: Handled; value: unknown }, attempt: number): boolean {
    const { attempts } = this.#retry
    if (attempt >= attempts || type === 'cancelled') return false
    const key = this.#home.newId()
    const waitMs = retryDelayMs(this.#retry, attempt, key)
    const dueMs = this.#home.clock.now() + waitMs
    this.#timers.setAgain({ key, dueMs, data: calledWith(what, value), attempt: attempt + 1 })
    const next = `again in ${(waitMs / 1000).toFixed(1)} s`
    this.#node.log('stderr', `attempt ${attempt} of ${attempts} failed: ${type}: ${message}; ${next}\n`)
    return true
  }
}

function calledWith(what: Handled, value: unknown): Called {
  if (what === null) return { is: 'values', values: value as Values }
  if (what.is === 'input') return { is: 'value', port: what.port, value }
  return what.is === 'trigger' ? { is: 'trigger' } : { is: 'timer', timer: value as DueTimer }
}

/** Whether a timer is one of the node's own, and none of an execution. */
export const isOwn = ({ attempt }: DueTimer): boolean => attempt === undefined

/** What a node is called with again; null when it has no such inputs any more, or they take other values. */
export function calledAgain(
  inputs: readonly InputPort[],
  { data }: DueTimer,
): { what: Handled; value: unknown } | null {
  const called = data as Called
  if (called.is === 'trigger') return { what: TRIGGER, value: {} }
  if (called.is === 'timer') return { what: TIMER, value: called.timer }
  const given = called.is === 'value' ? { [called.port]: called.value } : called.values
  const ports = Object.entries(given).map(([port, value]) =>
    inputs.find((at) => at.port === port && accepts(at.dtype, value)),
  )
  const [first] = ports
  if (first === undefined || ports.includes(undefined)) return null
  return called.is === 'value' ? { what: first, value: called.value } : { what: null, value: given }
}

/**
 * The values that are lost with a timer of an execution, or the timer of the node that it was called for. Without the
 * inputs nobody knows which of the values have triggered it.
 */
export function lostWith({ data }: DueTimer, inputs: readonly InputPort[] | null): Arrivals | DueTimer {
  const called = data as Called
  if (called.is === 'timer') return called.timer
  if (called.is === 'trigger') return []
  if (called.is === 'value') return [[called.port, called.value]]
  return inputs === null ? Object.entries(called.values) : fedBy(inputs, null, called.values)
}
