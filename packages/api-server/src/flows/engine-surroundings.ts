/**
 * The part of a check's surroundings that an engine has by itself, whatever flow is checked.
 * @module
 */
import type { Surroundings } from '@flow-service/core'

/** The node types that this engine lacks something for, and its resource sizes. */
export type EngineSurroundings = Required<Pick<Surroundings, 'missing' | 'flavors'>>
