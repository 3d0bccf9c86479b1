/**
 * An apply of modules as it goes, for people.
 * @module
 */
import type { ModuleProgress } from '@flow-service/protocol'

import { oneLine } from './table.ts'

/** How far an apply is, in a few words. */
export const progressText = ({ step, line, done, total }: ModuleProgress): string =>
  `${step}${total > 0 ? ` ${done} of ${total}` : ''}${line === null ? '' : `, ${oneLine(line)}`}`
