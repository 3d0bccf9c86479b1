/**
 * The store of an engine's artifacts, as far as a worker may reach it itself (wire decision U24): by addresses that the
 * engine signs, for bytes that then do not pass through the engine. An engine that has no such store just answers.
 * Nothing of the worker's token goes there, and nothing in the clear over a network (agent.H3 in DESIGN.md).
 * @module
 */
import { isLoopback } from '../addresses.ts'

/** Milliseconds for which a store that failed is left alone. */
const AVOIDED_MS = 300_000

/** What is known of the engine of a store. */
export interface DirectStoreDeps {
  /** An address of the engine. */
  readonly engine: URL
  /** The person in charge has allowed connections in the clear. */
  readonly insecure: boolean
  /** Hears once why bytes go through the engine although it has named another way. */
  readonly onProblem: (text: string) => void
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number
}

/** Whether bytes may be fetched from, and brought to, the store itself. */
export class DirectStore {
  readonly #deps: DirectStoreDeps
  #avoidedUntil = Number.NEGATIVE_INFINITY
  #complained = false

  constructor(deps: DirectStoreDeps) {
    this.#deps = deps
  }

  /** Whether it is worth asking the engine for an address. */
  get isOpen(): boolean {
    return this.#deps.now() >= this.#avoidedUntil
  }

  /** An address that the engine has named, if a request may go there; else the store is left alone for a while. */
  target(location: string | undefined): URL | null {
    const url = URL.parse(location ?? '')
    const why = url ? this.#objectionTo(url) : 'it names no address'
    if (why === null) return url
    this.avoid(why)
    return null
  }

  /** Bytes go through the engine for a while. */
  avoid(why: string): void {
    this.#avoidedUntil = this.#deps.now() + AVOIDED_MS
    if (this.#complained) return
    this.#complained = true
    this.#deps.onProblem(`artifacts go through the engine, and not straight to its store: ${why}`)
  }

  #objectionTo({ protocol, username, password, origin, hostname }: URL): string | null {
    const { engine, insecure } = this.#deps
    if (origin === engine.origin) return 'it names itself'
    if (username !== '' || password !== '') return 'it names an address with a password'
    if (protocol === 'https:') return null
    if (protocol !== 'http:') return `it names an address of ${protocol}`
    if (insecure || isLoopback(hostname)) return null
    return `${origin} would carry them in the clear; start the worker with --insecure where the network is trusted`
  }
}
