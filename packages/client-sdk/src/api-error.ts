import type { Problem } from '@flow-service/protocol'

/** A refused request. `problem` is the answer's body (RFC 9457): `problem.code` is what programs branch on. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  /** HTTP status. */
  readonly status: number
  readonly problem: Problem
  constructor(status: number, problem: Problem) {
    super(`${problem.detail} (${status} ${problem.code})`)
    this.status = status
    this.problem = problem
  }
}

/** The problem of an answer whose body is none: what a proxy in between may send. */
export function problemOf(status: number, body: unknown, statusText: string): Problem {
  if (typeof body === 'object' && body !== null && 'code' in body && 'detail' in body) return body as Problem
  const detail = typeof body === 'string' && body !== '' ? body.slice(0, 500) : statusText || `HTTP status ${status}`
  return { type: 'about:blank', title: statusText, status, detail, code: status >= 500 ? 'unavailable' : 'bad_request' }
}
