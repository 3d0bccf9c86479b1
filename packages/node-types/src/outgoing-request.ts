/**
 * Requests of nodes: how they fail, and how long they take. Texts of failures hold neither query nor headers, which may
 * be secrets.
 * @module
 */
import type { NodeContext } from '@flow-service/connector-sdk'
import { isWhole } from '@flow-service/protocol'

const MAX_ANSWER_BYTES = 10 * 1024 * 1024

/** A request without a usable answer; `name` is the type of the failure. */
export class RequestFailure extends Error {
  override readonly name:
    | 'http_status'
    | 'timeout'
    | 'unreachable'
    | 'too_many_redirects'
    | 'answer_too_large'
    | 'bad_answer'
  constructor(name: RequestFailure['name'], message: string) {
    super(message)
    this.name = name
  }
}

/** How a request is called in texts: without the query, which may hold secrets. */
export const requestTitle = (method: string, { origin, pathname }: URL): string => `${method} ${origin}${pathname}`

/**
 * Makes requests within so many seconds, or until the node stops. Rejects with a {@link RequestFailure}; what the stop
 * cuts off rejects with the signal's reason.
 */
export async function within<T>(
  ctx: Pick<NodeContext, 'after' | 'signal'>,
  { seconds, title }: { readonly seconds: number; readonly title: string },
  request: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { signal } = ctx
  signal.throwIfAborted()
  const requests = new AbortController()
  let isExpired = false
  const end = (): void => requests.abort(signal.reason)
  const cancel = ctx.after(seconds, () => {
    isExpired = true
    requests.abort()
  })
  signal.addEventListener('abort', end)
  try {
    return await request(requests.signal)
  } catch (error) {
    // of several requests, one that fails ends the others
    requests.abort()
    if (isExpired) throw new RequestFailure('timeout', `${title} gave no answer within ${seconds} s`)
    if (error instanceof RequestFailure || signal.aborted) throw error
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    throw new RequestFailure(
      'unreachable',
      `${title} failed: ${cause instanceof Error ? cause.message : String(cause)}`,
    )
  } finally {
    cancel()
    signal.removeEventListener('abort', end)
  }
}

/** The text of an answer of at most 10 MiB. */
export async function answerText(response: Response, title: string): Promise<string> {
  if (isWhole(response)) return response.text()
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > MAX_ANSWER_BYTES)
      throw new RequestFailure('answer_too_large', `${title} answered more than ${MAX_ANSWER_BYTES} bytes`)
    chunks.push(chunk)
  }
  // decoded when it is known to be taken: halves of a text that grows would wait for the collector of a busy process
  const decoder = new TextDecoder()
  const parts = chunks.map((chunk) => decoder.decode(chunk, { stream: true }))
  return parts.join('') + decoder.decode()
}
