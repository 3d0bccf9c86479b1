/**
 * `/hooks/{flow}/{path}/{secret}`: the address space of the webhooks of active flows (wire decisions G06, G68).
 * It is no part of the described API: which routes exist is up to the flows.
 *
 * One function answers, from the first check to the last refusal. Routers, those in a host's app too, call it by Express;
 * the engine's own server calls it directly, for the way through Express is about a quarter of the whole (hooks.H15).
 * @module
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

import { DtypeViolation, HookRefusal, type HookRequest } from '@flow-service/connector-sdk'
import { MAX_HOOK_BYTES } from '@flow-service/protocol'

import type { AnonymousBodies } from '../http/anonymous-bodies.ts'
import { drain, mediaTypeOf, readBytes } from '../http/body.ts'
import { type AnswerError, ProblemError } from '../http/errors.ts'
import { parseFields } from '../http/fields.ts'
import { checkJson, parseJson, turn } from '../http/json-text.ts'
import { type AnyHookRequest, type Hook, type Hooks, type HooksElsewhere, isUntaken } from './hooks.ts'
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
const inertHeaders = new Map(Object.entries(inert))
const acceptedHeaders = { 'content-type': 'application/json', 'content-length': accepted.length, ...inert }

/** What the address space of webhooks takes. */
export interface HookRoutesDeps {
  readonly hooks: Pick<Hooks, 'find' | 'found'>
  /** Takes requests for flows of other engines; there are none unless given. */
  readonly elsewhere?: HooksElsewhere | undefined
  /** Who comes through the portal; nobody unless given. */
  readonly isPortal?: IsPortal
  readonly anonymous: AnonymousBodies
  /** Throws a refusal of whatever a request asks for; nothing is refused unless given. */
  readonly check?: (request: IncomingMessage) => void
  readonly answerError: AnswerError
}

/**
 * Answers a request of which nobody has read the body; `rest` is its address from `/hooks` on. 202 once the handler of the
 * route has taken the request; unknown flow, path and secret are answered alike with 404. Rejects when `answerError` does.
 */
export type HookAnswer = (request: IncomingMessage, response: ServerResponse, rest: string) => Promise<void>

/** Makes the function that answers below `/hooks`. */
export function hookRoutes(deps: HookRoutesDeps): HookAnswer {
  const { hooks, elsewhere, isPortal = () => false, anonymous, check, answerError } = deps
  return async (request, response, rest) => {
    let isChecked = false
    try {
      check?.(request)
      isChecked = true
      await take({ hooks, elsewhere, anonymous }, { request, rest, isPortal: isPortal(request) })
      response.writeHead(202, acceptedHeaders).end(accepted, 'latin1')
    } catch (error) {
      if (isChecked && !response.headersSent) {
        response.setHeaders(inertHeaders)
        response.once('finish', () => drain(request))
      }
      await answerError(error, request, response)
    }
  }
}

/** Places of webhooks, as addresses begin. */
const places = ['/hooks/', '/api/v1/hooks/']
/** Of others, readers make different things. */
const plainAddress = /^[!"$-~]*$/

/**
 * The listener of a server of the engine's own: webhooks by `answer`, all else by `others`, where webhooks whose address is
 * not plain are answered too.
 */
export const hooksFirst =
  (answer: HookAnswer, others: RequestListener): RequestListener =>
  (request, response) => {
    const { url = '' } = request
    const place = places.find((each) => url.startsWith(each))
    if (place === undefined || !plainAddress.test(url)) return others(request, response)
    // as Express ends what even its last handler has failed at
    answer(request, response, url.slice(place.length - 1)).catch(() => response.destroy())
  }

interface Asked {
  readonly request: IncomingMessage
  readonly rest: string
  readonly isPortal: boolean
}

async function take(
  { hooks, elsewhere, anonymous }: Pick<HookRoutesDeps, 'anonymous' | 'elsewhere' | 'hooks'>,
  { request, rest, isPortal }: Asked,
): Promise<void> {
  const { method } = request
  const mark = rest.indexOf('?')
  const path = mark < 0 ? rest : rest.slice(0, mark)
  // without a turn where nothing waits
  const known = hooks.find(path, isPortal)
  const isAway = known === undefined && elsewhere?.isAway(path) === true
  const hook = known ?? (isAway ? undefined : await hooks.found(path, isPortal))
  if (hook) assertTakes(hook, method)
  else if (!isAway) throw noHook()
  const query = mark < 0 ? noQuery : parseFields(rest.slice(mark + 1), 'query')
  const mediaType = mediaTypeOf(request) ?? ''
  const body = method === 'GET' ? empty : await readBytes(request, MAX_HOOK_BYTES, anonymous.wait)
  const checking = method === 'POST' ? check(mediaType, body) : undefined
  if (checking) await anonymous.check(() => checking)
  const asked = { method: method ?? '', path, isPortal, mediaType, query, body }
  if (isAway && (await elsewhere?.deliver(asked)) === true) return
  try {
    // the body may have come while the route went to another node
    if (hook && hooks.find(path, isPortal) === hook) await deliver(hook, asked)
    else await takeHere(hooks, asked)
  } catch (error) {
    // the flow may have gone to another engine meanwhile, which takes what nobody here has taken
    const isFree = !isAway && isUntaken(error) && elsewhere?.isAway(path) === true
    if (!isFree) throw error
    // or has come back
    if (!(await elsewhere.deliver(asked))) await takeHere(hooks, asked)
  }
}

/** Has the handler of this engine take a request, from whichever engine it comes. */
export async function takeHere(hooks: Pick<Hooks, 'find' | 'found'>, request: AnyHookRequest): Promise<void> {
  const { path, isPortal } = request
  const hook = hooks.find(path, isPortal) ?? (await hooks.found(path, isPortal))
  if (!hook) throw noHook()
  await deliver(hook, request)
}

function assertTakes({ methods }: Hook, method: string | undefined): asserts method is HookRequest['method'] {
  if (methods.some((each) => each === method)) return
  throw new ProblemError('method_not_allowed', `this webhook takes ${methods.join(' and ')}`, { allow: methods })
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

async function deliver(hook: Hook, { method, mediaType, query, body }: AnyHookRequest): Promise<void> {
  assertTakes(hook, method)
  const request: HookRequest = { method, mediaType, query, body }
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
