/**
 * Names and values of a query string or a form, read without the guesses of a framework: every name once, every
 * value a string.
 * @module
 */
import { invalid } from './errors.ts'
import { checkText } from './json-text.ts'

/** `application/x-www-form-urlencoded` text as an object; a repeated name or unstorable text is `validation_failed`. */
export function parseFields(text: string, place: 'query' | 'body'): Record<string, string> {
  const fields = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(text)) {
    const path = place === 'query' ? `query.${name}` : `/${name}`
    if (fields.has(name)) throw invalid([{ path, code: 'duplicate_key', message: `"${name}" is given twice` }])
    if (name === '__proto__') throw invalid([{ path, code: 'reserved_key', message: `"${name}" is not accepted` }])
    checkText(name, path)
    checkText(value, path)
    fields.set(name, value)
  }
  return Object.fromEntries(fields)
}
