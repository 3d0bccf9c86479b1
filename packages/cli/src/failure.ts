import { printable } from './table.ts'

/** A failure that the command line explains in one sentence. `code` is the exit code. */
export class CommandFailure extends Error {
  readonly code: 1 | 2 | 3
  constructor(code: 1 | 2 | 3, message: string) {
    super(message)
    this.code = code
  }
}

/** What is wrong with a setting is wrong usage, and told in its sentence alone. */
export async function plainly<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    // by name: commands that need no engine do not load it
    throw error instanceof Error && error.name === 'ConfigError' ? new CommandFailure(2, error.message) : error
  }
}

interface Refusal {
  readonly status: number
  readonly problem: { readonly detail: string; readonly errors?: readonly { path: string; message: string }[] }
}

/** Whether the engine has refused a request. */
export const isRefusal = (error: unknown): error is Error & Refusal =>
  error instanceof Error && error.name === 'ApiError' && 'problem' in error

/** A refusal in one line. */
export function refusalText({ problem }: Refusal): string {
  return [problem.detail, ...placesOf(problem)].map(printable).join('; ')
}

/** The places of a refusal that its sentence does not tell already. */
function placesOf({ detail, errors = [] }: Refusal['problem']): string[] {
  return errors.flatMap(({ path, message }) => {
    const place = path === '' ? message : `${path}: ${message}`
    return detail.includes(place) ? [] : [place]
  })
}

/** Where to find the right name, for one that is none. */
function listingOf({ status, problem: { detail } }: Refusal): string[] {
  if (status !== 404) return []
  const what = /^there is no (flow|run|secret|flavor|device) "/.exec(detail)?.[1]
  if (what === undefined) return []
  return [`see what there is: service ${what === 'flavor' ? 'workers flavors' : `${what}s list`}`]
}

/** Prints a failure for people and answers the exit code. */
export function failed(error: unknown): number {
  if (error instanceof CommandFailure) {
    console.error(`error: ${error.message}`)
    return error.code
  }
  if (isRefusal(error)) {
    const places = placesOf(error.problem)
    // the sentence counts what is not in it, and the lines below have it
    const detail = places.length === 0 ? error.problem.detail : error.problem.detail.replace(/ \(and \d+ more\)$/, '')
    const more = [...places, ...listingOf(error)].map((line) => `  ${line}`)
    for (const line of [`error: ${detail}`, ...more]) console.error(printable(line))
    return error.status === 401 || error.status === 403 ? 3 : 1
  }
  if (error instanceof TypeError && error.message === 'fetch failed') {
    console.error(`error: no engine answers (${connection(error.cause)}); start one with "service dev" or give --url`)
    return 3
  }
  console.error(
    `error: ${isSystemError(error) ? refusedPath(error) : error instanceof Error ? error.message : String(error)}`,
  )
  return 1
}

const isSystemError = (error: unknown): error is NodeJS.ErrnoException & { path: string } =>
  error instanceof Error && 'syscall' in error && 'path' in error && typeof error.path === 'string'

/** What the file system refused, in words. */
function refusedPath({ code, path, message }: NodeJS.ErrnoException & { path: string }): string {
  const reasons: Record<string, string> = {
    EACCES: 'this process may not use it',
    EEXIST: 'it is no directory',
    ENOENT: 'it does not exist',
    ENOSPC: 'the disk is full',
    ENOTDIR: 'it is no directory',
    EROFS: 'its file system is read-only',
  }
  return `cannot use "${path}": ${reasons[code ?? ''] ?? message}`
}

function connection(cause: unknown): string {
  return cause instanceof Error
    ? ((cause.message || (cause as NodeJS.ErrnoException).code) ?? cause.name)
    : String(cause)
}
