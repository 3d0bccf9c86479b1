/**
 * Engine timestamps: UTC with six decimals and a numeric offset (wire decision G05).
 * @module
 */
import * as z from 'zod'

/** `YYYY-MM-DDTHH:mm:ss.ffffff+00:00`. */
export const timestampSchema = z.string().meta({
  format: 'date-time',
  description: 'ISO 8601 in UTC with microseconds, for example 2026-01-31T08:00:00.000001+00:00.',
})

/** An ISO 8601 time with an offset, as clients may send it. Databases know no year 0 and no offset of 16 hours. */
export const timestampInputSchema = z.iso
  .datetime({
    offset: true,
    error: 'use ISO 8601 with an offset, for example 2026-01-31T08:00:00+00:00',
    abort: true,
  })
  .refine((time) => !/^0000|[+-](?:1[6-9]|2\d):\d\d$/.test(time), {
    error: 'use a year from 0001 and an offset of less than 16 hours',
    params: { code: 'bad_time' },
  })

/** The millisecond that was spelled last, for most of what happens shares it with what happened before. */
let last = { ms: Number.NaN, iso: '' }

/** The engine's spelling of a time given in microseconds since the Unix epoch. */
export function timestampOf(epochUs: number): string {
  const ms = Math.floor(epochUs / 1000)
  if (ms !== last.ms) last = { ms, iso: new Date(ms).toISOString().slice(0, -1) }
  return `${last.iso}${String(epochUs - ms * 1000).padStart(3, '0')}+00:00`
}

/** The engine's spelling of a time given in milliseconds since the Unix epoch. */
export const timestampOfMs = (epochMs: number): string => timestampOf(Math.round(epochMs * 1000))
