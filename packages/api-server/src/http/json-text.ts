/**
 * JSON as it comes from outside: bounded in depth, without duplicate keys, without text and numbers that no store
 * keeps. What `JSON.parse` accepts beyond that would surface later as lost writes or as errors of the database. Only what
 * is not plain at first sight (`plain-json.ts`) is walked here, to find the place.
 * @module
 */
import { isUtf8 } from 'node:buffer'
import { setImmediate } from 'node:timers/promises'

import { MAX_JSON_DEPTH } from '@flow-service/protocol'

import { inTurns } from '../process/turns.ts'
import { invalid, jsonPointer, ProblemError } from './errors.ts'
import { parseSteps } from './long-json.ts'
import { isPlainJson } from './plain-json.ts'

/**
 * Parses the bytes of a JSON body (RFC 8259, UTF-8).
 * Refuses with `malformed_json` (and `position`, a character offset, where known) or with `validation_failed` whose
 * `path` points at the offending member.
 */
export function parseJson(data: Uint8Array): unknown {
  const isPlain = isPlainJson(data)
  const text = decode(data)
  if (!isPlain) checkStructure(text)
  const value = parse(text)
  if (!isPlain) checkContent(value, [])
  return value
}

/** As {@link parseJson}; one that is long leaves turns to others, also among the items of its member `list`. */
export function readJson(data: Uint8Array, list: string | undefined): unknown {
  return list === undefined || data.length <= LONG_BYTES ? parseJson(data) : readLong(data, list)
}

async function readLong(data: Uint8Array, list: string): Promise<unknown> {
  await turn(data)
  if (!isPlainJson(data)) return parseJson(data)
  await turn(data)
  const text = decode(data)
  try {
    return await inTurns(parseSteps(text, list))
  } catch (error) {
    throw malformed(text, String(error))
  }
}

/**
 * Refuses what {@link parseJson} would refuse but broken grammar, and spends next to nothing on text without anything
 * unusual: for a body that somebody else parses. A long one leaves turns to others, after each look at it and at its end:
 * one parse of a megabyte takes up to 50 ms. Of any other body nothing is left to wait for.
 */
export function checkJson(data: Uint8Array): Promise<void> | undefined {
  if (data.length > LONG_BYTES) return checkLong(data)
  if (isPlainJson(data) && isUtf8(data)) return undefined
  const text = decode(data)
  checkStructure(text)
  checkContent(parse(text), [])
  return undefined
}

async function checkLong(data: Uint8Array): Promise<void> {
  if (!isPlainJson(data) || !isUtf8(data)) {
    const text = decode(data)
    checkStructure(text)
    await turn(data)
    const value = parse(text)
    await turn(data)
    checkContent(value, [])
  }
  await turn(data)
}

const LONG_BYTES = 128 * 1024

/** Lets everything else have a turn before more is done with a long body. */
export const turn = (data: Uint8Array): Promise<void> | undefined =>
  data.length > LONG_BYTES ? setImmediate() : undefined

function decode(data: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(data)
  } catch {
    throw new ProblemError('malformed_json', 'the body is not valid UTF-8')
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw malformed(text, String(error))
  }
}

/** V8 names the position in most of its messages, and quotes the source in some: only the position is told. */
function malformed(text: string, message: string): ProblemError {
  if (text.trim() === '') return new ProblemError('malformed_json', 'the body is empty; send JSON')
  const named = /at position (\d+)/.exec(message)?.[1]
  const position = named === undefined ? (message.includes('end of JSON') ? text.length : null) : Number(named)
  if (position === null) return new ProblemError('malformed_json', 'the body is not valid JSON')
  return new ProblemError('malformed_json', `the body is not valid JSON at position ${position}`, { position })
}

/** An open object or array; `step` is the key or index that the scan is at. */
type Frame = ObjectFrame | { readonly kind: 'array'; step: number }
interface ObjectFrame {
  readonly kind: 'object'
  step: string
  awaitsKey: boolean
  readonly keys: KeySet
}

/**
 * Walks the text before anything recursive sees it: nesting, duplicate keys, and integers, whose digits the parser would
 * take away. Grammar is left to the parser.
 */
function checkStructure(text: string): void {
  const frames: Frame[] = []
  let top: Frame | undefined
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    switch (code) {
      case 0x22: {
        const end = endOfString(text, at)
        if (top?.kind === 'object' && top.awaitsKey) takeKey(frames, top, text.slice(at, end + 1))
        at = end
        break
      }
      case 0x7b: // {
        top = { kind: 'object', step: '', awaitsKey: true, keys: new KeySet() }
        push(frames, top)
        break
      case 0x5b: // [
        top = { kind: 'array', step: 0 }
        push(frames, top)
        break
      case 0x7d: // }
      case 0x5d: // ]
        frames.pop()
        top = frames.at(-1)
        break
      case 0x2c: // ,
        if (top?.kind === 'object') top.awaitsKey = true
        else if (top) top.step += 1
        break
      default: // a scalar, white space, or what the parser will refuse
        if (isDigit(code)) {
          const end = endOfNumber(text, at)
          checkInteger(text, at, end, frames)
          at = end
        }
    }
  }
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39

/** Index of the last character of a number, or of what the parser will refuse. */
function endOfNumber(text: string, start: number): number {
  let end = start
  while (isOfNumber(text.charCodeAt(end + 1))) end += 1
  return end
}

const isOfNumber = (code: number): boolean =>
  isDigit(code) || code === 0x2e || (code | 0x20) === 0x65 || code === 0x2b || code === 0x2d

/** Digits that every integer of so many can have without being read as another one. */
const EXACT_DIGITS = 15

/** Refuses an integer that would be read as another one. */
function checkInteger(text: string, start: number, end: number, frames: readonly Frame[]): void {
  if (end - start < EXACT_DIGITS) return
  const literal = text.slice(start, end + 1)
  const value = Number(literal)
  if (!/^[1-9]\d*$/.test(literal) || !Number.isFinite(value) || BigInt(value) === BigInt(literal)) return
  throw invalid([{ path: pathOf(frames), code: 'out_of_range', message: inexact(literal, value) }])
}

const inexact = (literal: string, value: number): string =>
  `the integer ${literal} would be read as ${BigInt(value)}: integers are exact up to ${Number.MAX_SAFE_INTEGER}; send it as a text`

const pathOf = (frames: readonly Frame[]): string => jsonPointer(frames.map(({ step }) => step))

/** Index of the closing quote, or the length of the text when there is none. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end < 0 ? text.length : end
}

/** Whether an odd number of backslashes stands before a place. */
function isEscaped(text: string, at: number): boolean {
  let backslashes = 0
  while (text.charCodeAt(at - 1 - backslashes) === 0x5c) backslashes += 1
  return backslashes % 2 === 1
}

function push(frames: Frame[], frame: Frame): void {
  if (frames.length === MAX_JSON_DEPTH) throw tooDeep(frames)
  frames.push(frame)
}

function takeKey(frames: readonly Frame[], frame: ObjectFrame, literal: string): void {
  const key = keyOf(literal)
  if (key === null) return
  frame.step = key
  frame.awaitsKey = false
  if (frame.keys.add(key)) return
  throw invalid([{ path: pathOf(frames), code: 'duplicate_key', message: `the key "${key}" is given twice` }])
}

/** The key with its escapes resolved: `"a"` and `"\u0061"` are one key. `null` when the parser will refuse it. */
function keyOf(literal: string): string | null {
  if (!literal.includes('\\')) return literal.slice(1, -1)
  try {
    return String(JSON.parse(literal))
  } catch {
    return null
  }
}

/** Keys of one object; most have a few, for which looking through a list is faster than a set. */
class KeySet {
  private readonly few: string[] = []
  private many: Set<string> | null = null

  /** Whether the key is new. */
  add(key: string): boolean {
    if (this.many) return this.many.size !== this.many.add(key).size
    if (this.few.includes(key)) return false
    this.few.push(key)
    if (this.few.length === 16) this.many = new Set(this.few)
    return true
  }
}

const tooDeep = (frames: readonly Frame[]): ProblemError =>
  invalid([
    {
      path: pathOf(frames),
      code: 'too_deep',
      message: `nesting ends at ${MAX_JSON_DEPTH} levels`,
    },
  ])

/** The parsed value: recursion is bounded by the depth checked before. */
function checkContent(value: unknown, path: (string | number)[]): void {
  if (typeof value === 'string') {
    // the pointer is made for what is refused alone: a body may have a hundred thousand texts
    if (!isKept(value)) checkText(value, jsonPointer(path))
  } else if (typeof value === 'number') checkNumber(value, path)
  else if (Array.isArray(value)) for (const [index, item] of value.entries()) within(path, index, item)
  else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      checkKey(key, item, path)
      within(path, key, item)
    }
  }
}

/** Whether every store keeps the text as it is. */
const isKept = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

function within(path: (string | number)[], step: string | number, value: unknown): void {
  path.push(step)
  checkContent(value, path)
  path.pop()
}

function checkNumber(value: number, path: readonly (string | number)[]): void {
  if (Number.isFinite(value)) return
  throw invalid([{ path: jsonPointer(path), code: 'out_of_range', message: 'the number is beyond a 64-bit float' }])
}

/** Names that reach an object's prototype when a later step copies members by assignment. */
function checkKey(key: string, value: unknown, path: readonly (string | number)[]): void {
  const reaching =
    key === 'constructor' && typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype')
  if (key === '__proto__' || reaching)
    throw invalid([
      { path: jsonPointer([...path, key]), code: 'reserved_key', message: `"${key}" is not accepted as a key` },
    ])
  if (!isKept(key)) checkText(key, jsonPointer([...path, key]))
}

/** Refuses text that PostgreSQL cannot keep: NUL (22021) and lone surrogates (22P02). `path` as in `ProblemItem`. */
export function checkText(text: string, path: string): void {
  if (text.includes('\0')) throw invalid([{ path, code: 'bad_text', message: 'a NUL character is not accepted' }])
  if (!text.isWellFormed()) throw invalid([{ path, code: 'bad_text', message: 'a lone surrogate is not accepted' }])
}
