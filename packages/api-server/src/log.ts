/**
 * The engine's own log: lines of JSON on the standard output, without the values of secrets.
 * @module
 */
import pino, { type Logger } from 'pino'

import type { Redactor } from './secrets/redactor.ts'

/** A log that writes lines of this level and above. */
export function createLog(level: string, { mask }: Pick<Redactor, 'mask'>): Logger {
  const output = pino.destination({ fd: 1, sync: true })
  return pino({ level, base: null }, { write: (line) => void output.write(mask(line)) })
}
