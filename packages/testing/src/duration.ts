/**
 * Spans of time as people write them.
 * @module
 */

const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const
const part = /(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)/y

/** Seconds, or text such as `10m`, `1h 30m`, `250ms`. */
export type Duration = number | string

/** In milliseconds. Throws a RangeError for a text that is no span of time, or a negative number. */
export function millisecondsOf(duration: Duration): number {
  if (typeof duration === 'number') {
    if (duration >= 0) return duration * 1000
    throw new RangeError(`${duration} s lies in the past; give a span of 0 or more`)
  }
  const text = duration.trim()
  let at = 0
  let sum = 0
  while (at < text.length) {
    part.lastIndex = at
    const found = part.exec(text)
    if (found === null) break
    sum += Number(found[1]) * units[found[2] as keyof typeof units]
    at = part.lastIndex + (text.slice(part.lastIndex).match(/^\s*/)?.[0].length ?? 0)
  }
  if (text !== '' && at === text.length) return sum
  throw new RangeError(`"${duration}" is no span of time; write seconds, or text such as "10m", "1h 30m" or "250ms"`)
}
