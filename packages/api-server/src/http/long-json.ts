/**
 * JSON of values with a long list, in steps: a document of ten thousand nodes is megabytes of text, and parsing or writing
 * them at once holds the loop for a tenth of a second. The rows of flows are read and written by this, and long answers.
 * @module
 */
import { ITEMS_A_STEP, type Steps } from '@flow-service/core'

/** Texts up to this many characters are parsed at once. */
const LONG = 128 * 1024
/** About how many characters are one step. */
const PIECE = 64 * 1024
/** So many places where objects meet may lie inside one item before the rest is parsed at once. */
const MOST_TRIES = 100
/** Stands before what is left of the list, to tell it from another one of the name. */
const MARK = 'the list whose beginning has been parsed'

/**
 * What `JSON.parse` makes of a text, the items of the member `list` a few at a time. A key that is given twice is nobody's
 * here. Throws as `JSON.parse`.
 */
export function* parseSteps(text: string, list: string): Steps<unknown> {
  if (text.length <= LONG) return JSON.parse(text)
  return (yield* parseList(text, list)) ?? JSON.parse(text)
}

/**
 * Objects are cut off the list where one seems to end and another to begin. A piece that parses is whole items: inside a
 * text, or deeper, it would end before what it has begun. Undefined where the text has no such list, or no JSON.
 */
function* parseList(text: string, list: string): Steps<object | undefined> {
  const opening = new RegExp(`"${list}"\\s*:\\s*\\[\\s*(?=\\{)`).exec(text)
  if (opening === null) return undefined
  const start = opening.index + opening[0].length
  const between = /\}\s*,\s*(?=\{)/g
  const items: unknown[] = []
  let from = start
  between.lastIndex = from + PIECE
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    yield
    const cut = between.exec(text)
    if (cut === null) break
    const piece = valueOf(`[${text.slice(from, cut.index + 1)}]`)
    if (!Array.isArray(piece)) continue
    for (const item of piece) items.push(item)
    from = between.lastIndex
    between.lastIndex = from + PIECE
    tries = 0
  }
  if (items.length === 0) return undefined
  const value = valueOf(`${text.slice(0, start)}"${MARK}",${text.slice(from)}`)
  const rest =
    typeof value === 'object' && value !== null && list in value ? (value as Record<string, unknown>)[list] : 0
  if (!Array.isArray(rest) || rest[0] !== MARK) return undefined
  for (const item of rest.slice(1)) items.push(item)
  return Object.assign(value as object, { [list]: items })
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** What `JSON.stringify` makes of plain data: the long lists in it a few items at a time. */
export function* textSteps(value: unknown): Steps<string> {
  if (!hasLongList(value)) return JSON.stringify(value)
  if (Array.isArray(value)) return yield* listText(value)
  const members: string[] = []
  for (const [key, member] of Object.entries(value)) {
    const text: string | undefined = yield* textSteps(member)
    if (text !== undefined) members.push(`${JSON.stringify(key)}:${text}`)
  }
  return `{${members.join(',')}}`
}

function* listText(items: readonly unknown[]): Steps<string> {
  const pieces: string[] = []
  for (let from = 0; from < items.length; from += ITEMS_A_STEP) {
    if (from > 0) yield
    const some = items.slice(from, from + ITEMS_A_STEP)
    // items of a list are alike: to look at all of them costs half of their text
    if (hasLongList(some[0])) {
      for (const item of some) {
        const text: string | undefined = yield* textSteps(item)
        pieces.push(text ?? 'null')
        yield
      }
    } else pieces.push(JSON.stringify(some).slice(1, -1))
  }
  return `[${pieces.join(',')}]`
}

/** How deep long lists are looked for: curves are the points of series of a comparison. */
const DEPTH = 3

/** Whether a value is a long list, or has one not far inside. */
export function hasLongList(value: unknown, depth = DEPTH): value is object {
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return false
  if (isLongList(value)) return true
  if (depth === 0) return false
  const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value)
  return members.some((member) => hasLongList(member, depth - 1))
}

const isLongList = (value: unknown): boolean => Array.isArray(value) && value.length > ITEMS_A_STEP
