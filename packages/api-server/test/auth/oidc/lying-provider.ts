/** An OpenID provider that answers what a test wants, true or not. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose'

import { client } from './real-provider.ts'

/** An answer: a value as JSON, or what is done instead. */
type Answer = object | ((response: ServerResponse) => void)

export interface LyingProvider extends AsyncDisposable {
  readonly issuer: string
  /** Answers by path; those that are missing are the true ones. */
  answers: Record<string, Answer | undefined>
  /** Claims of the ID token beside the true ones. */
  claims: Record<string, unknown>
  /** What the ID token is signed with; its own key unless given. */
  key: CryptoKey | null
  /** Paths that were asked for. */
  readonly asked: string[]
  /** The redirection of a browser that was sent here: back at once. */
  back(signInUrl: string): string
}

/** Listens. */
export async function openLyingProvider(): Promise<LyingProvider> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { privateKey, publicKey } = await generateKeyPair('RS256')
  const keys = [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256', use: 'sig' }]
  let nonce = ''
  const made: LyingProvider = {
    issuer,
    answers: {},
    claims: {},
    key: null,
    asked: [],
    back(signInUrl) {
      const { searchParams } = new URL(signInUrl)
      nonce = searchParams.get('nonce') ?? ''
      const query = new URLSearchParams({ code: 'a code', state: searchParams.get('state') ?? '' })
      return `${searchParams.get('redirect_uri')}?${query.toString()}`
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  const truth: Record<string, () => Promise<object> | object> = {
    '/.well-known/openid-configuration': () => ({
      issuer,
      authorization_endpoint: `${issuer}/auth`,
      token_endpoint: `${issuer}/token`,
      userinfo_endpoint: `${issuer}/userinfo`,
      jwks_uri: `${issuer}/keys`,
      id_token_signing_alg_values_supported: ['RS256'],
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
    }),
    '/keys': () => ({ keys }),
    '/token': async () => ({
      access_token: 'an access token',
      token_type: 'bearer',
      id_token: await new SignJWT({ email: 'ann@example.org', email_verified: true, nonce, ...made.claims })
        .setProtectedHeader({ alg: 'RS256', kid: 'one' })
        .setIssuer((made.claims.iss as string | undefined) ?? issuer)
        .setAudience((made.claims.aud as string | undefined) ?? client.oidcClientId)
        .setSubject((made.claims.sub as string | undefined) ?? 'ann')
        .setIssuedAt(made.claims.iat as number | undefined)
        .setExpirationTime((made.claims.exp as number | undefined) ?? '1 h')
        .sign(made.key ?? privateKey),
    }),
    '/userinfo': () => ({ sub: 'ann' }),
  }
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = String(request.url)
    made.asked.push(path)
    request.resume()
    const told = made.answers[path] ?? (await truth[path]?.()) ?? {}
    if (typeof told === 'function') return (told as (response: ServerResponse) => void)(response)
    response.setHeader('content-type', 'application/json').end(JSON.stringify(told))
  }
  server.on('request', (request, response) => {
    answer(request, response).catch((error: Error) => response.destroy(error))
  })
  return made
}
