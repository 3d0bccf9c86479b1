/**
 * Failure markers of live nodes (wire decisions G18, G27): in memory for everyone who reads them, behind it in the database.
 *
 * - markers.M1 a change is readable at once, and written within {@link LAG_MS}: the last state of each node that has
 *   changed, in one commit. So a node writes one row in that time, however often it fails.
 * - markers.M2 a failure that says the same as the one before is no change; the database keeps the time of the first.
 * - markers.M3 one write is under way at a time; what could not be written waits again.
 * @module
 */
import { type FailureMarker, type MarkerHost, MemoryMarkers } from '@flow-service/core'

import type { Database } from '../db/database.ts'
import type { Log } from '../process/log.ts'
import { createMarkerStore, type MarkerRow, type MarkerStore, type NodePlace } from './marker-store.ts'

/** How far the database may lag behind, in milliseconds. */
const LAG_MS = 500

/** What markers are made of. */
export interface MarkersDeps {
  readonly database: Pick<Database, 'sql' | 'transaction'>
  readonly log: Pick<Log, 'error'>
  readonly seals: {
    sealed(place: string, text: string): string
    unseal(place: string, stored: string): string | null
  }
}

/** Hears of every failure of a node that runs here, also of one that says the same as the one before. Must not block. */
export type MarkerListener = (flow: string, node: string, marker: FailureMarker) => void

/** Where digests of contents are sealed for. */
const SEALED_FOR = 'failure_marker'

/** Reads the markers that the database holds and goes on from them. */
export async function openMarkers(deps: MarkersDeps): Promise<Markers> {
  const markers = new Markers(deps)
  await markers.load()
  return markers
}

/** Failure markers of all flows; made by {@link openMarkers}. */
export class Markers implements MarkerHost {
  readonly #deps: MarkersDeps
  readonly #store: MarkerStore
  readonly #memory = new MemoryMarkers()
  readonly #listeners = new Set<MarkerListener>()
  /** Nodes whose marker is not what the database holds. */
  #changed = new Map<string, NodePlace>()
  #timer: NodeJS.Timeout | null = null
  /** The latest write; it never rejects. */
  #writing: Promise<unknown> = Promise.resolve()
  #isFailing = false

  constructor(deps: MarkersDeps) {
    this.#deps = deps
    this.#store = createMarkerStore(deps.database.sql)
  }

  /** Reads what the database holds; called before a flow starts. */
  async load(): Promise<void> {
    this.#take(await this.#store.list(null))
  }

  /** Takes over what other engines have written of these flows, in place of what is known of them. */
  async reread(flows: readonly string[]): Promise<void> {
    await this.written()
    const rows = await this.#store.list([...flows])
    for (const flow of flows) this.#memory.forget(flow)
    this.#take(rows)
  }

  of(flow: string): ReadonlyMap<string, FailureMarker> {
    return this.#memory.of(flow)
  }

  set(flow: string, node: string, marker: FailureMarker): void {
    const before = this.#memory.of(flow).get(node)
    this.#memory.set(flow, node, marker)
    if (before === undefined || !isSame(before, marker)) this.#change({ flow, node })
    for (const listener of this.#listeners) listener(flow, node, marker)
  }

  /** Calls back whenever a marker is set; the result ends that. */
  onSet(listener: MarkerListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  clear(flow: string, node: string): void {
    if (!this.#memory.of(flow).has(node)) return
    this.#memory.clear(flow, node)
    this.#change({ flow, node })
  }

  /** Resolves when all changes so far are committed; rejects when they could not be. */
  written(): Promise<void> {
    const written = this.#writing.then(() => this.#write())
    this.#writing = written.catch(() => {})
    return written
  }

  /** Drops what memory holds of a flow, written or not. */
  forget(flow: string): void {
    this.#memory.forget(flow)
    this.#changed = new Map([...this.#changed].filter(([, place]) => place.flow !== flow))
  }

  /** Gives the markers of a flow its new name in memory; all of them are written. */
  follow({ from, to }: { readonly from: string; readonly to: string }): void {
    for (const [node, marker] of this.#memory.of(from)) this.#memory.set(to, node, marker)
    this.forget(from)
  }

  /** Writes what waits and stops. */
  async close(): Promise<void> {
    await this.#writeBehind()
    if (this.#timer !== null) clearTimeout(this.#timer)
  }

  #take(rows: readonly MarkerRow[]): void {
    for (const { flow, node, content, ...error } of rows) {
      // one that does not open counts for no node, and is cleared by the next start
      this.#memory.set(flow, node, { error, content: this.#deps.seals.unseal(SEALED_FOR, content) ?? '' })
    }
  }

  #change(place: NodePlace): void {
    this.#changed.set(`${place.flow}/${place.node}`, place)
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      void this.#writeBehind()
    }, LAG_MS).unref()
  }

  async #writeBehind(): Promise<void> {
    try {
      await this.written()
      this.#isFailing = false
    } catch (error) {
      if (!this.#isFailing) this.#deps.log.error({ err: error }, 'failure markers could not be written; they wait')
      this.#isFailing = true
    }
  }

  async #write(): Promise<void> {
    const places = [...this.#changed.values()]
    if (places.length === 0) return
    this.#changed.clear()
    try {
      const rows = places.flatMap((place) => this.#rowOf(place))
      const cleared = places.filter(({ flow, node }) => !this.#memory.of(flow).has(node))
      await this.#deps.database.transaction(async (tx) => {
        await this.#store.put(tx, rows)
        await this.#store.remove(tx, cleared)
      })
    } catch (error) {
      for (const place of places) this.#change(place)
      throw error
    }
  }

  #rowOf({ flow, node }: NodePlace): MarkerRow[] {
    const marker = this.#memory.of(flow).get(node)
    if (marker === undefined) return []
    return [{ flow, node, ...marker.error, content: this.#deps.seals.sealed(SEALED_FOR, marker.content) }]
  }
}

const isSame = ({ error, content }: FailureMarker, other: FailureMarker): boolean =>
  error.type === other.error.type && error.message === other.error.message && content === other.content
