/**
 * What becomes of an ask that has no answer. Callers go by the class: after {@link NotSent} and {@link Elsewhere} they may
 * try again, after {@link Unanswered} they may not, for the other engine may have done what it was asked for.
 * @module
 */
import { problemCatalogue, type ProblemCode } from '@flow-service/protocol'
import * as z from 'zod'

import { ProblemError, problemOf } from '../../http/errors.ts'
import type { Log } from '../../process/log.ts'
import { malformed } from './link-fault.ts'

/** The other engine has certainly done nothing. The cause may tell of addresses, and is for logs alone. */
export class NotSent extends ProblemError {
  constructor(detail: string, cause?: string) {
    super('unavailable', detail, { retry_after_s: 1 })
    this.name = 'NotSent'
    this.cause = cause
  }
}

/** It was sent, and no answer has come: the other engine may have done it, or may still. */
export class Unanswered extends ProblemError {
  constructor(detail: string) {
    super('unavailable', detail, { retry_after_s: 1 })
    this.name = 'Unanswered'
  }
}

/** It is longer than a link takes, and was not sent. */
export class TooLong extends ProblemError {
  constructor(bytes: number, maxBytes: number) {
    const detail = `this takes ${bytes} bytes on the way to the engine that runs the flow, of at most ${maxBytes}: put large data into artifacts`
    super('payload_too_large', detail, { max_bytes: maxBytes })
    this.name = 'TooLong'
  }
}

/** A handler throws it where another engine has what was asked for: nothing was done. */
export class Elsewhere extends ProblemError {
  constructor(detail: string) {
    super('unavailable', detail, { retry_after_s: 1 })
    this.name = 'Elsewhere'
  }
}

/** First byte of a refusal. */
const reasons = { elsewhere: 1, problem: 2, notSent: 3 } as const

/** Payload of the refusal that a thrown value becomes; what nobody expected is logged. */
export function refusalOf(thrown: unknown, log: Pick<Log, 'error'>): Buffer {
  if (thrown instanceof Elsewhere) return written(reasons.elsewhere, thrown)
  return written(reasons.problem, problemOf(thrown, log))
}

/** Payload of a refusal of what nobody here takes: the asker may try again, as another version may be there then. */
export const refusalOfUnknown = (subject: string): Buffer =>
  written(reasons.notSent, new NotSent(`nothing in the other engine takes "${subject}": its version is another`))

function written(reason: number, problem: ProblemError): Buffer {
  const body = JSON.stringify({ ...problem.extensions, code: problem.code, detail: problem.message })
  const payload = Buffer.allocUnsafe(1 + Buffer.byteLength(body))
  payload[0] = reason
  payload.write(body, 1)
  return payload
}

/** The refusal of a payload, as an error. Throws a `LinkFault` for one that is none. */
export function readRefusal(payload: Buffer): ProblemError {
  const { code, detail, ...extensions } = problemIn(payload)
  const [reason] = payload
  if (reason === reasons.elsewhere) return new Elsewhere(detail)
  if (reason === reasons.notSent) return new NotSent(detail)
  if (reason !== reasons.problem) throw malformed(`a refusal has the reason ${reason}`)
  return new ProblemError(isCode(code) ? code : 'internal', detail, extensions)
}

const problemSchema = z.looseObject({ code: z.string(), detail: z.string() })

function problemIn(payload: Buffer): z.infer<typeof problemSchema> {
  try {
    return problemSchema.parse(JSON.parse(payload.toString('utf8', 1)))
  } catch {
    throw malformed('a refusal holds no problem')
  }
}

/** An engine of a newer version may have further codes. */
const isCode = (code: string): code is ProblemCode => Object.hasOwn(problemCatalogue, code)
