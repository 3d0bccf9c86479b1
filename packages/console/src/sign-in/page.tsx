/** Signing in: by e-mail and password, at the OpenID provider where the engine has one, by what an address brings along. */
import type { SignInMethods, Token } from '@flow-service/client-sdk'
import { meaningOfSignInError } from '@flow-service/protocol/words'
import { useEffect, useState } from 'preact/hooks'

import { base, call, type Problem, problemOf, send, sentence } from '../api/call.ts'
import { replace } from '../router.ts'
import { farewell, signIn } from '../session.ts'

import './sign-in.css'

export function SignIn() {
  const [fault, setFault] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const [methods, setMethods] = useState<SignInMethods | null>(null)
  useEffect(() => {
    call<SignInMethods>('GET', '/login/methods').then(setMethods, (problem: Problem) => setFault(problem.message))
  }, [])
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault()
    setBusy(true)
    setFault(null)
    try {
      signIn({ token: await tokenOf(new FormData(event.target as HTMLFormElement)) })
    } catch (error) {
      setFault((error as Error).message)
    } finally {
      setBusy(false)
    }
  }
  return (
    <main class="sign-in">
      <div class="card">
        <img src="./icon.svg" alt="" width="40" height="40" />
        <h1>Sign in to flow-service</h1>
        {farewell.value === null ? null : <p role="status">{farewell.value}</p>}
        <form onSubmit={(event) => void submit(event)}>
          <label for="email">E-mail</label>
          <input id="email" name="username" type="text" inputMode="email" autocomplete="username" required autofocus />
          <label for="password">Password</label>
          <input id="password" name="password" type="password" autocomplete="current-password" required />
          <p class="fault" role="alert">
            {fault}
          </p>
          <button class="primary" disabled={isBusy}>
            {isBusy ? 'Signing in' : 'Sign in'}
          </button>
        </form>
        {methods?.oidc ? (
          <a class="button" href={providerUrl()}>
            Sign in with {methods.oidc.name}
          </a>
        ) : null}
        <p class="hint">
          <a href="../reset-password">Forgot your password?</a> The first one is printed by the engine at its first
          start.
        </p>
      </div>
    </main>
  )
}

async function tokenOf(form: FormData): Promise<string> {
  const body = new URLSearchParams(
    [...form].flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  )
  const answer = await send('/login/access-token', { method: 'POST', body })
  if (answer.ok) return ((await answer.json()) as Token).access_token
  throw await problemOf(answer)
}

/** The provider sends the browser back to this page, with a code behind `#`. */
const providerUrl = (): string =>
  `${base}/login/oidc?${new URLSearchParams({ return_to: new URL('.', document.baseURI).pathname })}`

/**
 * Signs in with what stands behind `#`, if something does: `#code=` and `#error=` from an OpenID provider, `#dev=` from
 * `service dev`. Taken out of the address before anything else looks at it, so that it stands in no history.
 */
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
