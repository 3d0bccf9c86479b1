/**
 * Nouns that every engine is given: its configuration, its log and its clock. `compose.ts` provides them, slices need them.
 * @module
 */
import type { Clock } from '@flow-service/core'
import type { Logger } from 'pino'

import type { ResolvedConfig } from '../config.ts'
import { noun } from './layer.ts'

/** The settings of the service. */
export const config = noun<ResolvedConfig>()('config')

/** The engine's own log, without the values of secrets. */
export const log = noun<Logger>()('log')

/** The clock of everything that waits. */
export const clock = noun<Clock>()('clock')
