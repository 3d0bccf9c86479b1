/**
 * What goes wrong with an S3-compatible store, in words: for clients without its place, for the log of the operator with it,
 * and for nobody with credentials, or with the answers of the store, which may repeat them.
 * @module
 */
import { S3ServiceError } from 's3mini'

import { ProblemError } from '../../http/errors.ts'

/** An answer of a store that is no success. */
export class S3Refusal extends Error {
  override readonly name = 'S3Refusal'
  readonly status: number
  /** A word of S3, such as `NoSuchBucket`; null when the answer has none. */
  readonly code: string | null
  constructor(status: number, body: string) {
    const code = /<Code>(\w{1,64})<\/Code>/.exec(body)?.[1] ?? null
    super(code === null ? `answer ${status}` : `${code}, answer ${status}`)
    this.status = status
    this.code = code
  }
}

/** The refusal within an error of the client, if it is one. */
export function refusalIn(error: unknown): S3Refusal | null {
  if (error instanceof S3Refusal) return error
  if (error instanceof S3ServiceError) return new S3Refusal(error.status, error.body ?? '')
  return error instanceof Error && error.cause !== undefined ? refusalIn(error.cause) : null
}

/** Refusals that have another outcome when they are tried again. */
const passing: ReadonlySet<string> = new Set(['RequestTimeout', 'SlowDown', 'OperationAborted'])

/** Whether the same request may succeed a moment later: connections that break, and a store that is too busy. */
export function isPassing(error: unknown): boolean {
  const refusal = refusalIn(error)
  if (refusal) return refusal.status >= 500 || refusal.status === 429 || passing.has(refusal.code ?? '')
  return !(error instanceof ProblemError)
}

/** What the operator has to do, by the word of the store. */
const remedies: Readonly<Record<string, string>> = {
  NoSuchBucket: 'make the bucket, or correct SERVICE_ARTIFACTS_URL',
  InvalidAccessKeyId: 'the store does not know AWS_ACCESS_KEY_ID',
  SignatureDoesNotMatch: 'AWS_SECRET_ACCESS_KEY is another one than that of AWS_ACCESS_KEY_ID',
  AccessDenied: 'let AWS_ACCESS_KEY_ID list, read, write and delete there',
  RequestTimeTooSkewed: 'the clock of this machine differs from that of the store: set it by NTP',
  AuthorizationHeaderMalformed: 'the region of SERVICE_ARTIFACTS_URL is another one than that of the bucket',
  PermanentRedirect: 'the endpoint or region of SERVICE_ARTIFACTS_URL is not that of the bucket',
}
const byStatus: Readonly<Record<number, keyof typeof remedies>> = {
  301: 'PermanentRedirect',
  307: 'PermanentRedirect',
  403: 'AccessDenied',
}

/** What has failed, and what to do about it; without a place. */
export function wordsOf(error: unknown): string {
  const refusal = refusalIn(error)
  if (refusal === null) return `it does not answer (${codeOf(error)})`
  const remedy = remedies[refusal.code ?? ''] ?? remedies[byStatus[refusal.status] ?? '']
  return `it refuses (${refusal.message})${remedy === undefined ? '' : `: ${remedy}`}`
}

/** The refusal of a request that needed the store. */
export function unavailable(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error
  // the error itself stays here: it has the answer of the store, which repeats what was signed
  return new ProblemError('unavailable', `the store of artifacts cannot be used now: ${wordsOf(error)}`, {
    retry_after_s: isPassing(error) ? 5 : 60,
  })
}

/** A code of the system or of the HTTP client; their messages may hold addresses, and so URLs that are signed. */
function codeOf(error: unknown): string {
  const { code, cause } = error as { readonly code?: unknown; readonly cause?: unknown }
  if (typeof code === 'string') return code
  if (cause !== undefined && cause !== null) return codeOf(cause)
  return error instanceof Error ? error.name : 'unknown'
}
