/**
 * The part of a check's surroundings that an engine has by itself, whatever flow is checked.
 * @module
 */
import type { Surroundings } from '@flow-service/core'

import type { DeviceViews } from '../devices/device-views.ts'

/** The node types that this engine lacks something for, its resource sizes, interpreters by name, and devices. */
export interface EngineSurroundings extends Required<Pick<Surroundings, 'missing' | 'flavors' | 'pythons'>> {
  readonly deviceViews: DeviceViews
}
