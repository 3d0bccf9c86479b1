/**
 * Dead letters that were delivered again. One that fails once more is the same dead letter with one attempt more, not
 * another one: it is told by its cascade, node and message. What the engine forgets when it stops begins anew.
 * @module
 */
import type { CascadeId, DeadLetter } from '@flow-service/core'

/** What a dead letter keeps when it is delivered again. */
export interface Identity {
  readonly id: string
  readonly attempts: number
}

/** A dead letter on its way to a node. */
type Letter = Identity & Pick<DeadLetter, 'flow' | 'node' | 'message'>

const MAX_REMEMBERED = 10_000

/** Remembers replays until their cascades are over. */
export class ReplayedLetters {
  readonly #letters = new Map<string, Letter>()

  /** A letter is about to be delivered, in that cascade. */
  remember(letter: Letter, cascade: string): void {
    this.#letters.set(cascade, letter)
    const [oldest] = this.#letters.keys()
    if (this.#letters.size > MAX_REMEMBERED && oldest !== undefined) this.#letters.delete(oldest)
  }

  /** Takes what an entry was before, null when it is new. */
  take({ cascade, flow, node, message }: DeadLetter): Identity | null {
    const letter = cascade === null ? undefined : this.#letters.get(cascade)
    if (!letter || cascade === null) return null
    if (letter.flow !== flow || letter.node !== node || letter.message !== message) return null
    this.#letters.delete(cascade)
    return letter
  }

  /** A cascade is over. */
  forget(cascade: CascadeId): void {
    if (this.#letters.size > 0) this.#letters.delete(cascade.id)
  }
}
