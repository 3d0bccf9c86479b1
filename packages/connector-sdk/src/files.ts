/**
 * The engine's files directory as nodes reach it, and the names that it has.
 * @module
 */

/** Bytes that a node may read at once, or write at once. */
export const MAX_FILE_READ_BYTES = 10 * 1024 * 1024
/** Bytes at which a file takes no more records. */
export const MAX_FILE_BYTES = 1024 * 1024 * 1024

/**
 * Files below the engine's files directory. A path is relative, with `/` between names; nothing outside the directory is
 * reached, by links neither. Each rejects with a {@link FileError}.
 */
export interface Files {
  /** The bytes of a file: `missing`, or `too_large` beyond {@link MAX_FILE_READ_BYTES}. */
  read(path: string): Promise<Uint8Array>
  /** Replaces a file, or makes it and its folders: who reads meanwhile has the old bytes or the new ones. */
  write(path: string, data: Uint8Array): Promise<void>
  /** Adds to the end of a file, or makes it and its folders: `too_large` when it would pass {@link MAX_FILE_BYTES}. */
  append(path: string, data: Uint8Array): Promise<void>
}

/** A file was not reached; `name` is the type of the failure. */
export class FileError extends Error {
  override readonly name: 'missing' | 'refused' | 'too_large' | 'unusable'
  constructor(name: FileError['name'], message: string) {
    super(message)
    this.name = name
  }
}

const MAX_PATH_BYTES = 1024
const MAX_NAME_BYTES = 255

/** Names of devices on Windows, with or without an extension (Microsoft, "Naming Files, Paths, and Namespaces"). */
const device = /^(con|prn|aux|nul|clock\$|conin\$|conout\$|(com|lpt)[0-9¹²³])\s*(\.|$)/i

const bytesOf = (text: string): number => new TextEncoder().encode(text).length

/**
 * Why a path names no file of the files directory on some system or other, in words that follow the path; null when it
 * does. What looks like a way out in another spelling counts as one: encoded, of full width, with `\`.
 */
export function filePathFault(path: string): string | null {
  if (path === '') return 'is empty'
  if (!path.isWellFormed()) return 'holds half a character'
  if (bytesOf(path) > MAX_PATH_BYTES) return `is longer than ${MAX_PATH_BYTES} bytes`
  return faultOfForm(path) ?? faultOfForm(path.normalize('NFKC'))
}

function faultOfForm(path: string): string | null {
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  if (/[\x00-\x1f\x7f-\x9f\u2028\u2029]/.test(path)) return 'holds a control character'
  if (/%[0-9a-f]{2}/i.test(path)) return 'holds an encoded character such as %2e; write the character itself'
  if (path.includes('\\')) return 'holds a "\\"; use "/" between folders'
  if (path.includes(':')) return 'holds a ":", as drives and addresses do'
  if (path.startsWith('/')) return 'begins at the root; leave out the first "/"'
  if (path.startsWith('~')) return 'begins with "~"; it is relative to the files directory'
  for (const name of path.split('/')) {
    const fault = faultOfName(name)
    if (fault !== null) return fault
  }
  return null
}

function faultOfName(name: string): string | null {
  if (name === '') return 'has an empty name between "/" or at its end'
  if (name === '.' || name === '..') return `has "${name}" in it; name the folders from the files directory on`
  if (/[. ]$/.test(name)) return `has the name "${name}", which ends with a dot or a space`
  if (device.test(name)) return `has the name "${name}", which is a device on Windows`
  return bytesOf(name) > MAX_NAME_BYTES ? `has a name longer than ${MAX_NAME_BYTES} bytes` : null
}
