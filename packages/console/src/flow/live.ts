/**
 * What happens in a flow while its page is open: values of its messages, states of its nodes, and everything in the order in
 * which it came, for the list of events.
 */
import type { EventFrame } from '@flow-service/protocol'
import { type ReadonlySignal, signal, type Signal } from '@preact/signals'

import { follow } from '../live/events.ts'
import { type LiveValues, liveValues } from '../live/values.ts'

/** What a card says of its node. */
export interface NodeNow {
  readonly status: string
  readonly health: string
  /** Of the last failure, or of the health. */
  readonly message: string | null
  /** Begun since the page is open. */
  readonly executions: number
}

export interface FlowNow {
  readonly values: LiveValues
  readonly nodeOf: (node: string) => ReadonlySignal<NodeNow>
  /** Events of the last second. */
  readonly rate: ReadonlySignal<number>
  /** Frames as they come; ends with the result. */
  readonly listen: (listener: (frames: readonly EventFrame[]) => void) => () => void
  readonly close: () => void
}

/** Above this many events a second nothing flashes: everything would, and painting is what costs. */
export const QUIET = 300

export const idle: NodeNow = { status: 'idle', health: 'ok', message: null, executions: 0 }

/** Follows a flow, and the values of those that it reads, until `close`. */
export function followFlow(flow: string, others: readonly string[]): FlowNow {
  const values = liveValues()
  const nodes = new Map<string, Signal<NodeNow>>()
  const rate = signal(0)
  const listeners = new Set<(frames: readonly EventFrame[]) => void>()
  let received = 0
  const nodeOf = (node: string): Signal<NodeNow> => {
    const known = nodes.get(node)
    if (known) return known
    const now = signal(idle)
    nodes.set(node, now)
    return now
  }
  const change = (node: string, to: Partial<NodeNow>): void => {
    const now = nodeOf(node)
    now.value = { ...now.peek(), ...to }
  }
  const take = (frame: EventFrame): void => {
    if (frame.type === 'node' && frame.flow === flow && frame.run === null)
      change(frame.node, {
        status: frame.status,
        message: frame.error?.message ?? null,
        executions: nodeOf(frame.node).peek().executions + (frame.executions ?? 0),
      })
    else if (frame.type === 'health' && frame.flow === flow)
      change(frame.node, { health: frame.status, message: frame.message })
    else if (frame.type === 'snapshot')
      for (const { node, status, health, error, message } of frame.nodes.filter((one) => one.flow === flow))
        change(node, { status, health, message: error?.message ?? message })
  }
  const end = follow({ kinds: ['value', 'node', 'health', 'flow'], flows: [flow, ...others] }, (frames, count) => {
    received += count
    for (const frame of frames) take(frame)
    values.take(frames)
    for (const listener of listeners) listener(frames)
  })
  const second = setInterval(() => {
    rate.value = received
    received = 0
  }, 1000)
  return {
    values,
    nodeOf,
    rate,
    listen(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    close() {
      end()
      clearInterval(second)
    },
  }
}
