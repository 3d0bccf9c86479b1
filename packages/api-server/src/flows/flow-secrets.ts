/**
 * What flows need of secrets.
 * @module
 */
import type { Secrets } from '@flow-service/core'

/** The secrets that settings of flows refer to. */
export interface FlowSecrets extends Secrets {
  /** Grows with every change: what was said of secrets in the same generation still holds. */
  readonly generation: number
}
