/**
 * Settings that may hold a reference to a stored secret (wire decision G48).
 * @module
 */
import * as z from 'zod'

const secretRef = z.strictObject(
  { $secret: z.string().min(1).max(100) },
  { error: ({ code }) => (code === 'invalid_type' ? 'a reference such as {"$secret": "name"}' : undefined) },
)

/** A text, or a reference to a stored secret. The engine has put the value in before a node starts. */
export const textOrSecret = z.union([z.string(), secretRef])

/** A credential. A setting of this kind is marked `x-secret`, so that forms offer the choice of a stored secret. */
export const credential = z.union([z.string().min(1), secretRef])

/** Marks settings that a node publishes as they stand, or shows to people: no secret may be named in them. */
export const published = { 'x-published': true } as const

/** The text of a setting in a started node. Throws when the engine has not put the secret's value in. */
export function textOf(value: string | number | boolean | z.infer<typeof secretRef>): string {
  if (typeof value === 'object')
    throw new Error(`the secret "${value.$secret}" has no value; store it, then start again`)
  return String(value)
}
