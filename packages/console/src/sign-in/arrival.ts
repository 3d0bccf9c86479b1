/**
 * How somebody arrives with a sign-in behind `#`: `#code=` and `#error=` from an OpenID provider, `#dev=` from
 * `service dev`. Taken out of the address before anything else looks at it, so that it stands in no history.
 */
import { meaningOfSignInError } from '@flow-service/protocol/words'

import { problemOf, send, sentence } from '../api/call.ts'
import { replace } from '../router.ts'
import { farewell, signIn } from '../session.ts'

/** Signs in with what the address brings, if it brings something. */
export async function arrive(): Promise<void> {
  const brought = new URLSearchParams(location.hash.slice(1))
  const [kind, word] = [...brought][0] ?? []
  if (kind !== 'code' && kind !== 'error' && kind !== 'dev') return
  replace('/')
  if (kind === 'error') {
    farewell.value = sentence(meaningOfSignInError(word ?? '') ?? 'the sign-in has failed: try again')
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
