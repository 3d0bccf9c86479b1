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

/** Why OpenID Connect has signed nobody in, as sentences for people. */
const meanings = {
  denied: 'the provider has not let you in, or you have not agreed',
  expired: 'this sign-in was begun in another browser, or more than ten minutes ago, or has ended: begin again',
  provider: 'the provider does not answer as it should: try again later, and tell the operator if it goes on',
  no_email: 'the provider does not tell your e-mail address: the operator has to let it',
  unverified: 'there is an account of your e-mail address, and the provider does not vouch that the address is yours',
  domain: 'there is no account of your e-mail address, and none is made for it: ask the operator for one',
  inactive: 'your account may not sign in: ask a superuser',
} as const

/** `return_to` gets one of these as `#error=<word>`. */
export type SignInError = keyof typeof meanings

/** All of them. */
export const signInErrors = Object.keys(meanings) as readonly SignInError[]

/** What a word of `#error=` means, to be shown to people; undefined for a word that is none. */
export const meaningOfSignInError = (word: string): string | undefined =>
  signInErrors.some((known) => known === word) ? meanings[word as SignInError] : undefined

/** What stands behind `#` in the address to which a sign-in leads. */
export const signInCodeSchema = z
  .strictObject({
    code: z.string().min(1).max(200).meta({ description: 'What stands behind `#code=` or `#dev=`; it counts once.' }),
  })
  .meta({ id: 'SignInCode' })
