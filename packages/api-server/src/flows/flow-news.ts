/**
 * Changes of flows that other engines of the database make, and who runs which: what this engine has of a flow in memory
 * follows its row. A notice says that something has changed, not what; every row is looked at then.
 *
 * - flow-news.N1 rows are looked at {@link PACE_MS} after a notice, and every {@link PATIENCE_MS} without any: a notice
 *   that was lost costs that time.
 * - flow-news.N2 marks are read before anything else is read of flows: what changes between an engine's opening and its
 *   first look is found by that.
 * - flow-news.N3 one look at a time, which waits for no flow; one that could not be followed is looked at again.
 * - flow-news.N4 on the embedded database nobody else changes flows, and nothing is looked at.
 * - flow-news.N5 a flow is between two engines when the one that had it has left it a moment ago, or has been lost.
 * - flow-news.N6 a flow that another engine has, and that runs here all the same, is told with each look.
 * @module
 */
import type { Clock } from '@flow-service/core'

import type { Database } from '../db/database.ts'
import type { Log } from '../process/log.ts'
import { createFlowStore, type FlowMark } from './store.ts'

const CHANNELS = ['flows_changed', 'placement_changed']
const PACE_MS = 50
const PATIENCE_MS = 30_000

/** What the news of flows are made of. */
export interface FlowNewsDeps {
  readonly database: Pick<Database, 'backend' | 'sql' | 'listen'>
  readonly clock: Clock
  readonly log: Pick<Log, 'error'>
}

/** Hears of flows that have changed, whoever did it. */
export interface FlowListener {
  /** Names of the flows that it has in memory. */
  known(): readonly string[]
  /** Whether a flow runs here that another engine has. */
  isAstray(mark: FlowMark): boolean
  /** The row is another one than it was when it was looked at last; null: it was not there. */
  changed(mark: FlowMark, before: FlowMark | null): Promise<void>
  /** There is no flow of the id any more. */
  gone(mark: FlowMark): Promise<void>
}

/** The news of flows; made by {@link openFlowNews}. */
export class FlowNews {
  readonly #deps: FlowNewsDeps
  readonly #marks = new Map<string, FlowMark>()
  /** The living engines that run flows, by the flow's name. */
  readonly #engines = new Map<string, string>()
  /** Names of the flows that are between two engines. */
  readonly #between = new Set<string>()
  readonly #placeListeners = new Set<() => void>()
  #listener: FlowListener | null = null
  #cancel: () => void = () => {}
  /** The latest look. */
  #looking: Promise<void> = Promise.resolve()
  /** What listeners are told and have not followed yet. */
  readonly #told = new Set<Promise<void>>()
  #unlisten: readonly (() => Promise<void>)[] | null = null
  /** Whether the next look comes soon. */
  #isDue = false
  #isClosed = false

  constructor(deps: FlowNewsDeps) {
    this.#deps = deps
  }

  /** Listens, and reads how flows are now. */
  async open(): Promise<void> {
    const look = (): void => this.look()
    this.#unlisten = await Promise.all(CHANNELS.map((channel) => this.#deps.database.listen(channel, look, look)))
    const marks = await this.#read()
    for (const mark of marks) this.#marks.set(mark.id, mark)
    this.#place(marks)
  }

  /** Tells of what has changed since the opening, and from now on. */
  begin(listener: FlowListener): void {
    if (this.#unlisten === null) return
    this.#listener = listener
    this.#wait(0)
  }

  /** The living engine that ran a flow at the last look. */
  engineOf(name: string): string | null {
    return this.#engines.get(name) ?? null
  }

  /** Whether a flow was on its way from one engine to another at the last look. */
  isBetween(name: string): boolean {
    return this.#between.has(name)
  }

  /** Resolves when it is known who runs a flow now. */
  async freshOf(name: string): Promise<void> {
    const [mark] = await createFlowStore(this.#deps.database.sql).marks(name)
    this.#engines.delete(name)
    this.#between.delete(name)
    if (mark) this.#settle(mark)
  }

  /** Calls back after each look at who runs which flow; the result ends that. */
  onPlaces(listener: () => void): () => void {
    this.#placeListeners.add(listener)
    return () => void this.#placeListeners.delete(listener)
  }

  /** Rows are looked at soon. */
  look(): void {
    if (this.#listener === null || this.#isDue || this.#isClosed) return
    this.#isDue = true
    this.#cancel()
    this.#wait(PACE_MS)
  }

  /** Resolves when nothing is told any more. */
  async end(): Promise<void> {
    this.#isClosed = true
    this.#cancel()
    await this.#looking
    await Promise.all(this.#told)
  }

  async close(): Promise<void> {
    await this.end()
    await Promise.all((this.#unlisten ?? []).map((end) => end()))
  }

  #wait(delayMs: number): void {
    this.#cancel = this.#deps.clock.setTimer(delayMs, () => {
      this.#isDue = false
      this.#looking = this.#looking.then(() => this.#compare())
      void this.#looking.then(() => {
        if (this.#isDue || this.#isClosed) return
        this.#cancel()
        this.#wait(PATIENCE_MS)
      })
    })
  }

  #read(): Promise<FlowMark[]> {
    return createFlowStore(this.#deps.database.sql).marks()
  }

  async #compare(): Promise<void> {
    try {
      const read = await this.#read()
      this.#place(read)
      const marks = new Map(read.map((mark) => [mark.id, mark]))
      for (const before of [...this.#marks.values(), ...this.#unmarked(marks)]) {
        if (!marks.has(before.id)) this.#tell(before, null, (listener) => listener.gone(before))
      }
      for (const mark of marks.values()) {
        const before = this.#marks.get(mark.id) ?? null
        if (isOther(mark, before) || this.#listener?.isAstray(mark) === true)
          this.#tell(before, mark, (listener) => listener.changed(mark, before))
      }
    } catch (error) {
      this.#deps.log.error({ err: error }, 'flows that other engines have changed could not be read; they are again')
    }
  }

  /** Notes who runs which flow. */
  #place(marks: readonly FlowMark[]): void {
    this.#engines.clear()
    this.#between.clear()
    for (const mark of marks) this.#settle(mark)
    for (const listener of this.#placeListeners) listener()
  }

  #settle({ name, at, between }: FlowMark): void {
    if (at !== null) this.#engines.set(name, at)
    if (between) this.#between.add(name)
  }

  /** Flows that this engine knows and that have come and gone between two looks. */
  #unmarked(marks: ReadonlyMap<string, FlowMark>): FlowMark[] {
    const marked = new Set([...this.#marks.values(), ...marks.values()].map(({ name }) => name))
    const known = this.#listener?.known() ?? []
    return known.flatMap((name) =>
      marked.has(name) ? [] : [{ id: name, name, written: '', wished: 'stopped', at: null, between: false } as const],
    )
  }

  /** Does not wait: a change of this engine may hold one of the flows for long. */
  #tell(before: FlowMark | null, mark: FlowMark | null, follow: (listener: FlowListener) => Promise<void>): void {
    const listener = this.#listener
    const id = (mark ?? before)?.id
    if (listener === null || id === undefined) return
    this.#mark(id, mark)
    const told = follow(listener)
      .catch((error: unknown) => {
        // the next look finds it changed once more
        this.#mark(id, before)
        const flow = (mark ?? before)?.name
        this.#deps.log.error({ err: error, flow }, 'a flow that another engine has changed could not be followed yet')
      })
      .finally(() => this.#told.delete(told))
    this.#told.add(told)
  }

  #mark(id: string, mark: FlowMark | null): void {
    if (mark === null) this.#marks.delete(id)
    else this.#marks.set(id, mark)
  }
}

/** The news of a database's flows, from now on. */
export async function openFlowNews(deps: FlowNewsDeps): Promise<FlowNews> {
  const news = new FlowNews(deps)
  if (deps.database.backend === 'server') await news.open()
  return news
}

const isOther = (mark: FlowMark, before: FlowMark | null): boolean =>
  before === null || mark.written !== before.written || mark.at !== before.at
