/**
 * What nodes of a package keep: texts by key, which outlive flows and engines (wire decisions G51, G65).
 * @module
 */
import { MAX_STORE_KEY_LENGTH, MAX_STORE_KEYS, MAX_STORE_VALUE_BYTES } from '@flow-service/protocol'

import { isSame } from './same-error.ts'

/**
 * Texts by key. All nodes of a package share them, whatever their type, flow or engine. A key has 1 to 200 characters
 * without `/` and white space, a value at most 64 KiB of UTF-8, a package at most 256 keys: what goes beyond rejects with a
 * {@link StoreLimitError}. Each call is committed when it resolves.
 */
export interface ConnectorStore {
  /** Null for a key that is not there. */
  get(key: string): Promise<string | null>
  set(key: string, value: string): Promise<void>
  /** Whether the key was there. */
  delete(key: string): Promise<boolean>
}

/** A key, a value or the number of keys is beyond a limit of the store; nothing was changed. */
export class StoreLimitError extends RangeError {
  override readonly name = 'StoreLimitError'

  static override [Symbol.hasInstance](value: unknown): boolean {
    return isSame(this, StoreLimitError, 'StoreLimitError', value)
  }
}

/** Throws a {@link StoreLimitError} for what is no key. */
export function checkStoreKey(key: unknown): asserts key is string {
  const fault = keyFault(key)
  if (fault !== null) throw new StoreLimitError(`the key ${shown(key)} ${fault}`)
}

/** Throws a {@link StoreLimitError} for what is no value. */
export function checkStoreValue(key: string, value: unknown): asserts value is string {
  if (typeof value !== 'string')
    throw new StoreLimitError(`the value of "${key}" is a ${typeof value}; store a text, such as one of JSON.stringify`)
  // what is half a character does not come back as it was
  if (!value.isWellFormed()) throw new StoreLimitError(`the value of "${key}" holds half a character`)
  if (value.includes('\0')) throw new StoreLimitError(`the value of "${key}" holds a NUL; databases take none`)
  const bytes = new TextEncoder().encode(value).length
  if (bytes > MAX_STORE_VALUE_BYTES)
    throw new StoreLimitError(
      `the value of "${key}" has ${bytes} bytes; at most ${MAX_STORE_VALUE_BYTES} are stored, more belongs into an artifact`,
    )
}

/** The error of a key that would be one too many for its package. */
export const storeIsFull = (key: string): StoreLimitError =>
  new StoreLimitError(`"${key}" would be key ${MAX_STORE_KEYS + 1} of the package; delete others first`)

function keyFault(key: unknown): string | null {
  if (typeof key !== 'string') return `is a ${typeof key}; use a text`
  if (key === '') return 'is empty'
  if (key.length > MAX_STORE_KEY_LENGTH) return `has ${key.length} characters; use at most ${MAX_STORE_KEY_LENGTH}`
  if (!key.isWellFormed()) return 'holds half a character'
  if (key.includes('/')) return 'holds a "/"; use ":" between parts'
  // oxlint-disable-next-line no-control-regex -- no URL and no table shows them
  return /[\s\x00-\x1f\x7f]/u.test(key) ? 'holds white space or a control character; use "-" or ":"' : null
}

const shown = (key: unknown): string => (typeof key === 'string' ? JSON.stringify(key.slice(0, 80)) : String(key))
