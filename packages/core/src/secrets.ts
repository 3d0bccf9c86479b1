/**
 * References to secrets in settings: `{"$secret": name}`, exactly one key, at any depth (G48). Documents, stage keys and
 * what the API shows hold the reference; the value takes its place when a node is built and when its code is called.
 * @module
 */
import type { Values } from '@flow-service/connector-sdk'

/** The secrets that the runtime may use. */
export interface Secrets {
  /** The value of a secret; undefined when there is none of that name. */
  readonly valueOf: (name: string) => string | undefined
  /**
   * The same text or JSON with every secret value in it made unreadable; the very same one when there is none in it.
   * For whatever is shown or kept, never for what nodes work with.
   */
  readonly mask: <T>(shown: T) => T
}

/** Where a value is to be put in. */
export interface SecretRef {
  readonly name: string
  /** JSON Pointer (RFC 6901) within the settings. */
  readonly pointer: string
}

/** A setting names a secret that does not exist. */
class MissingSecret extends Error {
  override readonly name = 'MissingSecret'
  constructor(secret: string) {
    super(missingSecret(secret))
  }
}

/** What is said about a secret that does not exist. */
export const missingSecret = (name: string): string => `there is no secret "${name}"; store it first`

/** No secrets: for graphs without any. */
export const noSecrets: Secrets = { valueOf: () => undefined, mask: (shown) => shown }

/** The references in settings, in their order. */
export function secretRefs(settings: unknown, pointer = ''): SecretRef[] {
  if (typeof settings !== 'object' || settings === null) return []
  const name = nameIn(settings)
  if (name !== null) return [{ pointer, name }]
  return Object.entries(settings).flatMap(([key, item]) => secretRefs(item, pointer + pointerOf([key])))
}

/** Values of the secrets that settings name, by name; null for none. */
export function secretsNamed(settings: unknown, { valueOf }: Pick<Secrets, 'valueOf'>): Map<string, string> | null {
  const values = secretRefs(settings).flatMap(({ name }): [string, string][] => {
    const value = valueOf(name)
    return value === undefined ? [] : [[name, value]]
  })
  return values.length === 0 ? null : new Map(values)
}

/** Settings with the values of secrets; the very same ones without references. Throws {@link MissingSecret}. */
export const withSecrets = (settings: Values, { valueOf }: Pick<Secrets, 'valueOf'>): Values =>
  filled(settings, (name) => {
    const value = valueOf(name)
    if (value === undefined) throw new MissingSecret(name)
    return value
  }) as Values

/** As {@link withSecrets}, but a reference to nothing stays. */
export const withKnownSecrets = (settings: Values, { valueOf }: Pick<Secrets, 'valueOf'>): Values =>
  filled(settings, valueOf) as Values

/** The JSON Pointer of a path (RFC 6901). */
export const pointerOf = (path: readonly PropertyKey[]): string =>
  path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

function filled(value: unknown, valueOf: (name: string) => string | undefined): unknown {
  if (typeof value !== 'object' || value === null) return value
  const name = nameIn(value)
  if (name !== null) return valueOf(name) ?? value
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => filled(item, valueOf))
    return items.some((item, at) => item !== value[at]) ? items : value
  }
  const before = Object.entries(value)
  const after = before.map(([key, item]) => [key, filled(item, valueOf)] as const)
  return after.some(([, item], at) => item !== before[at]?.[1]) ? Object.fromEntries(after) : value
}

function nameIn(value: object): string | null {
  if (!('$secret' in value) || typeof value.$secret !== 'string') return null
  return Object.keys(value).length === 1 ? value.$secret : null
}
