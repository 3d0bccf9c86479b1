/**
 * The client that a command talks to its engine with.
 * @module
 */
import { type Client, createClient } from '@flow-service/client-sdk'

import { CommandFailure } from './failure.ts'
import { type ClientFlags, findEngine } from './sign-in.ts'

export type { ClientFlags } from './sign-in.ts'

/** A client for a command; fails with exit code 3 and what to do when nothing names an engine. */
export function connect(flags: ClientFlags, env: NodeJS.ProcessEnv = process.env, from = process.cwd()): Client {
  const { baseUrl, accessToken } = findEngine(flags, env, from)
  if (baseUrl === undefined || accessToken === undefined) {
    throw new CommandFailure(
      3,
      `not signed in${baseUrl === undefined ? '' : ` to ${baseUrl}`}; start an engine here with "service dev", or run "service login --url ... --email ..."`,
    )
  }
  return createClient({ baseUrl, token: accessToken })
}

/** The address of the API that {@link connect} talks to; empty when nothing names one. */
export const apiBase = (flags: ClientFlags): string => findEngine(flags).baseUrl ?? ''
