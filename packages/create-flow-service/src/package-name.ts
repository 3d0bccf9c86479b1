/**
 * The name of a package to make, refused before anything is written. `create-flow-service-connector` refuses by it too.
 * @module
 */

/** What was asked for cannot be made; the message says with which value, and what to do. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Names that npm gives to no package. */
const RESERVED = new Set(['node_modules', 'favicon.ico'])
const MOST_CHARACTERS = 214

/** Throws a {@link UsageError} for a name that npm takes for no package; `advice` says what to do then. */
export function checkPackageName(name: string, advice: string): void {
  const fault = faultOf(name)
  if (fault !== null) throw new UsageError(`"${name}" is no name for an npm package: ${fault}; ${advice}`)
}

function faultOf(name: string): string | null {
  if (name === '') return 'it is empty'
  if (name.length > MOST_CHARACTERS) return `it has more than ${MOST_CHARACTERS} characters`
  if (/[A-Z]/.test(name)) return 'it has capital letters'
  const [, bare = name] = /^@[a-z0-9~-][a-z0-9._~-]*\/(.+)$/.exec(name) ?? []
  if (RESERVED.has(bare)) return 'npm keeps it for itself'
  if (!/^[a-z0-9~-][a-z0-9._~-]*$/.test(bare))
    return 'it has other characters than letters, digits, "-", "." and "_", or begins with one of the last two'
  return null
}
