/**
 * What a build of modules says: its last lines, for people, without credentials.
 * @module
 */

/** Lines that are kept (wire decision U14). */
const MAX_LINES = 50
const MAX_CHARS = 500

/** The last lines of a build. */
export class BuildLog {
  readonly #mask: (text: string) => string
  #lines: string[] = []

  constructor(mask: (text: string) => string) {
    this.#mask = mask
  }

  /** The latest of them, the oldest first. */
  get lines(): readonly string[] {
    return this.#lines
  }

  /** A line as it may be shown. */
  shown(line: string): string {
    // oxlint-disable-next-line no-control-regex -- what moves cursors and colours is left out
    const plain = line.replaceAll(/\x1b\[[0-9;]*[A-Za-z]/g, '').replaceAll(/[\0-\x08\x0a-\x1f\x7f-\x9f]/g, '')
    return this.#mask(plain.trimEnd().toWellFormed()).slice(0, MAX_CHARS)
  }

  add(line: string): void {
    const shown = this.shown(line)
    if (shown !== '') this.#lines = [...this.#lines, shown].slice(-MAX_LINES)
  }

  /** Forgets what an earlier build has said. */
  begin(): void {
    this.#lines = []
  }
}

/** A function that leaves the credentials of addresses out of texts, whole or percent-decoded. */
export function addressMask(addresses: readonly (string | null)[]): (text: string) => string {
  const hidden = addresses.flatMap((address) => {
    if (address === null) return []
    const { username, password } = new URL(address)
    // a user name beside a password is no secret; alone it is a token
    const credential = password === '' ? username : password
    return credential === '' ? [] : [credential, decoded(credential)]
  })
  return (text) => hidden.reduce((masked, each) => masked.replaceAll(each, '***'), text)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
