/**
 * The `Range` header for one range of bytes (RFC 9110, section 14).
 * @module
 */

/** Bytes `first` to `last`, both included. */
export interface ByteRange {
  readonly first: number
  readonly last: number
}

/**
 * The part that a request asks for of `size` bytes: `null` for the whole (no header, another unit, several ranges,
 * bad syntax), `'unsatisfiable'` when nothing of it exists.
 */
export function parseRange(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | null {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '')
  const [first, last] = [match?.[1] ?? '', match?.[2] ?? '']
  if (first === '' && last === '') return null
  if (first === '') return within({ first: Math.max(0, size - Number(last)), last: size - 1 }, size)
  if (last !== '' && Number(last) < Number(first)) return null
  return within({ first: Number(first), last: last === '' ? size - 1 : Math.min(Number(last), size - 1) }, size)
}

const within = (range: ByteRange, size: number): ByteRange | 'unsatisfiable' =>
  range.first < size && range.first <= range.last ? range : 'unsatisfiable'
