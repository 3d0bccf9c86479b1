/**
 * Rows of flows as operations need them: found or refused, held while they are changed, and changed together with what
 * their contents refer to.
 * @module
 */
import { ITEMS_A_STEP, type Steps } from '@flow-service/core'
import { artifactRefsIn } from '@flow-service/protocol'

import type { Artifacts } from '../artifacts/artifacts.ts'
import type { Database, Sql } from '../db/database.ts'
import { inTurns } from '../process/turns.ts'
import type { LiveFlows } from './live-flows.ts'
import { noFlow } from './refusals.ts'
import { createFlowStore, type FlowRow, type FlowStore } from './store.ts'

/** What rows take. */
export interface FlowRowsDeps {
  readonly database: Pick<Database, 'sql' | 'transaction'>
  readonly artifacts: Pick<Artifacts, 'addRefs' | 'dropRefs'>
  readonly live: Pick<LiveFlows, 'exclusive'>
}

/** Rows by name; an unknown name is refused with `not_found`. */
export class FlowRows {
  readonly #deps: FlowRowsDeps
  readonly #store: FlowStore

  constructor(deps: FlowRowsDeps) {
    this.#deps = deps
    this.#store = createFlowStore(deps.database.sql)
  }

  async find(name: string): Promise<FlowRow> {
    const row = await this.#store.byName(name)
    if (row) return row
    throw noFlow(name)
  }

  /**
   * Makes a change after every earlier one of the same flow, on its row of that moment. A flow that has lost the name
   * meanwhile is not found: another one that has it now is not what was asked for.
   */
  async exclusively<T>(name: string, change: (row: FlowRow) => Promise<T>): Promise<T> {
    const { id } = await this.find(name)
    return this.#deps.live.exclusive(id, async () => {
      const row = await this.#store.byId(id)
      if (row?.name !== name) throw noFlow(name)
      return change(row)
    })
  }

  /** A change of one row, and of the references of its contents to artifacts, in one transaction. */
  change(write: (tx: Sql) => Promise<FlowRow | null>): Promise<FlowRow | null> {
    return this.#deps.database.transaction(async (tx) => {
      const row = await write(tx)
      if (row) await keepRefs(this.#deps.artifacts, tx, row)
      return row
    })
  }
}

/** Adds what a content refers to, some of its nodes at a time. */
function* digestSteps(content: unknown, found: Set<string>): Steps<void> {
  const take = (value: unknown): void => {
    for (const { digest } of artifactRefsIn(value)) found.add(digest)
  }
  if (typeof content !== 'object' || content === null || !('nodes' in content) || !Array.isArray(content.nodes))
    return take(content)
  take({ ...content, nodes: [] })
  for (let from = 0; from < content.nodes.length; from += ITEMS_A_STEP) {
    take(content.nodes.slice(from, from + ITEMS_A_STEP))
    yield
  }
}

/** The artifacts that contents refer to. */
export async function digestsIn(contents: readonly unknown[]): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  // oxlint-disable-next-line no-await-in-loop -- one content after the other
  for (const content of contents) await inTurns(digestSteps(content, found))
  return found
}

/** What initial values refer to is kept as long as the draft or the published form does. */
export async function keepRefs(artifacts: FlowRowsDeps['artifacts'], tx: Sql, row: FlowRow): Promise<void> {
  const digests = await digestsIn([row.draft, row.published])
  await artifacts.dropRefs(tx, 'flow_input', [row.id])
  if (digests.size > 0) await artifacts.addRefs(tx, 'flow_input', row.id, [...digests])
}
