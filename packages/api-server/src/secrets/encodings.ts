/**
 * How a secret value may look in a text.
 * @module
 */

/** Shorter values are not looked for: they would blank out ordinary words (wire decision G48). */
const MIN_MASKED_CHARACTERS = 8

/** The value and its encodings, each once; none of a value that is too short to be masked. */
export function encodingsOf(value: string): string[] {
  if (value.length < MIN_MASKED_CHARACTERS) return []
  const raw = value.toWellFormed()
  const found = [raw, ...escaped(raw), ...percentEncoded(raw), ...base64(Buffer.from(raw))]
  return [...new Set(found)].filter((text) => text.length >= MIN_MASKED_CHARACTERS)
}

/** Within JSON, with other characters than ASCII or without, twice when the JSON is a text of JSON; within `repr`. */
function escaped(raw: string): string[] {
  const json = inJson(raw)
  const ascii = json.replaceAll(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  const quoted = raw.split('"').map(inJson).join('"')
  return [json, ascii, inJson(json), inJson(ascii), quoted, quoted.replaceAll("'", String.raw`\'`)]
}

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1)

/** RFC 3986 as libraries differ about it, and forms; with digits of both cases. */
function percentEncoded(raw: string): string[] {
  const component = encodeURIComponent(raw)
  const strict = component.replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
  const form = new URLSearchParams([['', raw]]).toString().slice(1)
  const all = [component, strict, form, encodeURI(raw), component.replaceAll('%2F', '/'), strict.replaceAll('%2F', '/')]
  return all.flatMap((text) => [text, text.replaceAll(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase())])
}

/**
 * RFC 4648, both alphabets. What comes before the value in the encoded bytes shifts it by 0, 1 or 2 bytes; of each
 * only the characters that depend on nothing but the value are looked for.
 */
function base64(bytes: Buffer): string[] {
  const shifts = [0, 2, 3].map((first, shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64')
    return text.slice(first, Math.floor(((shift + bytes.length) * 8) / 6))
  })
  return shifts.flatMap((text) => [text, text.replaceAll('+', '-').replaceAll('/', '_')])
}
