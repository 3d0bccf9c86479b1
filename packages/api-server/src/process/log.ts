/**
 * The engine's own log: lines of JSON on the standard output, without the values of secrets.
 * @module
 */
import pino, { type Logger } from 'pino'

/**
 * Takes lines: the fields of one, and its text. An error stands in the field `err`. Each part of the engine needs the levels
 * that it uses, so that a test can give it a bare object.
 */
export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** A log that writes lines of this level and above; `mask` takes the values of secrets out of a line. */
export function createLog(level: string, mask: (line: string) => string): Logger {
  const output = pino.destination({ fd: 1, sync: true })
  return pino({ level, base: null }, { write: (line) => void output.write(mask(line)) })
}
