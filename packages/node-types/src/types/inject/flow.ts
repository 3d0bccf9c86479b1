/**
 * Typed constructor of `inject`.
 * @module
 */
import { nodeType, type Outputs, type TypedNode, type ValueOf } from '@flow-service/flow-sdk'

import type { NoPorts } from '../../constructor-ports.ts'

/** Options of {@link inject}. */
export interface InjectOptions<O extends Outputs> {
  readonly out: O
  /** Value to emit; the current time unless given. */
  readonly payload?: ValueOf<O[keyof O]>
  /** Value by output, in place of `payload`. */
  readonly payloads?: { readonly [K in keyof O]?: ValueOf<O[K]> }
  /** Seconds between two emissions; 0, the default, emits none by itself. */
  readonly interval?: number
  /** Five fields: minute hour day month weekday. */
  readonly cron?: string
  /** Emit once after the flow has started. */
  readonly atStart?: boolean
  /** Seconds from the start to that emission; 1 unless given. */
  readonly startDelay?: number
}

/**
 * Emit a value on request, at an interval, by a cron pattern or at the start of the flow.
 * @example use(inject({ out: { tick: t.str }, cron: '0 6 * * mon-fri' }))
 */
export function inject<O extends Outputs>(options: InjectOptions<O>): TypedNode<NoPorts, O> {
  const { out, atStart, startDelay, ...settings } = options
  return nodeType('inject', { out, settings: { ...settings, at_start: atStart, start_delay: startDelay } })
}
