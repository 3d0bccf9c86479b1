/** Commits of durable arrivals as a live flow makes them, for what measures them. */
import type { Sql } from '../../src/db/database.ts'
import { newId } from '../../src/process/new-id.ts'
import { createWorkStore, rowOf } from '../../src/work/store.ts'

const nothing = { added: [], changed: [], removed: [], published: [], recorded: [] }

/** Of one flow, which has the place of a lease. */
export class FencedCommits {
  readonly lease = newId()
  readonly #sql: Sql
  readonly #flow: string

  constructor(sql: Sql, flow: string) {
    this.#sql = sql
    this.#flow = flow
  }

  async open(): Promise<void> {
    await this.#sql`
      insert into placement (flow, lease) select id, ${this.lease}::uuid from flow where name = ${this.#flow}
      on conflict (flow) do update set lease = excluded.lease`
  }

  /** Keeps so many arrivals, under the lease or unchecked, and drops them; how long keeping took, in milliseconds. */
  async commit(size: number, isFenced: boolean): Promise<number> {
    const store = createWorkStore(this.#sql)
    const lease = isFenced ? this.lease : null
    const added = Array.from({ length: size }, () => this.#arrival())
    const begunMs = performance.now()
    const { unstored } = await store.write({ ...nothing, id: newId(), added }, lease)
    const tookMs = performance.now() - begunMs
    if (unstored.length > 0) throw new Error(`${unstored.length} of ${size} arrivals were not stored`)
    await store.write({ ...nothing, id: newId(), removed: added.map(({ id }) => id) }, lease)
    return tookMs
  }

  #arrival() {
    return rowOf({
      id: newId(),
      flow: this.#flow,
      node: 'hook',
      body: { is: 'arrival', values: { temp: 31.5 } },
      cascade: newId(),
      origin: { kind: 'webhook' },
      attempts: 0,
      begun: [],
      ended: [],
    } as never)
  }
}
