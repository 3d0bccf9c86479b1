/**
 * The part of a check's surroundings that an engine has by itself, whatever flow is checked.
 * @module
 */
import type { Surroundings } from '@flow-service/core'

import type { DeviceSights } from '../devices/device-sights.ts'

/** The node types that this engine lacks something for, its resource sizes, and devices. */
export interface EngineSurroundings extends Required<Pick<Surroundings, 'missing' | 'flavors'>> {
  readonly deviceSights: DeviceSights
}
