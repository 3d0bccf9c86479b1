/**
 * `/hooks/{flow}/{path}/{secret}`: the address space of the webhooks of active flows (wire decisions G06, G68).
 * It is no part of the described API: which routes exist is up to the flows.
 * @module
 */
import type { IncomingMessage, ServerResponse } from 'node:http'

import { DtypeViolation, HookRefusal, type HookRequest } from '@flow-service/connector-sdk'
import { MAX_HOOK_BYTES } from '@flow-service/protocol'
import type { RequestHandler } from 'express'

import type { AnonymousBodies } from '../http/anonymous-bodies.ts'
import { drain, mediaTypeOf, readBytes } from '../http/body.ts'
import { ProblemError } from '../http/errors.ts'
import { parseFields } from '../http/fields.ts'
import { checkJson, parseJson, turn } from '../http/json-text.ts'
import type { Hook, Hooks } from './hooks.ts'
import type { IsPortal } from './portal.ts'

const empty = new Uint8Array()
const noQuery: Readonly<Record<string, string>> = Object.freeze({})
const accepted = '{"accepted":true}'
/** Whatever a hook answers, a browser that was led there shows and runs nothing of it. */
const inert = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'content-security-policy': "default-src 'none'",
}
const acceptedHeaders = { 'content-type': 'application/json', 'content-length': accepted.length, ...inert }

/** What the address space of webhooks takes. */
export interface HookRoutesDeps {
  readonly hooks: Pick<Hooks, 'find' | 'found'>
  /** Who comes through the portal; nobody unless given. */
  readonly isPortal?: IsPortal
  readonly anonymous: AnonymousBodies
}

/**
 * The handler to mount at `/hooks`, before any body parser. It answers 202 once the handler of the route has taken the
 * request; unknown flow, path and secret are answered alike with 404.
 */
export function hookRoutes({ hooks, isPortal = () => false, anonymous }: HookRoutesDeps): RequestHandler {
  return async (request, response) => {
    try {
      await answer({ hooks, anonymous }, isPortal(request), request, response)
    } catch (error) {
      response.setHeaders(new Map(Object.entries(inert)))
      response.once('finish', () => drain(request))
      throw error
    }
  }
}

async function answer(
  { hooks, anonymous }: Pick<HookRoutesDeps, 'anonymous' | 'hooks'>,
  isPortal: boolean,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { url = '', method } = request
  const mark = url.indexOf('?')
  const path = mark < 0 ? url : url.slice(0, mark)
  // without a turn where nothing waits
  const hook = hooks.find(path, isPortal) ?? (await hooks.found(path, isPortal))
  if (!hook) throw noHook()
  if ((method !== 'GET' && method !== 'POST') || !hook.methods.includes(method)) {
    throw new ProblemError('method_not_allowed', `this webhook takes ${hook.methods.join(' and ')}`, {
      allow: hook.methods,
    })
  }
  const query = mark < 0 ? noQuery : parseFields(url.slice(mark + 1), 'query')
  const mediaType = mediaTypeOf(request) ?? ''
  const body = method === 'GET' ? empty : await readBytes(request, MAX_HOOK_BYTES, anonymous.wait)
  const checking = method === 'POST' ? check(mediaType, body) : undefined
  if (checking) await anonymous.check(() => checking)
  // the body may have come while the route went to another node
  const taking = hooks.find(path, isPortal) === hook ? hook : await hooks.found(path, isPortal)
  if (!taking) throw noHook()
  await deliver(taking, { method, mediaType, query, body })
  response.writeHead(202, acceptedHeaders).end(accepted)
}

const noHook = (): ProblemError => new ProblemError('not_found', 'no active flow has a webhook here')

const OPENING_BRACE = 0x7b
const OPENING_BRACKET = 0x5b

/** The node parses the body; what the engine refuses in its own JSON and forms comes in by no webhook either. */
function check(mediaType: string, body: Uint8Array): Promise<void> | undefined {
  if (isJson(mediaType, body)) return checkJson(body)
  if (mediaType === 'application/x-www-form-urlencoded') parseFields(Buffer.from(body).toString('utf8'), 'body')
  return undefined
}

/** Bytes of no named type are JSON when they look like it. */
function isJson(mediaType: string, body: Uint8Array): boolean {
  if (mediaType === '') return body[0] === OPENING_BRACE || body[0] === OPENING_BRACKET
  return mediaType === 'application/json' || mediaType.endsWith('+json')
}

async function deliver(hook: Hook, request: HookRequest): Promise<void> {
  try {
    await hook.handler(request)
  } catch (error) {
    if (error instanceof HookRefusal || error instanceof DtypeViolation) {
      // grammar is the node's to find: only what it refuses is read a second time, and answered as in the API
      if (error instanceof HookRefusal && isJson(request.mediaType, request.body)) {
        await turn(request.body)
        parseJson(request.body)
      }
      throw new ProblemError('validation_failed', error.message, { errors: [] })
    }
    throw error
  }
}
