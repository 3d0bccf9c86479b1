import type { Log } from '../../src/process/log.ts'

/** A log that keeps its lines. */
export function keepingLog(): Log & { lines: { level: string; fields: object; message: string }[] } {
  const lines: { level: string; fields: object; message: string }[] = []
  const at = (level: string) => (fields: object, message: string) => void lines.push({ level, fields, message })
  return { lines, info: at('info'), warn: at('warn'), error: at('error') }
}
