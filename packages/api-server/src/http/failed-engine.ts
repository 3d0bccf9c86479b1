/**
 * What an engine answers that cannot go on: 503 with why, until its process or its host ends it.
 * @module
 */
import { setImmediate } from 'node:timers/promises'

import type { ErrorRequestHandler, RequestHandler } from 'express'

import { LostDirectory } from '../process/held-directory.ts'
import { ProblemError } from './errors.ts'

/** Why the engine cannot go on; null while it can. */
export type Failure = () => Error | null

/** Throws the refusal of an engine that cannot go on. */
export function assertWorking(failure: Failure): void {
  const error = failure()
  if (error) throw refusalOf(error)
}

/** {@link assertWorking}, before anything answers. */
export function refuseWhenFailed(failure: Failure): RequestHandler {
  return function refusesWhenFailed(_request, _response, next) {
    assertWorking(failure)
    next()
  }
}

/** What a request that failed on the way is told: the same as later ones, if that is why; refusals of its own stay. */
export async function explained(thrown: unknown, failure: Failure): Promise<unknown> {
  if (thrown instanceof ProblemError) return thrown
  // the request may have heard of the loss first
  await setImmediate()
  const error = failure()
  return error ? refusalOf(error) : thrown
}

/** {@link explained}, before errors are answered. */
export function explainFailed(failure: Failure): ErrorRequestHandler {
  return async function explainsFailed(thrown: unknown, _request, _response, next) {
    next(await explained(thrown, failure))
  }
}

/** Without paths: they are in the log. */
const refusalOf = (error: Error): ProblemError =>
  new ProblemError(
    'unavailable',
    error instanceof LostDirectory
      ? 'the data directory of the engine was removed, moved or replaced: put it back, then start the engine again'
      : 'the engine has lost its database, and its log tells why: start it again',
  )
