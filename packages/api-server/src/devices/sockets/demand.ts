/**
 * Who wants what devices send only on demand: viewers who ask for the pictures of a message, and nodes of running flows that
 * read it (G45). Asked by the sockets of devices whenever viewers, flows or wiring change.
 *
 * - demand.D1 a wish counts from the moment it is there, and {@link LINGER_MS} longer than it is: somebody who looks again
 *   starts no camera anew.
 * - demand.D2 `onChange` is called after each change of what is wanted, and only then.
 * @module
 */
import type { Clock } from '@flow-service/core'

/** How long a demand outlives the last wish, in milliseconds. */
const LINGER_MS = 5_000

/** What wishes are read from. */
export interface DemandDeps {
  /** The messages whose pictures some viewer asks for. */
  readonly viewed: () => ReadonlySet<string>
  /** Whether a node of a running flow reads a message. */
  readonly isRead: (message: string) => boolean
  readonly clock: Pick<Clock, 'setTimer'>
  /** What is wanted has changed. */
  readonly onChange: () => void
}

/** The demand for messages that somebody keeps an eye on. */
export class Demand {
  readonly #deps: DemandDeps
  /** What is wanted, with the timer of what nobody wishes for any more. */
  readonly #wanted = new Map<string, (() => void) | null>()
  #watched: ReadonlySet<string> = new Set()

  constructor(deps: DemandDeps) {
    this.#deps = deps
  }

  /** Keeps an eye on these messages alone: those that connected devices send on demand. Tells nobody of a change. */
  watch(messages: ReadonlySet<string>): void {
    this.#watched = messages
    for (const [message, cancel] of this.#wanted) {
      if (messages.has(message)) continue
      cancel?.()
      this.#wanted.delete(message)
    }
    this.#look()
  }

  /** Whether somebody wants a message that is watched. */
  wants(message: string): boolean {
    return this.#wanted.has(message)
  }

  /** Looks at all wishes anew. */
  review(): void {
    if (this.#look()) this.#deps.onChange()
  }

  /** Forgets everything. */
  close(): void {
    this.watch(new Set())
  }

  /** Whether something is wanted that was not. */
  #look(): boolean {
    if (this.#watched.size === 0) return false
    const viewed = this.#deps.viewed()
    let isNew = false
    for (const message of this.#watched) {
      const ending = this.#wanted.get(message)
      if (viewed.has(message) || this.#deps.isRead(message)) {
        ending?.()
        isNew ||= ending === undefined
        this.#wanted.set(message, null)
      } else if (ending === null)
        this.#wanted.set(
          message,
          this.#deps.clock.setTimer(LINGER_MS, () => this.#end(message)),
        )
    }
    return isNew
  }

  #end(message: string): void {
    this.#wanted.delete(message)
    this.#deps.onChange()
  }
}
