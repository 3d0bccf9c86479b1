/**
 * The body of a request that somebody else reads, as a stream, within bounds.
 * @module
 */
import type { IncomingMessage } from 'node:http'

import { type BodyPatience, tooLarge } from './body.ts'
import type { ProblemError } from './errors.ts'

/** What a body must keep to. */
export interface StreamBounds {
  readonly maxBytes: number
  readonly patience?: BodyPatience | undefined
  /** Called once, when it does not: its reader gets no more of it, and no end, and has the request destroyed later. */
  readonly refuse: (problem: ProblemError) => void
}

/** Bounds a body of which nobody has read anything. The result ends the waiting for it. */
export function boundBody(request: IncomingMessage, { maxBytes, patience, refuse }: StreamBounds): () => void {
  const push = request.push.bind(request)
  let size = request.readableLength
  let isRefused = false
  const refuseOnce = (problem: ProblemError): void => {
    if (isRefused) return
    isRefused = true
    done()
    refuse(problem)
  }
  const done = request.complete ? () => undefined : (patience?.(refuseOnce) ?? (() => undefined))
  // what comes from the connection goes this way
  request.push = (chunk: Buffer | null, encoding) => {
    if (chunk === null) {
      done()
      // its reader must not take a part for the whole
      if (!isRefused) return push(null)
      request.destroy()
      return false
    }
    size += chunk.length
    if (!isRefused && size > maxBytes) refuseOnce(tooLarge(maxBytes))
    return isRefused || push(chunk, encoding)
  }
  if (Math.max(size, Number(request.headers['content-length'] ?? 0)) > maxBytes) refuseOnce(tooLarge(maxBytes))
  return done
}
