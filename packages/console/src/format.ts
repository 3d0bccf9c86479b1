/** Text of numbers, durations and times. Times are those of the reader; the title of one is UTC. */

/** At most four digits that count. */
export function number(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e9) return value.toLocaleString('en')
  const size = Math.abs(value)
  if (!Number.isFinite(value)) return String(value)
  return size < 1e-3 || size >= 1e6 ? value.toExponential(2) : String(Number(value.toPrecision(4)))
}

/** A count with its noun: `1 run`, `2 runs`; `many` where more of them are not called so with an `s`. */
export const counted = (count: number, noun: string, many = `${noun}s`): string =>
  `${number(count)} ${count === 1 ? noun : many}`

export function duration(seconds: number | null): string {
  if (seconds === null) return ''
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`
  if (seconds < 60) return `${seconds.toFixed(1)} s`
  const [minutes, hours] = [Math.floor(seconds / 60), Math.floor(seconds / 3600)]
  return hours === 0 ? `${minutes} min ${Math.floor(seconds % 60)} s` : `${hours} h ${minutes % 60} min`
}

const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' })

/** How long ago that was, as of `now` in milliseconds. */
export function ago(ts: string, now: number): string {
  const seconds = (now - Date.parse(ts)) / 1000
  if (seconds < 5) return 'now'
  if (seconds < 60) return `${Math.floor(seconds)} s ago`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`
  return day.format(new Date(ts))
}

const time = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })

/** The time of the day of the reader, to the millisecond. */
export const clock = (ts: string): string => {
  const at = new Date(ts)
  return `${time.format(at)}.${String(at.getMilliseconds()).padStart(3, '0')}`
}

/** A value on one line, of at most so many characters. */
export function oneLine(value: unknown, most = 80): string {
  if (typeof value === 'number') return number(value)
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return text.length > most ? `${text.slice(0, most - 1)}…` : text
}

/** Bytes for people: `12.3 kB`. */
export function bytes(count: number): string {
  if (count < 1000) return counted(count, 'byte')
  const units = ['kB', 'MB', 'GB', 'TB']
  let size = count / 1000
  while (size >= 1000 && units.length > 1) {
    size /= 1000
    units.shift()
  }
  return `${size.toFixed(size < 10 ? 1 : 0)} ${units[0]}`
}

/** Enough of an id to tell it from its neighbours: its end, for its beginning is the time. */
export const shortId = (id: string): string => id.slice(-6)
