/**
 * Values that durable arrivals have published and that the database does not hold as last value and history yet. They are
 * stored beside kept work, one row a commit and flow, from the end of their work until they are written behind (G79): an
 * arrival whose executions are over in the moment in which it would be kept costs a few bytes of such a row.
 *
 * A row is *stored*, *owed* while its values wait to be written behind, and *recorded*, when it may go.
 * @module
 */
import type { ValueSource, WorkBody } from '@flow-service/core'

import type { WorkRow } from './store.ts'

/** What one arrival has published: JSON texts are put together, none is read. */
export interface Publication {
  readonly flow: string
  /** The node and the body of the arrival, as JSON. */
  readonly text: string
}

type Arrival = Extract<WorkBody, { is: 'arrival' }>

/** A value as it was published. */
export interface OwedValue {
  readonly source: ValueSource
  readonly value: unknown
  readonly atMs: number
}

/** What an arrival publishes; `row` is how it is kept. */
export const publicationOf = ({ flow, node, body }: WorkRow): Publication => ({
  flow,
  text: `[${JSON.stringify(node)},${body}]`,
})

/** The values of a row of publications, under the name that the flow has now. */
export const owedValuesOf = (flow: string, body: string): OwedValue[] =>
  (JSON.parse(body) as [node: string, arrival: Arrival][]).flatMap(([node, arrival]) => valuesOf(flow, node, arrival))

/** The values of kept work; none unless it is an arrival. */
export function arrivedValuesOf({ flow, node, body }: Pick<WorkRow, 'flow' | 'node' | 'body'>): OwedValue[] {
  const work = JSON.parse(body) as WorkBody
  return work.is === 'arrival' ? valuesOf(flow, node, work) : []
}

const valuesOf = (flow: string, node: string, { atMs, messages, values }: Arrival): OwedValue[] =>
  Object.entries(messages).map(([port, name]) => {
    const message = name.includes('.') ? name : `${flow}.${name}`
    return { source: { message, flow, node, port }, value: values[port] ?? null, atMs }
  })

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
