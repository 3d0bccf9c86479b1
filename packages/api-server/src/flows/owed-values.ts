/**
 * Values that durable arrivals have published and that the database does not hold as last value and history yet. They are
 * stored beside kept work, one row a commit and flow, from the end of their work until they are written behind (G79): an
 * arrival whose executions are over in the moment in which it would be kept costs a few bytes of such a row.
 *
 * A row is *stored*, *owed* while its values wait to be written behind, and *recorded*, when it may go.
 * @module
 */
import type { Published, ValueSource } from '@flow-service/core'
import { flowPart, type Json, messagePart } from '@flow-service/protocol'

import type { WorkRow } from './work-store.ts'

/** What one arrival has published: JSON texts are put together, none is read. */
export interface Publication {
  readonly flow: string
  /** A {@link StoredPublication} as JSON. */
  readonly text: string
}

/** The node, what its ports publish, and the body of the arrival. */
type StoredPublication = readonly [
  node: string,
  /** Messages by port; those of the flow itself without its name, which may change. */
  messages: Readonly<Record<string, string>>,
  body: { readonly values: Readonly<Record<string, Json>>; readonly atMs: number },
]

/** A value as it was published. */
export interface OwedValue {
  readonly source: ValueSource
  readonly value: Json
  readonly atMs: number
}

/** What an arrival publishes; `row` is how it is kept. */
export function publicationOf({ flow, node, body }: WorkRow, outputs: readonly Published[]): Publication {
  const messages = Object.fromEntries(
    outputs.map(({ port, message }) => [port, flowPart(message) === flow ? messagePart(message) : message]),
  )
  return { flow, text: `[${JSON.stringify(node)},${JSON.stringify(messages)},${body}]` }
}

/** The values of a row, under the name that the flow has now. */
export function owedValuesOf(flow: string, body: string): OwedValue[] {
  const publications = JSON.parse(body) as StoredPublication[]
  return publications.flatMap(([node, messages, { values, atMs }]) =>
    Object.entries(messages).map(([port, name]) => {
      const message = name.includes('.') ? name : `${flow}.${name}`
      return { source: { message, flow, node, port, again: true }, value: values[port] ?? null, atMs }
    }),
  )
}

/** Lets rows go when their values are recorded. */
export class OwedRows {
  readonly #recorded: () => Promise<unknown>
  readonly #letGo: (ids: readonly string[]) => void
  #ids: string[] = []
  #isWaiting = false

  /** `recorded` resolves when all values that were published before are written. */
  constructor(recorded: () => Promise<unknown>, letGo: (ids: readonly string[]) => void) {
    this.#recorded = recorded
    this.#letGo = letGo
  }

  add(ids: readonly string[]): void {
    this.#ids.push(...ids)
    if (!this.#isWaiting) void this.#wait()
  }

  async #wait(): Promise<void> {
    this.#isWaiting = true
    while (this.#ids.length > 0) {
      const ids = this.#ids.splice(0)
      // oxlint-disable-next-line no-await-in-loop -- what comes meanwhile waits for the next time
      await this.#recorded()
      this.#letGo(ids)
    }
    this.#isWaiting = false
  }
}
