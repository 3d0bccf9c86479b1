/**
 * Settings as a flow has them, with the values of the secrets that they name.
 * @module
 */
import type { Values } from '../node.ts'

/** Texts in place of `{ $secret: name }`, at any depth. Throws for a name without a value. */
export function filledSettings(settings: Values, secrets: Readonly<Record<string, string>>): Values {
  return filled(settings, secrets) as Values
}

function filled(value: unknown, secrets: Readonly<Record<string, string>>): unknown {
  if (typeof value !== 'object' || value === null) return value
  if ('$secret' in value && typeof value.$secret === 'string' && Object.keys(value).length === 1) {
    const text = Object.hasOwn(secrets, value.$secret) ? secrets[value.$secret] : undefined
    if (text === undefined) throw new Error(`there is no secret "${value.$secret}"; give its value in "secrets"`)
    return text
  }
  if (Array.isArray(value)) return value.map((item: unknown) => filled(item, secrets))
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filled(item, secrets)]))
}
