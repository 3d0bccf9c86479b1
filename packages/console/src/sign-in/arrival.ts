/**
 * How somebody arrives with a sign-in behind `#`: `#code=` and `#error=` from an OpenID provider, `#dev=` from
 * `service dev`. Taken out of the address before anything else looks at it, so that it stands in no history.
 */
import { problemOf, send } from '../api/call.ts'
import { replace } from '../router.ts'
import { farewell, signIn } from '../session.ts'

/** By the words that the engine puts behind `#error=`. */
const errors: Readonly<Record<string, string>> = {
  denied: 'The provider has not let you in, or you have not agreed.',
  expired: 'The sign-in took too long, or was begun in another browser. Try again.',
  provider: 'The provider does not answer as it should. Try again later.',
  no_email: 'The provider does not tell your e-mail address. Ask the operator of this engine.',
  unverified: 'The provider does not vouch for your e-mail address, and there is an account of it here.',
  domain: 'There is no account of your e-mail address here. Ask for one.',
  inactive: 'Your account is switched off. Ask a superuser.',
}

/** Signs in with what the address brings, if it brings something. */
export async function arrive(): Promise<void> {
  const brought = new URLSearchParams(location.hash.slice(1))
  const [kind, word] = [...brought][0] ?? []
  if (kind !== 'code' && kind !== 'error' && kind !== 'dev') return
  replace('/')
  if (kind === 'error') {
    farewell.value = errors[word ?? ''] ?? 'The sign-in has failed. Try again.'
    return
  }
  const path = kind === 'code' ? '/login/oidc/token' : '/login/code'
  const headers = { 'content-type': 'application/json' }
  try {
    const answer = await send(path, { method: 'POST', headers, body: JSON.stringify({ code: word }) })
    if (answer.ok) signIn({ token: ((await answer.json()) as { access_token: string }).access_token })
    else farewell.value = (await problemOf(answer)).message
  } catch (error) {
    farewell.value = (error as Error).message
  }
}
