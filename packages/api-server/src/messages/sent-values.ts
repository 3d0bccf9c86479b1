/**
 * Values that come again because nobody has heard whether they were stored: the answer of a commit may be lost. They are
 * told by their times, which strictly grow for one message, so none that is new is as old as one that was sent before.
 * Only those that come again are looked up.
 * @module
 */
import { flowPart, messagePart } from '@flow-service/protocol'

import type { Sql } from '../db/database.ts'
import type { PastValue } from './recent-values.ts'
import type { MessageStore, PastValueKey } from './store.ts'

/** Values of one message in order; a transaction writes them all or none. */
export interface Batch {
  readonly message: string
  readonly values: readonly PastValue[]
}

/** What one engine has sent to the database. */
export class SentValues {
  /** The newest time of each message. It never shrinks: a transaction may still be undone. */
  readonly #newest = new Map<string, number>()
  readonly #store: Pick<MessageStore, 'stored'>

  constructor(store: Pick<MessageStore, 'stored'>) {
    this.#store = store
  }

  /** Leaves out what is stored, and notes the rest as sent. */
  async unstored(tx: Sql, batches: readonly Batch[]): Promise<readonly Batch[]> {
    const again = batches.flatMap(({ message, values }) => {
      const newest = this.#newest.get(message) ?? 0
      return values.flatMap(({ us }) => (us <= newest ? [{ message, us }] : []))
    })
    for (const { message, values } of batches) {
      const before = this.#newest.get(message) ?? 0
      this.#newest.set(
        message,
        values.reduce((newest, { us }) => Math.max(newest, us), before),
      )
    }
    if (again.length === 0) return batches
    const stored = new Set((await this.#store.stored(tx, again)).map(keyOf))
    return batches.flatMap(({ message, values }) => {
      const rest = values.filter(({ us }) => !stored.has(keyOf({ message, us })))
      return rest.length > 0 ? [{ message, values: rest }] : []
    })
  }

  /** The messages of a flow have got another flow's name. */
  follow({ from, to }: { readonly from: string; readonly to: string }): void {
    const underOld = [...this.#newest].filter(([message]) => flowPart(message) === from)
    for (const [message, us] of underOld) this.#newest.set(`${to}.${messagePart(message)}`, us)
  }
}

const keyOf = ({ message, us }: PastValueKey): string => `${message}#${us}`
