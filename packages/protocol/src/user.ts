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
    id: z.uuid().meta({ description: 'Of the user, for good.' }),
    email: z.string().meta({ description: 'Address by which the user signs in.' }),
    full_name: z.string().nullable().meta({ description: 'For people; null while it is not given.' }),
    is_active: z.boolean().meta({ description: 'Whether the user may sign in.' }),
    is_superuser: z.boolean().meta({ description: 'Whether the user may do everything, and manage others.' }),
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
    last_sign_in_at: timestampSchema
      .nullable()
      .meta({ description: 'When the user signed in last; null before the first time.' }),
    sign_in: z.array(signInMethodSchema).meta({ description: 'None of who was invited and has chosen no password.' }),
  })
  .meta({ id: 'UserAdmin' })
export type UserAdmin = z.infer<typeof userAdminSchema>

/** A new user; without a password they are invited to choose one. */
export const userCreateSchema = z
  .strictObject({
    email: emailSchema.meta({ description: 'Address by which the user signs in; no other user has it.' }),
    full_name: fullNameSchema.nullable().optional().meta({ description: 'For people.' }),
    is_superuser: z
      .boolean()
      .default(false)
      .meta({ description: 'Whether the user may do everything, and manage others.' }),
    password: passwordSchema.optional().meta({ description: 'Left out: the user is invited to choose one.' }),
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
    full_name: fullNameSchema.nullable().optional().meta({ description: 'For people; null takes it away.' }),
    is_active: z
      .boolean()
      .optional()
      .meta({ description: 'False ends the sessions and keys of the user, and refuses new ones.' }),
    is_superuser: z.boolean().optional().meta({ description: 'The last active superuser stays one.' }),
    password: passwordSchema.optional().meta({ description: 'A new password, which ends the sessions of the user.' }),
  })
  .meta({ id: 'UserUpdate' })
export type UserUpdate = z.infer<typeof userUpdateSchema>

/** A user's own new password. */
export const passwordChangeSchema = z
  .strictObject({
    current_password: z
      .string()
      .min(1)
      .max(1024)
      .meta({ format: 'password' })
      .meta({ description: 'The one that counts until now.' }),
    new_password: passwordSchema.meta({ description: '8 to 128 characters; other sessions end.' }),
  })
  .meta({ id: 'PasswordChange' })

/** A password by the token of an invite, or of a recovery. */
export const newPasswordSchema = z
  .strictObject({
    token: z
      .string()
      .min(1)
      .max(200)
      .meta({ description: 'What stands behind `#token=` in the link of the mail; it counts once.' }),
    new_password: passwordSchema.meta({ description: '8 to 128 characters.' }),
  })
  .meta({ id: 'NewPassword' })

/** A sentence for people. */
export const messageTextSchema = z
  .object({ message: z.string().meta({ description: 'A sentence for people.' }) })
  .meta({ id: 'MessageText' })

/** Answer of a successful sign-in; `expires_in` is in seconds (RFC 6749, section 5.1). */
export const tokenSchema = z
  .object({
    access_token: z.string().meta({ description: 'Send it as `Authorization: Bearer …`.' }),
    token_type: z.literal('bearer').meta({ description: 'How it is sent (RFC 6750).' }),
    expires_in: z.int().meta({ description: 'Seconds for which it counts.' }),
  })
  .meta({ id: 'Token' })
/** A session token; `expires_in` is in seconds. */
export type Token = z.infer<typeof tokenSchema>
