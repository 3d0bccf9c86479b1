/**
 * A first look at the bytes of a JSON body, in one walk: most bodies have nothing that `json-text.ts` would refuse, and
 * are not looked at again. Told apart by their hashes, keys cost no text of their own.
 * @module
 */
import { MAX_JSON_DEPTH } from '@flow-service/protocol'

/**
 * Whether a body of well-formed JSON certainly has no nesting that is too deep, no key that is given twice or reserved, no
 * character that no store keeps and no number that is read as another. `false` says that it may. Grammar is not looked at.
 */
export function isPlainJson(data: Uint8Array): boolean {
  const keys = new KeyHashes()
  /** Numbers of the objects and arrays that are open, each of its own: those of objects are odd. */
  const open = [0]
  /** Where the keys of each begin among those that are held. */
  const firsts = [0]
  let depth = 0
  let count = 0
  let awaitsKey = false
  for (let at = 0; at < data.length; at += 1) {
    const byte = data[at] ?? 0
    switch (byte) {
      case QUOTE:
        at = awaitsKey ? keys.take(data, at + 1, open[depth] ?? 0, firsts[depth] ?? 0) : endOfText(data, at + 1)
        if (at < 0) return false
        awaitsKey = false
        break
      case 0x7b: // {
      case 0x5b: // [
        if (depth === MAX_JSON_DEPTH) return false
        count += 2
        depth += 1
        awaitsKey = byte === 0x7b
        open[depth] = awaitsKey ? count + 1 : count
        firsts[depth] = keys.held
        break
      case 0x7d: // }
      case 0x5d: // ]
        keys.held = firsts[depth] ?? 0
        if (depth > 0) depth -= 1
        awaitsKey = false
        break
      case 0x2c: // ,
        awaitsKey = ((open[depth] ?? 0) & 1) === 1
        break
      default:
        if (byte < ZERO || byte > NINE) break
        at = endOfNumber(data, at)
        if (at < 0) return false
    }
  }
  return true
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const ZERO = 0x30
const NINE = 0x39
const PLUS = 0x2b
const MINUS = 0x2d
const POINT = 0x2e
const LETTER_D = 0x64
const LETTER_E = 0x65
const LETTER_U = 0x75
const LOWER_CASE = 0x20

/** Digits that every integer of so many can have without being rounded. */
const EXACT_DIGITS = 15
/** Characters of a number that is no larger than a float can be, unless it has a long exponent. */
const FINITE_LENGTH = 200
/** Digits of an exponent that is never too large. */
const SHORT_EXPONENT = 2

/** Index of the quote that ends a text; negative where an escape may name a NUL or one half of a surrogate pair. */
function endOfText(data: Uint8Array, start: number): number {
  let at = start
  for (; at < data.length && data[at] !== QUOTE; at += 1) {
    if (data[at] !== BACKSLASH) continue
    at += 1
    if (data[at] === LETTER_U && isOddEscape(data, at + 1)) return -1
  }
  return at
}

/** Whether the four digits of an escape begin with `000` or `d`. */
const isOddEscape = (data: Uint8Array, at: number): boolean =>
  ((data[at] ?? 0) | LOWER_CASE) === LETTER_D || (data[at] === ZERO && data[at + 1] === ZERO && data[at + 2] === ZERO)

/** Index of the last character of a number; negative where it may be read as another one. */
function endOfNumber(data: Uint8Array, start: number): number {
  let at = start + 1
  let isInteger = true
  /** Where the digits of the exponent begin. */
  let exponent = -1
  for (; at < data.length; at += 1) {
    const byte = data[at] ?? 0
    if (byte >= ZERO && byte <= NINE) continue
    if ((byte | LOWER_CASE) === LETTER_E || byte === PLUS || byte === MINUS) exponent = at + 1
    else if (byte !== POINT) break
    isInteger = false
  }
  const length = at - start
  const isLong = isInteger ? length > EXACT_DIGITS : length > FINITE_LENGTH
  return isLong || (exponent >= 0 && at - exponent > SHORT_EXPONENT) ? -1 : at - 1
}

const PROTO = Buffer.from('__proto__')
const CONSTRUCTOR = Buffer.from('constructor')
const UNDERSCORE = 0x5f
const LETTER_C = 0x63

const isReserved = (key: Uint8Array): boolean => PROTO.equals(key) || CONSTRUCTOR.equals(key)

/** How far a hash is looked for. More are passed only when keys were made to collide. */
const MAX_PROBES = 64

/** Slots at first: arrays of so many bytes lie in the heap of JavaScript, and cost a short body nothing. */
const FIRST_SLOTS = 16

/** Keys of one object that are compared one by one; most have no more, and are forgotten at its end. */
const FEW = 16

/**
 * The keys of a body as 63 bits: the first ones of each open object in a list, all that follow in a table of which half is
 * empty at least.
 */
class KeyHashes {
  /** How many of the list are in use: those of a closed object are given up by setting it back. */
  held = 0
  readonly #highs: number[] = []
  readonly #lows: number[] = []
  #slots = new Int32Array(FIRST_SLOTS)
  #size = 0

  /**
   * Reads the key that begins at `start`, of the object `owner`, whose keys begin at `firstHeld`. Index of the quote that
   * ends it; negative when it may have been given before, be reserved, or have an escape in it.
   */
  take(data: Uint8Array, start: number, owner: number, firstHeld: number): number {
    let at = start
    // far apart, as keys of one letter would meet those of other objects otherwise
    let high = Math.imul(owner, 0x9e3779b1)
    let low = ~owner
    for (; at < data.length; at += 1) {
      const byte = data[at] ?? 0
      if (byte === QUOTE) break
      if (byte === BACKSLASH) return -1
      high = Math.imul(high ^ byte, 0x01000193)
      low = Math.imul(low + byte, 0x85ebca6b) ^ (low >>> 13)
    }
    const first = data[start]
    if ((first === UNDERSCORE || first === LETTER_C) && isReserved(data.subarray(start, at))) return -1
    return this.#hold(high | 1, low, firstHeld) ? at : -1
  }

  #hold(high: number, low: number, firstHeld: number): boolean {
    for (let at = firstHeld; at < this.held; at += 1)
      if (this.#highs[at] === high && this.#lows[at] === low) return false
    if (this.held - firstHeld === FEW) return this.#add(high, low)
    this.#highs[this.held] = high
    this.#lows[this.held] = low
    this.held += 1
    return true
  }

  #add(high: number, low: number): boolean {
    if (this.#size * 4 >= this.#slots.length) this.#grow()
    const place = this.#placeOf(high, low)
    if (place < 0 || this.#slots[place] !== 0) return false
    this.#slots[place] = high
    this.#slots[place + 1] = low
    this.#size += 1
    return true
  }

  /** Where a hash stands or may be put; negative when that is too far away. */
  #placeOf(high: number, low: number): number {
    const slots = this.#slots
    const last = slots.length - 1
    let place = ((high ^ (high >>> 15)) << 1) & last
    for (let probes = 0; probes < MAX_PROBES; probes += 1) {
      if (slots[place] === 0 || (slots[place] === high && slots[place + 1] === low)) return place
      place = (place + 2) & last
    }
    return -1
  }

  #grow(): void {
    const before = this.#slots
    this.#slots = new Int32Array(before.length * 4)
    for (let from = 0; from < before.length; from += 2) {
      const high = before[from] ?? 0
      const place = high === 0 ? -1 : this.#placeOf(high, before[from + 1] ?? 0)
      if (place < 0) continue
      this.#slots[place] = high
      this.#slots[place + 1] = before[from + 1] ?? 0
    }
  }
}
