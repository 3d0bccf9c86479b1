/**
 * `/oauth/consent/{id}`: somebody signs in, sees what a program asks for, and lets it in or not.
 * @module
 */
import type { ServerResponse } from 'node:http'

import { type Scope, scopes } from '@flow-service/protocol'
import { errors, type Provider } from 'oidc-provider'

import type { AuthorizationClient, AuthorizationHost, AuthorizationUser } from './host.ts'
import { type Asked, consentPage, errorPage, pageHeaders, signInPage, sourceOf } from './pages.ts'
import { type AuthorizationRequest, incomingOf } from './place.ts'

type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>

/** A request to the page of an interaction. */
interface Visit {
  readonly host: AuthorizationHost
  readonly provider: Provider
  readonly request: AuthorizationRequest
  readonly response: ServerResponse
  readonly interaction: Interaction
  readonly client: AuthorizationClient
  readonly redirectUri: string
  /** What is asked for, as far as there are such scopes. */
  readonly wanted: readonly Scope[]
}

/** Answers a request to the page. */
export async function serveConsent(
  host: AuthorizationHost,
  provider: Provider,
  request: AuthorizationRequest,
  response: ServerResponse,
): Promise<void> {
  const visit = await visitOf({ host, provider, request, response })
  if (visit === null) {
    return send(response, 400, errorPage('This page has expired, or was opened in another browser.'))
  }
  if (request.method === 'GET' || request.method === 'HEAD') return show(visit, null)
  if (request.method !== 'POST')
    return send(response, 405, errorPage('Use the buttons of the page.'), { ...pageHeaders(), allow: 'GET, POST' })
  if (!isOwn(request)) return send(response, 403, errorPage('This answer came from another page.'))
  return answer(visit, new URLSearchParams(request.body.toString('utf8')))
}

/** A page of another site can neither send the cookie nor name this origin. */
const isOwn = ({ headers, issuer }: AuthorizationRequest): boolean => headers.origin === new URL(issuer).origin

async function visitOf(given: Pick<Visit, 'host' | 'provider' | 'request' | 'response'>): Promise<Visit | null> {
  const { host, provider, request, response } = given
  const id = request.url.split('?')[0]?.split('/').at(-1)
  try {
    const interaction = await provider.interactionDetails(incomingOf(request), response)
    const { client_id: clientId, redirect_uri: redirectUri, scope } = interaction.params
    const client = await host.findClient(String(clientId))
    if (client === null || interaction.uid !== id) return null
    const words = new Set(typeof scope === 'string' ? scope.split(' ') : [])
    return {
      ...given,
      interaction,
      client,
      redirectUri: String(redirectUri),
      wanted: scopes.filter((each) => words.has(each)),
    }
  } catch (error) {
    if (error instanceof errors.SessionNotFound) return null
    throw error
  }
}

/** The page as it stands: who somebody is comes first. */
async function show(visit: Visit, fault: string | null, status = 200): Promise<void> {
  const { client, redirectUri, response } = visit
  const asked: Asked = { client, redirectUri, fault }
  const headers = pageHeaders(sourceOf(redirectUri))
  const signedIn = await signedInOf(visit)
  if (signedIn === null) return send(response, status, signInPage(asked), headers)
  if (signedIn.scopes.length === 0) return refuse(visit, 'invalid_scope', 'none of the scopes can be given')
  send(response, status, consentPage({ ...asked, ...signedIn }), headers)
}

/** Who has signed in on this page, if they still may, with the scopes that they can give. */
async function signedInOf({ host, interaction, wanted }: Visit): Promise<{
  readonly user: AuthorizationUser
  readonly scopes: readonly Scope[]
} | null> {
  const id = interaction.result?.login?.accountId
  const user = id === undefined ? null : await host.findUser(id)
  return user && { user, scopes: await host.scopesFor(user.id, wanted) }
}

async function answer(visit: Visit, form: URLSearchParams): Promise<void> {
  const action = form.get('action')
  if (action === 'deny') return refuse(visit, 'access_denied', 'the user has refused')
  if (action === 'allow') return allow(visit, new Set(form.getAll('scope')))
  if (action === 'leave') return turn(visit, {})
  return signIn(visit, form.get('email') ?? '', form.get('password') ?? '')
}

async function signIn(visit: Visit, email: string, password: string): Promise<void> {
  if (email === '' || password === '' || email.length > 320 || password.length > 1024)
    return show(visit, 'Give your e-mail and your password.', 400)
  const signedIn = await visit.host.signIn({ address: visit.request.address, email, password })
  switch (signedIn.kind) {
    case 'user':
      return turn(visit, { login: { accountId: signedIn.user.id, remember: false } })
    case 'wrong':
      return show(visit, 'The e-mail or the password is wrong.', 400)
    case 'slow':
      visit.response.setHeader('retry-after', String(signedIn.waitS))
      return show(visit, `Too many failed sign-ins: wait ${signedIn.waitS} s.`, 429)
  }
}

async function allow(visit: Visit, ticked: ReadonlySet<string>): Promise<void> {
  const { client, host, interaction, provider, request, response } = visit
  const signedIn = await signedInOf(visit)
  const login = interaction.result?.login
  if (signedIn === null || login === undefined) return show(visit, 'Sign in first.', 400)
  const given = signedIn.scopes.filter((scope) => ticked.has(scope))
  if (given.length === 0) return show(visit, 'Tick what it may use, or refuse.', 400)
  const grantId = await host.letIn({ userId: signedIn.user.id, client, scopes: given })
  await provider.interactionFinished(incomingOf(request), response, { login, consent: { grantId } })
}

const refuse = ({ provider, request, response }: Visit, error: string, description: string): Promise<void> =>
  provider.interactionFinished(incomingOf(request), response, { error, error_description: description })

/** Keeps what is known of the sign-in, and shows the page anew. */
async function turn({ provider, request, response }: Visit, result: Interaction['result'] & object): Promise<void> {
  await provider.interactionResult(incomingOf(request), response, result, { mergeWithLastSubmission: false })
  response.writeHead(303, { location: `${new URL(request.issuer).pathname.replace(/\/$/, '')}${request.url}` }).end()
}

function send(response: ServerResponse, status: number, html: string, headers = pageHeaders()): void {
  response.writeHead(status, { ...headers, 'content-type': 'text/html; charset=utf-8' })
  response.end(html)
}
