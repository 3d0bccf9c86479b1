/**
 * Keeps the worker's token from what it runs: every process of the same user can read `/proc/<pid>/environ` and
 * `/proc/<pid>/cmdline` of this one.
 * @module
 */
import { readFileSync } from 'node:fs'

import { hideCredentials } from './hidden-credentials.ts'

const VARIABLE = 'SERVICE_WORKER_TOKEN'

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

function commandLine(): string {
  try {
    return readFileSync('/proc/self/cmdline', 'utf8')
  } catch {
    return ''
  }
}
