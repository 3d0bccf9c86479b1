import { stripVTControlCharacters } from 'node:util'

import { dim } from './terminal.ts'

/** Rows as aligned columns under a header; an empty list is said in a sentence. */
export function table(header: readonly string[], rows: readonly (readonly string[])[], none: string): string {
  if (rows.length === 0) return none
  const all = [header.map(dim), ...rows]
  const widths = header.map((_, at) => Math.max(...all.map((row) => width(row[at] ?? ''))))
  return all
    .map((row) =>
      row
        .map((cell, at) => cell + ' '.repeat((widths[at] ?? 0) - width(cell)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

const width = (cell: string): number => stripVTControlCharacters(cell).length

/** Names under which several records have different values. */
export function varying(records: readonly Readonly<Record<string, unknown>>[]): string[] {
  const names = [...new Set(records.flatMap((record) => Object.keys(record)))]
  return names.filter((name) => new Set(records.map((record) => JSON.stringify(record[name]))).size > 1)
}

/** A duration in seconds for people: `0.31 s`, `2 min 5 s`. */
export function duration(seconds: number | null): string {
  if (seconds === null) return '-'
  if (seconds < 59.95) return `${seconds.toFixed(seconds < 10 ? 2 : 1)} s`
  const whole = Math.round(seconds)
  return `${Math.floor(whole / 60)} min ${whole % 60} s`
}

/** So many bytes for people: `812 B`, `1.4 MB`. */
export function byteCount(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  let at = 0
  let amount = bytes
  for (; amount >= 999.5 && at < units.length - 1; at += 1) amount /= 1000
  return `${at === 0 || amount >= 99.95 ? amount.toFixed(0) : amount.toFixed(1)} ${units[at]}`
}

/**
 * A JSON value on one line, at most `most` characters. It may come from anybody: what a terminal would obey is escaped.
 */
export function oneLine(value: unknown, most = 100): string {
  const line = typeof value === 'string' ? value.replaceAll(/\s*\n\s*/g, ' ') : (JSON.stringify(value) ?? 'null')
  const text = printable(line)
  return text.length > most ? `${text.slice(0, most - 3)}...` : text
}

/** A text whose control characters (C0, C1, and those that turn the direction of writing) are spelled out. */
export const printable = (text: string): string =>
  text.replaceAll(
    /(?!\n)[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
