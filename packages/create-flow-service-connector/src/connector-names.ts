/**
 * The names of a connector: its npm package gives those of its node type, its class and its title.
 * @module
 */
import { checkPackageName, UsageError } from 'create-flow-service'

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

/** The names by that of the package, and of the node type where it is given. Throws a {@link UsageError}. */
export function connectorNames(name: string, type = typeOf(name)): ConnectorNames {
  checkPackageName(name, 'take one such as acme-meter')
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

/** A name that the module does not have already: `connector` becomes `ConnectorNode`. */
function classOf(words: readonly string[]): string {
  const name = words.map(capital).join('')
  const isTaken = Object.hasOwn(globalThis, name) || ['Connector', 'ConnectorParams', 'Redial', 'Router'].includes(name)
  return isTaken ? `${name}Node` : name
}

const capital = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1)
