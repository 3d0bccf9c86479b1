/**
 * A model behind the chat API that OpenAI has made common, and that programs on one's own machine speak too. The engine
 * asks it where settings name one; hosts give it to `createService`.
 *
 * - chat.C1 the sentence and the states of devices are sent as data beside the rules, never among them.
 * - chat.C2 an answer is read within a limit of time and of bytes, and counts as a whole: one call that no house knows refuses all.
 * - chat.C3 what is understood and cannot be done has a confidence of 0, and no call one above {@link MAX_CHAT_CONFIDENCE}:
 *   what a chat model says of itself is not measured.
 * - chat.C4 no error holds the token, and no redirect is followed: it would take the token and the sentence elsewhere.
 * @module
 */
import type { CommandModel } from '@flow-service/protocol'

import { readingsOf } from './chat-answer.ts'
import { ChatFailure, withoutToken } from './chat-failure.ts'
import { answerFormat, inquiryOf, rules } from './chat-prompt.ts'
import { ask, type ChatFetch } from './chat-request.ts'

export { MAX_CHAT_CONFIDENCE } from './chat-answer.ts'
export { ChatFailure } from './chat-failure.ts'
export type { ChatFetch } from './chat-request.ts'

/** Where the model is. */
export interface ChatModelOptions {
  /** Address of the API up to its version, such as `http://127.0.0.1:11434/v1`; without a query or a password. */
  readonly url: string
  /** Name of the model there. */
  readonly model: string
  /** Sent as bearer; none unless given. */
  readonly token?: string | null
  /** Does the requests; the global `fetch` unless given. */
  readonly fetch?: ChatFetch
  /** How long one sentence may take, in milliseconds; 10,000 unless given. */
  readonly timeoutMs?: number
}

/** The most characters of a sentence: nobody says a longer one, and each of them is paid for. */
const MAX_SENTENCE = 1000

/**
 * A model that asks a chat API: one request for each sentence, and none for an empty one. It rejects with {@link ChatFailure}
 * when it gets no usable answer, and with the signal's reason when that ends it. Throws a TypeError for options that no
 * request can be made with.
 */
export function createChatModel(options: ChatModelOptions): CommandModel {
  const { model, token = null, timeoutMs = 10_000, fetch: send = (url, init) => fetch(url, init) } = options
  const url = endpointOf(options.url)
  if (typeof model !== 'string' || model.trim() === '')
    throw new TypeError('the model of a chat API has no name; give the one that the API knows it by')
  if (token !== null && !/^[!#-[\]-~]+$/.test(token))
    throw new TypeError(
      'the token of a chat API holds what no header takes; use ASCII characters but spaces, quotes and backslashes',
    )
  if (!(timeoutMs > 0 && timeoutMs <= 2 ** 31 - 1))
    throw new TypeError(`timeoutMs is ${timeoutMs}; use milliseconds from 1 to ${2 ** 31 - 1}`)
  return {
    async interpret(prompt, context, signal) {
      if (prompt.trim() === '') return []
      if (prompt.length > MAX_SENTENCE)
        throw new ChatFailure(
          'sentence_too_long',
          `the sentence has ${prompt.length} characters; a model is asked of at most ${MAX_SENTENCE}`,
        )
      const body = {
        model,
        temperature: 0,
        stream: false,
        response_format: answerFormat,
        messages: [
          { role: 'system', content: rules },
          { role: 'user', content: inquiryOf(prompt, context) },
        ],
      }
      const late = (): Error =>
        new ChatFailure('timeout', `the model at ${url.origin} gave no answer within ${timeoutMs / 1000} s`)
      return within({ timeoutMs, late, signal }, async (ends) =>
        readingsOf(await ask({ url, token, body, send, signal: ends }), url.origin),
      ).catch((error: unknown) => {
        throw error instanceof ChatFailure ? new ChatFailure(error.name, withoutToken(error.message, token)) : error
      })
    },
  }
}

/** Where requests go. An address with a password is not repeated. */
function endpointOf(given: string): URL {
  const url = URL.parse(given)
  if (url !== null && (url.username !== '' || url.password !== ''))
    throw new TypeError('the URL of a chat API holds a user name or password; give a token instead')
  if (url === null || !/^https?:$/.test(url.protocol) || /[?#]/.test(given))
    throw new TypeError(
      `"${given}" is no URL of a chat API; use http:// or https:// up to its version, such as http://127.0.0.1:11434/v1`,
    )
  return new URL(`${given.replace(/\/$/, '')}/chat/completions`)
}

interface Bounds {
  readonly timeoutMs: number
  readonly late: () => Error
  readonly signal: AbortSignal | undefined
}

/** Does something that ends in time, or when the signal says so, whether or not it hears of it. */
async function within<T>({ timeoutMs, late, signal }: Bounds, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  signal?.throwIfAborted()
  const own = new AbortController()
  const cut = Promise.withResolvers<never>()
  const end = (reason: unknown): void => {
    cut.reject(reason)
    own.abort(reason)
  }
  const abort = (): void => end(signal?.reason)
  const timer = setTimeout(() => end(late()), timeoutMs)
  signal?.addEventListener('abort', abort)
  try {
    return await Promise.race([work(own.signal), cut.promise])
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}
