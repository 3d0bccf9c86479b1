/**
 * Ways of signing in (wire decision U3).
 * @module
 */
import * as z from 'zod'

/** How somebody may sign in here. */
export const signInMethodsSchema = z
  .object({
    password: z.literal(true),
    recovery: z.boolean().meta({ description: 'Whether a forgotten password can be replaced by mail.' }),
    oidc: z
      .object({ name: z.string().meta({ description: 'To be shown to people.' }) })
      .meta({ id: 'SignInProvider' })
      .nullable()
      .meta({ description: 'OpenID Connect; null while it is not configured.' }),
  })
  .meta({ id: 'SignInMethods' })
/** How somebody may sign in here. */
export type SignInMethods = z.infer<typeof signInMethodsSchema>

/** What stands behind `#` in the address to which a sign-in leads. */
export const signInCodeSchema = z
  .strictObject({
    code: z.string().min(1).max(200).meta({ description: 'What stands behind `#code=` or `#dev=`; it counts once.' }),
  })
  .meta({ id: 'SignInCode' })
