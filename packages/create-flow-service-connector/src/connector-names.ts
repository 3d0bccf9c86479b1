/**
 * The names of a connector: its npm package gives those of its node type, its class and its title.
 * @module
 */

/** What was asked for cannot be made; the message says with which value, and what to do. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** What a connector is called where. */
export interface ConnectorNames {
  /** On npm. */
  readonly package: string
  /** In flows, and as the file of its class. */
  readonly type: string
  readonly class: string
  /** For people. */
  readonly title: string
}

/** Names that npm gives to no package. */
const RESERVED = new Set(['node_modules', 'favicon.ico'])
const MOST_CHARACTERS = 214

/** The names by that of the package, and of the node type where it is given. Throws a {@link UsageError}. */
export function connectorNames(name: string, type = typeOf(name)): ConnectorNames {
  const fault = packageNameFault(name)
  if (fault !== null)
    throw new UsageError(`"${name}" is no name for an npm package: ${fault}; take one such as acme-meter`)
  if (!/^[a-z][a-z0-9_]{0,63}$/.test(type))
    throw new UsageError(
      `"${type}" is no name for a node type; use --type with up to 64 small letters, digits and "_" that begin with a letter, such as acme_meter`,
    )
  const words = type.split('_').filter((word) => word !== '')
  const title = words.join(' ')
  return { package: name, type, class: classOf(words), title: capital(title) }
}

/** `@me/flow-service-connector-acme-meter` brings `acme_meter`. */
const typeOf = (name: string): string =>
  name
    .replace(/^@[^/]*\//, '')
    .replace(/^(?:flow-service-)?connector-(?=.)/, '')
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')

function packageNameFault(name: string): string | null {
  if (name === '') return 'it is empty'
  if (name.length > MOST_CHARACTERS) return `it has more than ${MOST_CHARACTERS} characters`
  if (/[A-Z]/.test(name)) return 'it has capital letters'
  const [, bare = name] = /^@[a-z0-9~-][a-z0-9._~-]*\/(.+)$/.exec(name) ?? []
  if (RESERVED.has(bare)) return 'npm keeps it for itself'
  if (!/^[a-z0-9~-][a-z0-9._~-]*$/.test(bare))
    return 'it has other characters than letters, digits, "-", "." and "_", or begins with one of the last two'
  return null
}

/** A name that the module does not have already: `connector` becomes `ConnectorNode`. */
function classOf(words: readonly string[]): string {
  const name = words.map(capital).join('')
  const isTaken = Object.hasOwn(globalThis, name) || ['Connector', 'ConnectorParams', 'Redial', 'Router'].includes(name)
  return isTaken ? `${name}Node` : name
}

const capital = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1)
