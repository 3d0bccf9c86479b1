/**
 * Typed constructor of `delay`.
 * @module
 */
import { nodeType, type TypedNode } from '@flow-service/flow-sdk'

import type { AnyValue } from '../../constructor-ports.ts'

/** Options of {@link delay}. */
export interface DelayOptions {
  /** Seconds to hold each message. */
  readonly delay?: number
  /** Least seconds between two messages; the latest one that came meanwhile is sent at the end. */
  readonly interval?: number
  /** Five fields: emit the latest message by the clock instead. */
  readonly cron?: string
}

/**
 * Hold messages back, limit their rate, or emit the latest one by the clock. Ports: `in` and `out`.
 * @example use(delay(t.float, { interval: 10 }), { in: m.temp }, { out: { out: 'calmTemp' } })
 */
export const delay = <P extends AnyValue>(
  of: P,
  options: DelayOptions,
): TypedNode<{ readonly in: P }, { readonly out: P }> =>
  nodeType('delay', { in: { in: of }, out: { out: of }, settings: { ...options } })
