import { type Client, createClient } from '@flow-service/client-sdk'
import { meaningOfSignInError, type Token } from '@flow-service/protocol'

import { awaitBrowser, openBrowser } from '../browser-sign-in.ts'
import { CommandFailure } from '../failure.ts'
import { ask, readAll } from '../hidden-input.ts'
import { apiAddress, keepSignIn } from '../sign-in.ts'

interface LoginFlags {
  readonly url: string
  readonly email?: string
  readonly passwordStdin?: boolean
  readonly oidc?: boolean
  readonly browser: boolean
  readonly json?: boolean
}

/** `service login`: by a password, which it asks for, or in a browser; keeps the token. */
export async function login(flags: LoginFlags): Promise<void> {
  const baseUrl = apiAddress(flags.url)
  const client = createClient({ baseUrl })
  const token = flags.oidc ? await byBrowser(client, baseUrl, flags) : await byPassword(client, flags)
  const file = keepSignIn({ base_url: baseUrl, access_token: token.access_token })
  const days = Math.round(token.expires_in / 86_400)
  console.log(flags.json ? JSON.stringify({ base_url: baseUrl, file }) : `Signed in for ${days} days (${file}).`)
}

async function byPassword(client: Client, { email, passwordStdin }: LoginFlags): Promise<Token> {
  if (email === undefined) throw new CommandFailure(2, 'who signs in? Give --email, or --oidc')
  const password = passwordStdin ? await readAll() : await ask(`Password of ${email}: `, 'give --password-stdin')
  if (password === '') throw new CommandFailure(2, 'no password was given')
  return client.login.accessToken({ username: email, password })
}

async function byBrowser(client: Client, baseUrl: string, { browser }: LoginFlags): Promise<Token> {
  const { oidc } = await client.login.methods()
  if (oidc === null)
    throw new CommandFailure(2, `${baseUrl} has no sign-in by OpenID Connect; give --email instead of --oidc`)
  await using waiting = await awaitBrowser()
  const address = `${baseUrl}/login/oidc?return_to=${encodeURIComponent(waiting.returnTo)}`
  console.error(`Sign in by ${oidc.name} in a browser of this machine:\n\n  ${address}\n`)
  if (browser) openBrowser(address)
  const answer = await waiting.answer
  if (answer === null) throw new CommandFailure(3, 'nobody has signed in within ten minutes; run the command again')
  if ('code' in answer) return client.login.oidcToken({ code: answer.code })
  const meaning = meaningOfSignInError(answer.error)
  throw new CommandFailure(3, `not signed in: ${meaning ?? 'the engine gives a reason that is not known here'}`)
}
