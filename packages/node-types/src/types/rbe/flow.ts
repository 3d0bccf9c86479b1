/**
 * Typed constructor of `rbe`.
 * @module
 */
import { nodeType, type TypedNode } from '@flow-service/flow-sdk'

import type { AnyValue } from '../../constructor-ports.ts'

/** Options of {@link rbe}. */
export interface RbeOptions {
  /** Numbers that differ by less from the last one that passed are held back; 0 unless given. */
  readonly deadband?: number
  /** The deadband is a percentage of that number. */
  readonly deadbandPercent?: boolean
}

/**
 * Pass a value only when it differs from the last one that passed. Ports: `in` and `out`.
 * @example const { out } = use(rbe(t.float, { deadband: 0.5 }), { in: m.temp }, { out: { out: 'settled' } })
 */
export const rbe = <P extends AnyValue>(
  of: P,
  { deadbandPercent, ...settings }: RbeOptions = {},
): TypedNode<{ readonly in: P }, { readonly out: P }> =>
  nodeType('rbe', { in: { in: of }, out: { out: of }, settings: { ...settings, deadband_percent: deadbandPercent } })
