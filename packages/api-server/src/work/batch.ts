/**
 * Operations on kept work that share a commit, reduced to what they come to: work that is kept and dropped again leaves
 * nothing to write, and of the notes about a reader the last one counts.
 * @module
 */

import { newId } from '../process/new-id.ts'
import type { Publication } from './owed-values.ts'
import type { Taken, WorkCommit, WorkRow } from './store.ts'

/** What becomes of one piece of work. */
type Change =
  | { readonly is: 'added'; readonly row: WorkRow; readonly takers: Takers }
  | { readonly is: 'changed'; readonly notes: Map<string, Note>; readonly takers: Takers; attempts: number }
  | { readonly is: 'removed' }

/** Readers that are done if what a flow keeps in the same commit is stored, and that flow. */
type Takers = Map<string, string>

/** How far a reader is. */
export type Note = 'begun' | 'ended'

/** Gathers operations until it is written. */
export class WorkBatch {
  readonly #id = newId()
  readonly #changes = new Map<string, Change>()
  /** What is owed of ended arrivals, by flow: JSON texts that share a row. */
  readonly #published = new Map<string, { readonly id: string; readonly texts: string[] }>()
  readonly #recorded: string[] = []
  /** Ended arrivals, and their flow: somebody waits to hear that what they published is stored. */
  readonly #passed = new Map<string, string>()
  readonly #refused = new Map<string, Error>()
  readonly #outcome = Promise.withResolvers<void>()
  /** By the clock of `performance`. */
  readonly openedMs = performance.now()
  /** How many operations were asked for. */
  operations = 0
  /** Characters of JSON that were asked to be kept. */
  length = 0
  /** Whether an attempt to write it has failed: it may be committed all the same (work.W12). */
  mayBeKept = false

  constructor() {
    // whoever waits is told; often nobody does
    this.#outcome.promise.catch(() => {})
  }

  /** Resolves once the batch is committed; rejects when that takes too long. */
  get committed(): Promise<void> {
    return this.#outcome.promise
  }

  /** Whether work of that id can be added: not what is removed by the same commit. */
  takes(id: string): boolean {
    return this.#changes.get(id)?.is !== 'removed'
  }

  /** Resolves once the work, or what it has published, is committed; at the end too when it was dropped otherwise. */
  async keep(row: WorkRow): Promise<void> {
    this.operations++
    this.length += row.body.length
    this.#changes.set(row.id, { is: 'added', row, takers: new Map() })
    try {
      await this.committed
    } catch (error) {
      if (this.#changes.has(row.id) || this.#passed.has(row.id)) throw error
    }
    const refusal = this.#refused.get(row.id)
    if (refusal !== undefined) throw refusal
  }

  /** With `taker`: only if the work is stored that this flow keeps in the same commit. */
  note(id: string, reader: string, note: Note, taker?: string): void {
    this.operations++
    const change = this.#changeOf(id)
    if (change.is === 'removed') return
    if (taker !== undefined) change.takers.set(reader, taker)
    else if (change.is === 'changed') change.notes.set(reader, note)
    else {
      const { row } = change
      row.begun = row.begun.filter((other) => other !== reader)
      row[note] = [...row[note], reader]
    }
  }

  attempt(id: string): void {
    this.operations++
    const change = this.#changeOf(id)
    if (change.is === 'added') change.row.attempts++
    else if (change.is === 'changed') change.attempts++
  }

  /** Work that published something leaves it owed. */
  drop(id: string, published?: Publication): void {
    this.operations++
    if (this.#changes.get(id)?.is === 'added') this.#changes.delete(id)
    else this.#changes.set(id, { is: 'removed' })
    if (published === undefined) return
    this.#passed.set(id, published.flow)
    this.#owe(published)
  }

  /** Rows of values that are owed no more. */
  record(ids: readonly string[]): void {
    this.operations++
    this.#recorded.push(...ids)
  }

  /** What is left to write. */
  commit(): WorkCommit {
    const entries = [...this.#changes]
    return {
      id: this.#id,
      added: entries.flatMap(([, change]) => (change.is === 'added' ? [{ ...change.row, ...takenOf(change) }] : [])),
      changed: entries.flatMap(([id, change]) => {
        if (change.is !== 'changed') return []
        const noted = (wanted: Note) => [...change.notes].flatMap(([reader, note]) => (note === wanted ? [reader] : []))
        const { attempts } = change
        return [{ id, begun: noted('begun'), ended: noted('ended'), attempts, ...takenOf(change) }]
      }),
      removed: entries.flatMap(([id, { is }]) => (is === 'removed' ? [id] : [])),
      published: [...this.#published].map(([flow, { id, texts }]) => ({ id, flow, body: `[${texts.join(',')}]` })),
      recorded: this.#recorded,
    }
  }

  /** Takes work out that cannot be kept; whoever asked for it is told at the end. */
  refuse(id: string, reason: Error): void {
    this.#changes.delete(id)
    this.#refused.set(id, reason)
  }

  /** What ended arrivals of a flow have published cannot be stored; who waits for one is told at the end. How many. */
  lose(flow: string, reason: Error): number {
    const ids = [...this.#passed].flatMap(([id, of]) => (of === flow ? [id] : []))
    for (const id of ids) this.#refused.set(id, reason)
    return ids.length
  }

  done(): void {
    this.#outcome.resolve()
  }

  fail(error: Error): void {
    this.#outcome.reject(error)
  }

  #owe({ flow, text }: Publication): void {
    const row = this.#published.get(flow)
    if (row === undefined) this.#published.set(flow, { id: newId(), texts: [text] })
    else row.texts.push(text)
    this.length += text.length
  }

  #changeOf(id: string): Change {
    const known = this.#changes.get(id)
    if (known !== undefined) return known
    const change: Change = { is: 'changed', notes: new Map(), takers: new Map(), attempts: 0 }
    this.#changes.set(id, change)
    return change
  }
}

const takenOf = ({ takers }: { readonly takers: Takers }): { taken?: readonly Taken[] } =>
  takers.size === 0 ? {} : { taken: [...takers].map(([reader, flow]) => ({ reader, flow })) }
