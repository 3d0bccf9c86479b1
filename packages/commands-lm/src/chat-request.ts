/**
 * One request of the chat API, and the text of its answer. Whatever else comes is an error that says what to do.
 * @module
 */
import * as z from 'zod'

import { ChatFailure, quoted, withoutToken } from './chat-failure.ts'

/** As much of `fetch` as is needed. */
export type ChatFetch = (url: string, init: RequestInit) => Promise<Response>

/** What is asked, and how. */
export interface ChatRequest {
  readonly url: URL
  readonly token: string | null
  /** A JSON value. */
  readonly body: unknown
  readonly send: ChatFetch
  readonly signal: AbortSignal
}

/** All that a house can do at once fits a tenth of it. */
const MAX_ANSWER_BYTES = 256 * 1024

const replySchema = z.object({
  choices: z
    .array(
      z.object({
        finish_reason: z.string().nullish(),
        message: z.object({ content: z.string().nullish(), refusal: z.string().nullish() }),
      }),
    )
    .min(1),
})

/** Where servers put what has gone wrong. */
const complaintSchema = z.union([
  z.object({ error: z.object({ message: z.string() }) }).transform(({ error }) => error.message),
  z.object({ error: z.string() }).transform(({ error }) => error),
  z.object({ message: z.string() }).transform(({ message }) => message),
])

/** What the model says. Rejects with {@link ChatFailure}, or with the signal's reason. */
export async function ask({ url, token, body, send, signal }: ChatRequest): Promise<string> {
  const from = `the model at ${url.origin}`
  try {
    const response = await send(url.href, {
      method: 'POST',
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(body),
      redirect: 'manual',
      signal,
    })
    const text = async (): Promise<string> => withoutToken(await textOf(response, from), token)
    if (!response.ok) throw await refusalOf(response, { from, text })
    return saidIn(await text(), from)
  } catch (error) {
    if (signal.aborted) throw signal.reason
    if (error instanceof ChatFailure) throw error
    throw new ChatFailure('unreachable', `${from} could not be asked: ${reasonOf(error)}`)
  }
}

async function refusalOf(
  response: Response,
  { from, text }: { readonly from: string; readonly text: () => Promise<string> },
): Promise<ChatFailure> {
  const { status, type } = response
  // browsers hide what a redirect says
  const isRedirect = type === 'opaqueredirect' || (status >= 300 && status < 400)
  const isAboutToken = status === 401 || status === 403
  if (isRedirect || isAboutToken) await response.body?.cancel()
  if (isRedirect)
    return new ChatFailure(
      'http_status',
      `${from} redirects elsewhere (${status}), which is not followed; set the address that it redirects to`,
    )
  // such an answer may show the token in part
  if (isAboutToken)
    return new ChatFailure('http_status', `${from} answered ${status}: it refuses the token, or wants one; set another`)
  const complaint = complaintIn(await text().catch(() => ''))
  return new ChatFailure(
    'http_status',
    `${from} answered ${status}${complaint === null ? '' : ` ${quoted(complaint)}`}: ${adviceOn(response)}`,
  )
}

function adviceOn({ status, headers }: Response): string {
  if (status === 404) return 'check its address and the name of the model'
  if (status >= 500) return 'it has failed there; look at its log'
  if (status !== 429) return 'it does not take such requests; use an API with response_format json_schema'
  const seconds = /^\d{1,6}$/.exec(headers.get('retry-after') ?? '')?.[0]
  return `it is asked too often${seconds === undefined ? '' : `; it wants to be left alone for ${seconds} s`}`
}

/** The text of an answer; a longer one is not read to its end. */
async function textOf(response: Response, from: string): Promise<string> {
  const decoder = new TextDecoder()
  let [text, size] = ['', 0]
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > MAX_ANSWER_BYTES)
      throw new ChatFailure('answer_too_large', `${from} answered more than ${MAX_ANSWER_BYTES} bytes`)
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

function saidIn(text: string, from: string): string {
  const bad = (what: string): ChatFailure => new ChatFailure('bad_answer', `${from} ${what}`)
  const { success, data } = replySchema.safeParse(jsonOf(text))
  if (!success) {
    const complaint = complaintIn(text)
    throw bad(
      complaint === null
        ? `answered no choice of the chat API but ${quoted(text)}; check its address`
        : `has failed with ${quoted(complaint)}`,
    )
  }
  const [choice] = data.choices
  if (choice === undefined) throw bad('answered no choice of the chat API')
  const { finish_reason: ending, message } = choice
  if (message.refusal) throw bad(`refuses to answer: ${quoted(message.refusal)}`)
  if (ending === 'length') throw bad('was cut off before its answer was complete; let it say more')
  if (ending === 'content_filter') throw bad('is kept from answering by the filter of its server')
  if (!message.content) throw bad('answered without a text')
  return message.content
}

/** Undefined for what is no JSON. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

const complaintIn = (text: string): string | null => complaintSchema.safeParse(jsonOf(text)).data ?? null

/** `fetch` itself only says that it has failed; of several attempts to connect, the first tells as much as all. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
  const first: unknown = cause instanceof AggregateError ? cause.errors[0] : cause
  return first instanceof Error ? first.message || first.name : String(first)
}
