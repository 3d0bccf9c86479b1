/**
 * The one way to the engine: `fetch` with the token of the session. What is refused is a {@link Problem}, and a session that
 * has ended ends here, with the view kept for who signs in again.
 */
import { session, signOut } from '../session.ts'

/** Path of the API: the console is served beside it. */
export const base = new URL('../api/v1', document.baseURI).pathname

/** Why the engine has not done what it was asked; `status` 0 is no answer at all. */
export class Problem extends Error {
  readonly status: number
  readonly code: string
  /** What is wrong with what was sent, each by a JSON pointer to it. */
  readonly errors: readonly { readonly path: string; readonly message: string }[]
  /** Everything that the engine has said. */
  readonly body: Readonly<Record<string, unknown>>

  constructor(status: number, code: string, detail: string, body: Readonly<Record<string, unknown>> = {}) {
    super(detail)
    this.status = status
    this.code = code
    this.body = body
    this.errors = errorsOf(body['errors'])
  }
}

const errorsOf = (said: unknown): Problem['errors'] =>
  (Array.isArray(said) ? (said as readonly Record<string, unknown>[]) : []).map(({ path, message }) => ({
    path: typeof path === 'string' ? path : '',
    message: sentence(typeof message === 'string' ? message : 'is refused'),
  }))

/** What the engine answers, parsed. */
export async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
  const answer = await answerOf(method, path, body)
  return (answer.status === 204 ? undefined : await answer.json()) as T
}

/** What it answers, whatever that is: a list with its headers, bytes. Rejects with a {@link Problem} for a refusal. */
export async function answerOf(method: string, path: string, body?: unknown): Promise<Response> {
  const token = session.value?.token
  const answer = await send(path, {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  if (answer.ok) return answer
  const problem = await problemOf(answer)
  // a session that was ended meanwhile by another call has been told of already
  if (answer.status === 401 && token !== undefined && session.peek()?.token === token) {
    signOut('Your session has ended. Sign in to go on where you were.')
  }
  throw problem
}

export const get = <T>(path: string): Promise<T> => call<T>('GET', path)
export const post = <T>(path: string, body: unknown = {}): Promise<T> => call<T>('POST', path, body)

/** An answer to somebody who is not signed in yet, whatever it says. */
export async function send(path: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(base + path, { ...request, credentials: 'omit' })
  } catch {
    throw new Problem(0, 'offline', 'The engine does not answer.')
  }
}

/** What a refusal says; a proxy in front may answer with anything. */
export async function problemOf(answer: Response): Promise<Problem> {
  const said: unknown = await answer.json().catch(() => null)
  const body = said !== null && typeof said === 'object' ? (said as Record<string, unknown>) : {}
  const { code, detail } = body
  const known = typeof detail === 'string' ? detail : `The engine answered ${answer.status}.`
  return new Problem(answer.status, typeof code === 'string' ? code : String(answer.status), sentence(known), body)
}

/** Texts of the engine begin small and end open. */
export const sentence = (text: string): string =>
  text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? '' : '.')
