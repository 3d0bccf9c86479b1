/**
 * Makes secret values unreadable wherever something is shown or kept: in texts, in JSON, and in streams of text whose
 * chunks may cut a value in two. Costs nothing while there are no secrets.
 *
 * - redactor.M1 a value is found as it is and in every form of `encodingsOf`; values of fewer than 8 characters are
 *   not.
 * - redactor.M2 forms that overlap are masked together: nothing of either stays.
 * - redactor.M3 a stream holds back what may be the beginning of a value until more text, or its end, decides.
 * - redactor.M4 what has none of it comes back as the very same object.
 * @module
 */
import { encodingsOf } from './encodings.ts'

/** What stands in place of a value. */
export const MASK = '***'

/** JSON that is nested deeper is masked as a whole. */
const MAX_DEPTH = 500

/** A stream of text being masked. */
export interface MaskedStream {
  /** What of the text so far may be shown now; may be empty. */
  push(text: string): string
  /** What was held back. The stream may go on. */
  end(): string
}

/** One for a service; who knows the values sets them. */
export class Redactor {
  /** Forms by their first two UTF-16 code units, longest first. */
  #forms = new Map<number, string[]>()
  /** Which code units forms begin with. */
  #firsts: Uint8Array | null = null

  /** Looks for these values from now on, in place of those before. */
  set(values: Iterable<string>): void {
    const forms = new Set([...values].flatMap(encodingsOf))
    this.#forms = Map.groupBy(
      [...forms].toSorted((a, b) => b.length - a.length),
      (form) => startOf(form, 0),
    )
    this.#firsts = forms.size === 0 ? null : new Uint8Array(65_536)
    for (const form of forms) this.#firsts![form.charCodeAt(0)] = 1
  }

  /** The same text, or JSON with its keys, without values of secrets (redactor.M4). Needs no `this`. */
  readonly mask = <T>(shown: T): T => {
    if (this.#firsts === null) return shown
    return (typeof shown === 'string' ? this.#text(shown) : this.#json(shown, new Set())) as T
  }

  /** Whether a text holds the value of a secret. Needs no `this`. */
  readonly finds = (text: string): boolean => this.#firsts !== null && this.#find(text, false).spans.length > 0

  /** A new stream. */
  stream(): MaskedStream {
    let held = ''
    return {
      push: (text) => {
        if (this.#firsts === null && held === '') return text
        const all = held + text
        const { spans, openFrom } = this.#find(all, true)
        held = all.slice(openFrom)
        return masked(all.slice(0, openFrom), spans)
      },
      end: () => {
        const rest = this.#text(held)
        held = ''
        return rest
      },
    }
  }

  #text(text: string): string {
    const { spans } = this.#find(text, false)
    return spans.length === 0 ? text : masked(text, spans)
  }

  #json(value: unknown, within: Set<object>): unknown {
    if (typeof value === 'string') return this.#text(value)
    if (typeof value !== 'object' || value === null) return value
    if (within.size >= MAX_DEPTH || within.has(value)) return MASK
    within.add(value)
    const result = Array.isArray(value) ? this.#items(value, within) : this.#members(value, within)
    within.delete(value)
    return result
  }

  #items(value: readonly unknown[], within: Set<object>): readonly unknown[] {
    const items = value.map((item) => this.#json(item, within))
    return items.some((item, at) => !Object.is(item, value[at])) ? items : value
  }

  #members(value: object, within: Set<object>): object {
    const prototype: unknown = Object.getPrototypeOf(value)
    if (prototype !== Object.prototype && prototype !== null) return value
    let isChanged = false
    const members = Object.entries(value).map(([key, item]: [string, unknown]) => {
      const member = [this.#text(key), this.#json(item, within)] as const
      isChanged ||= member[0] !== key || !Object.is(member[1], item)
      return member
    })
    return isChanged ? Object.fromEntries(members) : value
  }

  /** Where forms are, and where an unfinished one begins in a text that may go on. */
  #find(text: string, goesOn: boolean): { spans: Span[]; openFrom: number } {
    const spans: Span[] = []
    const { length } = text
    let openFrom = length
    for (let at = 0; at < openFrom; at++) {
      if (this.#firsts?.[text.charCodeAt(at)] !== 1) continue
      const found = this.#at(text, at, goesOn)
      if (found === 'open') openFrom = at
      else if (found > 0) cover(spans, at, at + found)
    }
    const last = spans.at(-1)
    // redactor.M2: what an unfinished form overlaps is decided with it
    if (last && last.to > openFrom) {
      openFrom = last.from
      spans.pop()
    }
    return { spans, openFrom }
  }

  /** Length of the longest form at a place, 0 when there is none; `open` when the text ends within one. */
  #at(text: string, at: number, goesOn: boolean): number | 'open' {
    const left = text.length - at
    if (left === 1) return goesOn ? 'open' : 0
    for (const form of this.#forms.get(startOf(text, at)) ?? []) {
      if (text.startsWith(form, at)) return form.length
      if (goesOn && form.length > left && form.startsWith(text.slice(at))) return 'open'
    }
    return 0
  }
}

interface Span {
  readonly from: number
  to: number
}

/** Spans are covered in the order of their beginnings. */
function cover(spans: Span[], from: number, to: number): void {
  const last = spans.at(-1)
  if (last && from <= last.to) last.to = Math.max(last.to, to)
  else spans.push({ from, to })
}

function masked(text: string, spans: readonly Span[]): string {
  let shown = ''
  let next = 0
  for (const { from, to } of spans) {
    shown += text.slice(next, from) + MASK
    next = to
  }
  return shown + text.slice(next)
}

/** Two code units as one number. */
function startOf(text: string, at: number): number {
  return text.charCodeAt(at) * 65_536 + text.charCodeAt(at + 1)
}
