/** Rows as aligned columns under a header; an empty list is said in a sentence. */
export function table(header: readonly string[], rows: readonly (readonly string[])[], none: string): string {
  if (rows.length === 0) return none
  const all = [header, ...rows]
  const widths = header.map((_, at) => Math.max(...all.map((row) => (row[at] ?? '').length)))
  return all
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** A duration in seconds for people: `0.31 s`, `2 min 5 s`. */
export function duration(seconds: number | null): string {
  if (seconds === null) return '-'
  if (seconds < 59.95) return `${seconds.toFixed(seconds < 10 ? 2 : 1)} s`
  const whole = Math.round(seconds)
  return `${Math.floor(whole / 60)} min ${whole % 60} s`
}

/** A JSON value on one line, at most `width` characters. */
export function oneLine(value: unknown, width = 100): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null')
  return text.length > width ? `${text.slice(0, width - 3)}...` : text
}
