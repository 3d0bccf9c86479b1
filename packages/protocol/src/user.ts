/**
 * Users and sign-in (wire decision G09).
 * @module
 */
import * as z from 'zod'

/** An e-mail address, of a mail server or of this machine (`admin@localhost`): one, and nothing that could begin another. */
export const emailSchema = z
  .string()
  .trim()
  .max(254)
  .regex(/^[^\s"(),:;<>@[\\\]\p{C}]+@[^\s"(),:;<>@[\\\]\p{C}]+$/u, 'give it an e-mail address such as ann@example.org')

/** A user as the API shows it. */
export const userSchema = z
  .object({
    id: z.uuid(),
    email: z.string(),
    full_name: z.string().nullable(),
    is_active: z.boolean(),
    is_superuser: z.boolean(),
  })
  .meta({ id: 'User' })
/** A user without the password. */
export type User = z.infer<typeof userSchema>

/** Answer of a successful sign-in; `expires_in` is in seconds (RFC 6749, section 5.1). */
export const tokenSchema = z
  .object({ access_token: z.string(), token_type: z.literal('bearer'), expires_in: z.int() })
  .meta({ id: 'Token' })
/** A session token; `expires_in` is in seconds. */
export type Token = z.infer<typeof tokenSchema>
