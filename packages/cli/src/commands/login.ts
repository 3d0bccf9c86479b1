import { createClient } from '@flow-service/client-sdk'

import { CommandFailure } from '../failure.ts'
import { ask, readAll } from '../hidden-input.ts'
import { apiAddress, keepSignIn } from '../session.ts'

interface LoginFlags {
  readonly url: string
  readonly email: string
  readonly passwordStdin?: boolean
  readonly json?: boolean
}

/** `service login`: asks for the password, checks it, keeps the token. */
export async function login(flags: LoginFlags): Promise<void> {
  const baseUrl = apiAddress(flags.url)
  const password = flags.passwordStdin
    ? await readAll()
    : await ask(`Password of ${flags.email}: `, 'give --password-stdin')
  if (password === '') throw new CommandFailure(2, 'no password was given')
  const client = createClient({ baseUrl })
  const token = await client.login.accessToken({ username: flags.email, password })
  const file = keepSignIn({ base_url: baseUrl, access_token: token.access_token })
  const days = Math.round(token.expires_in / 86_400)
  console.log(flags.json ? JSON.stringify({ base_url: baseUrl, file }) : `Signed in for ${days} days (${file}).`)
}
