/**
 * The token that a worker signs in with. The engine alone can verify it. The worker reads its own name and labels in it,
 * and keeps it from the node code that it runs: every process of the same user can read `/proc/<pid>/environ` and
 * `/proc/<pid>/cmdline` of the worker.
 * @module
 */
import { readFileSync } from 'node:fs'

import { hideCredentials } from '../hidden-credentials.ts'

const VARIABLE = 'SERVICE_WORKER_TOKEN'

/** Claims of a token, as far as they are readable. */
export interface TokenClaims {
  readonly name: string | null
  readonly labels: readonly string[]
}

/** Reads the payload of a JWT (RFC 7519) without verifying it. Nothing is known of a text that is none. */
export function claimsOf(token: string): TokenClaims {
  const { name, labels } = payloadOf(token)
  return {
    name: typeof name === 'string' ? name : null,
    labels: Array.isArray(labels) ? labels.filter((label) => typeof label === 'string') : [],
  }
}

/** Takes a token out of the environment and the command line of this process; tells whether none can be seen any more. */
export function hideToken(token: string): boolean {
  const isHidden = hideCredentials()
  delete process.env[VARIABLE]
  const words = process.argv.slice(2)
  // a process's title is written over its command line
  if (words.some((word) => word.includes(token))) {
    process.title = ['service-worker', ...words.map((word) => word.replace(token, '***'))].join(' ')
  }
  return process.platform !== 'linux' || (isHidden && !commandLine().includes(token))
}

function payloadOf(token: string): Record<string, unknown> {
  try {
    const payload: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
    return typeof payload === 'object' && payload !== null ? (payload as Record<string, unknown>) : {}
  } catch {
    // the engine says what is wrong with it
    return {}
  }
}

function commandLine(): string {
  try {
    return readFileSync('/proc/self/cmdline', 'utf8')
  } catch {
    return ''
  }
}
