/**
 * `/oauth/register`: a program makes itself known (RFC 7591), where that is allowed. Of what it says, its name and where users
 * are sent back to are kept; nothing of it is ever fetched.
 * @module
 */
import type { ServerResponse } from 'node:http'

import * as z from 'zod'

import type { AuthorizationHost } from './host.ts'
import type { AuthorizationRequest } from './place.ts'

const metadataSchema = z.looseObject({
  client_name: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .regex(/^[^\p{Cc}\p{Cf}]*$/u)
    .default('A program without a name'),
  redirect_uris: z.array(z.string().min(1).max(2000)).min(1).max(20),
  token_endpoint_auth_method: z.string().optional(),
})

/** Answers a request to it. */
export async function serveRegistration(
  host: AuthorizationHost,
  request: AuthorizationRequest,
  response: ServerResponse,
): Promise<void> {
  const refuse = (error: string, description: string, status = 400): void =>
    send(response, status, { error, error_description: description })
  if (request.method !== 'POST') {
    response.setHeader('allow', 'POST')
    return refuse('invalid_request', 'use POST', 405)
  }
  const { data, error } = metadataSchema.safeParse(jsonOf(request.body))
  if (error) {
    const { path = [], message } = error.issues[0] ?? {}
    const code = path[0] === 'redirect_uris' ? 'invalid_redirect_uri' : 'invalid_client_metadata'
    return refuse(code, `${path.join('.')}: ${message ?? 'it is not valid'}`)
  }
  const { client_name: name, redirect_uris: redirectUris } = data
  const answer = await host.register({ name, redirectUris }, request.address)
  switch (answer.kind) {
    case 'fault':
      return refuse('invalid_redirect_uri', answer.fault)
    case 'slow':
      response.setHeader('retry-after', String(answer.waitS))
      return refuse('temporarily_unavailable', `too many programs from this address: wait ${answer.waitS} s`, 429)
    case 'client':
      // whatever it asked for, it is a public client
      return send(response, 201, {
        client_id: answer.client.id,
        client_id_issued_at: Math.floor(Date.now() / 1000),
        client_name: answer.client.name,
        redirect_uris: answer.client.redirectUris,
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
      })
  }
}

function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return null
  }
}

function send(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
  response.end(JSON.stringify(value))
}
