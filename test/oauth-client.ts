/** A program that asks to be let in, and the browser of its user: nothing but `fetch`. */
import { createHash, randomBytes } from 'node:crypto'

/** A browser: it keeps cookies by their paths, and shows each answer, also one that leads elsewhere. */
export class Browser {
  readonly #origin: string
  readonly #shown: string
  readonly cookies = new Map<string, { readonly path: string; readonly value: string; readonly text: string }>()

  /** `shown` is the address that it knows, where that is another one than where it is led. */
  constructor(origin: string, shown = origin) {
    this.#origin = origin
    this.#shown = shown
  }

  async open(path: string, form?: URLSearchParams, headers: Record<string, string> = {}): Promise<Response> {
    const { pathname, search } = new URL(path, this.#shown)
    const sent = [...this.cookies].filter(([, { path: at }]) => pathname.startsWith(at))
    const response = await fetch(`${this.#origin}${pathname}${search}`, {
      method: form ? 'POST' : 'GET',
      redirect: 'manual',
      headers: {
        accept: 'text/html',
        cookie: sent.map(([name, { value }]) => `${name}=${value}`).join('; '),
        ...(form ? { origin: this.#shown } : {}),
        ...headers,
      },
      ...(form ? { body: form } : {}),
    })
    for (const text of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? []
      const path = /; path=([^;]+)/i.exec(text)?.[1] ?? '/'
      if (value === '') this.cookies.delete(name)
      else this.cookies.set(name, { path, value, text })
    }
    return response
  }
}

/** What a request for a code says; what is undefined is left out. */
export interface Ask {
  readonly client_id: string
  readonly redirect_uri: string
  readonly scope?: string | undefined
  readonly resource?: string | undefined
  readonly [name: string]: string | undefined
}

/** A new verifier (RFC 7636), and what is sent of it first. */
export function proofKey() {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

const given = (fields: object): URLSearchParams =>
  new URLSearchParams(Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined))

/** The path that a browser is sent to. */
export const authorizePath = (ask: Ask & { readonly code_challenge?: string | undefined }): string =>
  `/oauth/authorize?${given({ response_type: 'code', state: 'a state', code_challenge_method: 'S256', ...ask }).toString()}`

/** Who signs in, and what they tick. */
export interface Answer {
  readonly email: string
  readonly password: string
  readonly scopes: readonly string[]
}

const tick = (action: string, scopes: readonly string[]): URLSearchParams =>
  new URLSearchParams([['action', action], ...scopes.map((scope): [string, string] => ['scope', scope])])

/** Goes through the pages, to where the browser is sent back. */
export async function letIn(browser: Browser, path: string, { email, password, scopes }: Answer): Promise<URL> {
  const asked = await browser.open(path)
  const page = asked.headers.get('location') ?? ''
  if (!page.includes('/oauth/consent/')) throw new Error(`${asked.status} ${page} ${await asked.text()}`)
  const signedIn = await browser.open(page, new URLSearchParams({ action: 'sign-in', email, password }))
  if (signedIn.status !== 303) throw new Error(await signedIn.text())
  const decided = await browser.open(page, tick('allow', scopes))
  if (decided.status !== 303) throw new Error(await decided.text())
  const resumed = await browser.open(decided.headers.get('location') ?? '')
  return new URL(resumed.headers.get('location') ?? '')
}

/** The answer to a form that a program sends. */
export async function post(origin: string, path: string, fields: object) {
  const response = await fetch(`${origin}${path}`, { method: 'POST', body: given(fields) })
  const text = await response.text()
  return { status: response.status, text, value: (text === '' ? {} : JSON.parse(text)) as Record<string, string> }
}
