/**
 * Text for people: colours and short times. Colours stand only on a terminal, and never with `NO_COLOR`.
 * @module
 */
import { styleText } from 'node:util'

type Format = Parameters<typeof styleText>[0]

const painter =
  (format: Format) =>
  (text: string): string =>
    styleText(format, text, { stream: process.stdout })

export const bold = painter('bold')
export const dim = painter('dim')
export const red = painter('red')
export const green = painter('green')
export const yellow = painter('yellow')

const painters: Readonly<Record<string, (text: string) => string>> = {
  ok: green,
  active: green,
  attached: green,
  live: green,
  ready: green,
  error: red,
  failed: red,
  down: red,
  abandoned: red,
  lost: red,
  warning: yellow,
  degraded: yellow,
  paused: yellow,
  ending: yellow,
  queued: yellow,
  needs_upgrade: yellow,
  stopped: dim,
  revoked: dim,
  expired: dim,
  idle: dim,
  draft: dim,
}

/** A status or severity in the colour of its meaning. */
export const status = (word: string): string => (painters[word] ?? String)(word)

/** A count with its noun: `1 error`, `2 errors`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

/** A time in the local zone: today `14:03:21`, else `03-21 14:03:21`, in another year with that; null is `-`. */
export function shortTime(ts: string | null, now: Date = new Date()): string {
  if (ts === null) return '-'
  const at = new Date(ts)
  const two = (value: number): string => String(value).padStart(2, '0')
  const time = [at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(':')
  const day = `${two(at.getMonth() + 1)}-${two(at.getDate())}`
  if (at.getFullYear() !== now.getFullYear()) return `${at.getFullYear()}-${day} ${time}`
  return at.getMonth() === now.getMonth() && at.getDate() === now.getDate() ? time : `${day} ${time}`
}

/** Prints an answer: as one JSON document for programs, else what `forPeople` says. */
export function printAnswer(answer: unknown, json: boolean | undefined, forPeople: () => string): void {
  console.log(json ? JSON.stringify(answer, null, 2) : forPeople())
}
