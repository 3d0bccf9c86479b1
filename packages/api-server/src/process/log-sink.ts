/**
 * Where the parts of the engine report. Each of them takes the levels that it uses, so that a test can give it a bare
 * object; the engine gives its logger (pino) to all.
 * @module
 */

/** Takes lines: the fields of one, and its text. An error stands in the field `err`. */
export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}
