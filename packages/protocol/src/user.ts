/**
 * Users, sign-in, and passwords that were forgotten (wire decisions G09, U2).
 * @module
 */
import * as z from 'zod'

import { timestampSchema } from './time.ts'

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

/** A password that somebody chooses. */
const passwordSchema = z
  .string()
  .min(8, 'a password has 8 to 128 characters')
  .max(128, 'a password has 8 to 128 characters')
  .meta({ format: 'password' })
const fullNameSchema = z.string().trim().min(1).max(200)

/** Ways in which somebody may sign in. */
export const signInMethodSchema = z.enum(['password', 'oidc'])
export type SignInMethod = z.infer<typeof signInMethodSchema>

/** A user as superusers see them (wire decision U2). */
export const userAdminSchema = userSchema
  .extend({
    created_at: timestampSchema,
    last_sign_in_at: timestampSchema.nullable(),
    sign_in: z.array(signInMethodSchema).meta({ description: 'None of who was invited and has chosen no password.' }),
  })
  .meta({ id: 'UserAdmin' })
export type UserAdmin = z.infer<typeof userAdminSchema>

/** A new user; without a password they are invited to choose one. */
export const userCreateSchema = z
  .strictObject({
    email: emailSchema,
    full_name: fullNameSchema.nullable().optional(),
    is_superuser: z.boolean().default(false),
    password: passwordSchema.optional(),
  })
  .meta({ id: 'UserCreate' })
export type UserCreate = z.infer<typeof userCreateSchema>

/** A new user, with the link of the invite where no mailer sends it. */
export const userCreatedSchema = userAdminSchema
  .extend({
    invite_url: z.string().nullable().meta({ description: 'Good for 24 hours and one use; null where it was mailed.' }),
  })
  .meta({ id: 'UserCreated' })
export type UserCreated = z.infer<typeof userCreatedSchema>

/** What superusers change of a user; what is missing stays. */
export const userUpdateSchema = z
  .strictObject({
    full_name: fullNameSchema.nullable().optional(),
    is_active: z.boolean().optional(),
    is_superuser: z.boolean().optional(),
    password: passwordSchema.optional(),
  })
  .meta({ id: 'UserUpdate' })
export type UserUpdate = z.infer<typeof userUpdateSchema>

/** A user's own new password. */
export const passwordChangeSchema = z
  .strictObject({
    current_password: z.string().min(1).max(1024).meta({ format: 'password' }),
    new_password: passwordSchema,
  })
  .meta({ id: 'PasswordChange' })

/** A password by the token of an invite, or of a recovery. */
export const newPasswordSchema = z
  .strictObject({ token: z.string().min(1).max(200), new_password: passwordSchema })
  .meta({ id: 'NewPassword' })

/** A sentence for people. */
export const messageTextSchema = z.object({ message: z.string() }).meta({ id: 'MessageText' })

/** Answer of a successful sign-in; `expires_in` is in seconds (RFC 6749, section 5.1). */
export const tokenSchema = z
  .object({ access_token: z.string(), token_type: z.literal('bearer'), expires_in: z.int() })
  .meta({ id: 'Token' })
/** A session token; `expires_in` is in seconds. */
export type Token = z.infer<typeof tokenSchema>
