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

/** A duration in seconds for people: `0.31 s`, `2 min 5 s`. */
export function duration(seconds: number | null): string {
  if (seconds === null) return '-'
  if (seconds < 59.95) return `${seconds.toFixed(seconds < 10 ? 2 : 1)} s`
  const whole = Math.round(seconds)
  return `${Math.floor(whole / 60)} min ${whole % 60} s`
}

/** A JSON value on one line, at most `most` characters. */
export function oneLine(value: unknown, most = 100): string {
  const text = typeof value === 'string' ? value.replaceAll(/\s*\n\s*/g, ' ') : (JSON.stringify(value) ?? 'null')
  return text.length > most ? `${text.slice(0, most - 3)}...` : text
}
