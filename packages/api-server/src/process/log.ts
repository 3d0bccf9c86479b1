/**
 * The engine's own log: lines of JSON on the standard output, without the values of secrets.
 * @module
 */
import pino, { type Logger, type LoggerOptions } from 'pino'

/**
 * Takes lines: the fields of one, and its text. An error stands in the field `err`. Each part of the engine needs the levels
 * that it uses, so that a test can give it a bare object.
 */
export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** What a log takes. */
export interface LogDeps {
  /** The least severe lines that are written. */
  readonly level: string
  /** Takes the values of secrets out of a line. */
  readonly mask: (line: string) => string
  /** Whether an error follows from one that the log has told already: its line is left out. */
  readonly isTold: (error: unknown) => boolean
}

/** A log on the standard output. */
export function createLog({ level, mask, isTold }: LogDeps): Logger {
  const output = pino.destination({ fd: 1, sync: true })
  const hooks: LoggerOptions['hooks'] = {
    logMethod(line, method) {
      const [fields] = line as unknown[]
      if (!isTold((fields as { readonly err?: unknown } | undefined)?.err)) method.apply(this, line)
    },
  }
  return pino({ level, base: null, hooks }, { write: (line) => void output.write(mask(line)) })
}
