/**
 * Values as they are typed on a command line.
 * @module
 */
import { CommandFailure } from './failure.ts'

/** `name=value` pairs, each an option `-p`; a value that is no JSON is text. */
export function parsePairs(pairs: readonly string[] = []): Record<string, unknown> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=')
      if (at < 1) throw new CommandFailure(2, `"${pair}" has no name; write -p name=value`)
      return [pair.slice(0, at), jsonOrText(pair.slice(at + 1))]
    }),
  )
}

/** JSON, or text as it stands. */
export function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** A point in time: `10m`, `2h`, `3d` ago, or a date as RFC 3339 has it. Null when it is neither. */
export function instant(text: string, nowMs: number = Date.now()): string | null {
  const [, amount, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  if (unit !== undefined) return new Date(nowMs - Number(amount) * (UNIT_MS[unit] ?? 0)).toISOString()
  const isDate = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?$/.test(text)
  const ms = isDate ? Date.parse(text) : Number.NaN
  return Number.isNaN(ms) ? null : new Date(ms).toISOString()
}

/** Whether a name fits a pattern in which `*` stands for anything. */
export function matcher(pattern: string): (name: string) => boolean {
  const expression = new RegExp(`^${pattern.replace(/[^\w*]/g, String.raw`\$&`).replaceAll('*', '.*')}$`)
  return (name) => expression.test(name)
}
