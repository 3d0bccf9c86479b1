/**
 * What of an executing run outlives its engine: which calls workers have, how far what they said is stored, and how nodes
 * have ended. It goes with the writes of the run's recorder.
 *
 * - kept-record.K1 an execution has a row before it begins; the commit that has its end takes the row away.
 * - kept-record.K2 a position moves in the turn in which its frame is observed: a write has both or neither.
 * - kept-record.K3 what holds the value of a secret, or was refused by the database, ends the keeping and not the run: from
 *   then on the run ends with its engine.
 */
import type { BatchEvent } from '@flow-service/core'

import type { CallBook, CallPlace } from '../workers/run-calls.ts'
import { type CallPosition, type CallState, droppedWrite, type KeptCallRow, type KeptWrite } from './kept-store.ts'
import type { Written } from './run-writes.ts'

/** What a kept record needs of the recorder of its run. */
export interface KeptRecordDeps {
  /** Writes soon. */
  readonly flush: () => Promise<void>
  /** How often a node may be tried. */
  readonly attemptsOf: (node: string) => number
  /** All of a call is stored, or nobody's: it may be forgotten. */
  readonly onOver: (call: string) => void
  /** What the run has read of other flows before anything executed; null when that is stored. */
  readonly read: (() => Record<string, unknown>) | null
  /** Of a run that goes on: the calls that workers may have, and how many nodes have ended. */
  readonly calls: readonly KeptCallRow[]
  readonly ended: number
}

/** An execution, which has a call unless it is in this engine. */
export interface Begun {
  readonly call: string
  readonly node: string
  readonly attempt: number
}

interface Entry extends Begun {
  readonly place: CallPlace | null
  seq: number
  part: number
  emitted: Record<string, unknown>
  startMs: number | null
  /** Counts what there is to store, and what is stored. */
  news: number
  stored: number
  /** Its row is still to be written. */
  isNew: boolean
  /** Its worker has said its last word. */
  isEnding: boolean
  /** Something of it came when nothing was taken in any more. */
  isCut: boolean
  readonly begun: PromiseWithResolvers<void>
  /** Somebody waits for this much of it to be stored. */
  waiting: (PromiseWithResolvers<void> & { until: number }) | null
}

type NodeEvent = Extract<BatchEvent, { kind: 'node' }>
type AttemptEvent = Extract<BatchEvent, { kind: 'attempt' }>

/** The kept part of one run's record. */
export class KeptRecord {
  readonly #deps: KeptRecordDeps
  readonly #entries = new Map<string, Entry>()
  /** Those that have ended, until that is stored. */
  readonly #over = new Map<string, Entry>()
  /** What executes of each node. */
  readonly #ofNode = new Map<string, Entry>()
  #state: 'kept' | 'dropping' | 'dropped' = 'kept'
  #isRead: boolean
  #isFrozen = false
  #ended: KeptWrite['ended'][number][] = []
  #place: number
  /** What is being written. */
  #writing: { readonly entries: readonly (readonly [Entry, number])[]; readonly over: readonly Entry[] } | null = null

  constructor(deps: KeptRecordDeps) {
    this.#deps = deps
    this.#place = deps.ended
    this.#isRead = deps.read === null
    for (const { call, node, attempt, seq, part, state, place } of deps.calls) {
      this.#enter({ call, node, attempt, place, seq, part, ...state, isNew: false })
    }
  }

  /** Whether everything that executes of the run is with workers: another engine can go on with it. */
  get goesOn(): boolean {
    return this.#state === 'kept' && [...this.#entries.values()].every(({ place, isNew }) => place !== null || isNew)
  }

  /** Whether there is something to write. */
  get hasNews(): boolean {
    if (this.#state !== 'kept') return this.#state === 'dropping'
    return this.#over.size + this.#ended.length > 0 || this.#withNews().length > 0
  }

  /** Takes in nothing more: what comes is not stored, and not safe. */
  freeze(): void {
    this.#isFrozen = true
  }

  /** Keeps the run no more (kept-record.K3). */
  giveUp(): void {
    if (this.#state === 'kept') this.#state = 'dropping'
  }

  /** A worker is to execute something, or this engine is: settles when that is stored, rejects when it may not begin. */
  begin(begun: Begun, place: CallPlace | null): Promise<void> {
    if (this.#isFrozen) return Promise.reject(new Error(gone))
    if (this.#state !== 'kept') return Promise.resolve()
    const before = this.#entries.get(begun.call)
    const fresh = { place, seq: 0, part: 0, emitted: {}, startMs: null }
    const entry = this.#enter({ ...begun, ...fresh, isNew: true })
    if (before) settle(before)
    void this.#deps.flush()
    return entry.begun.promise
  }

  /** What is told of a call on its way. */
  bookOf(call: Begun): CallBook {
    const entry = (): Entry | undefined => this.#entries.get(call.call)
    return {
      begin: (place) => this.begin(call, place),
      applied: (seq) => {
        const known = entry()
        if (known) this.#moved(known, { seq, part: 0 })
      },
      ended: () => void Object.assign(entry() ?? {}, { isEnding: true }),
      givenBack: () => {
        const known = entry()
        if (!known) return
        known.isEnding = false
        settle(known)
      },
      safe: () => this.#safe(call.call),
    }
  }

  /** An emission of a call was observed: one more of the frame after the last that is applied. */
  emitted(call: string): void {
    const entry = this.#entries.get(call)
    if (entry) this.#moved(entry, { seq: entry.seq, part: entry.part + 1 })
  }

  /** Takes in what happened, and whether it holds the value of a secret. */
  observe(event: BatchEvent, hasSecret: boolean): void {
    if (this.#state !== 'kept') return
    const entry = this.#ofNode.get(event.node)
    switch (event.kind) {
      case 'node':
        this.#node(event, hasSecret)
        break
      case 'emit':
        if (hasSecret) this.giveUp()
        else if (entry) entry.emitted = { ...entry.emitted, [event.port]: event.value }
        break
      case 'attempt':
        this.#attempt(event)
        break
      case 'artifact':
      case 'log':
    }
  }

  /** What there is to write; the run's end is the end of what is kept. `written` is to be called with what becomes of it. */
  drain(isEnd: boolean): KeptWrite | null {
    if (this.#state === 'dropped') return null
    if (isEnd || this.#state === 'dropping') {
      this.#state = 'dropped'
      return droppedWrite
    }
    if (!this.hasNews) return null
    const news = this.#withNews()
    const over = [...this.#over.values()]
    this.#writing = { entries: news.map((entry) => [entry, entry.news]), over }
    const write: KeptWrite = {
      read: this.#isRead ? null : (this.#deps.read?.() ?? null),
      begun: news
        .filter(({ isNew }) => isNew)
        .map((entry) => ({ ...namesOf(entry), place: entry.place, state: stateOf(entry) })),
      moved: news
        .filter(({ isNew }) => !isNew)
        .map((entry) => ({ call: entry.call, seq: entry.seq, part: entry.part, state: stateOf(entry) })),
      over: over.map(({ call }) => call),
      ended: this.#ended,
      dropped: false,
    }
    this.#isRead = true
    this.#ended = []
    for (const entry of news) entry.isNew = false
    return write
  }

  /** What was drained is in the database, or never will be. */
  written(written: Written): void {
    if (written === 'lost') return this.close()
    if (written === 'stopped') return this.#refuse()
    if (written === 'reduced') this.#state = 'dropped'
    if (this.#state === 'dropped') return this.#settleAll()
    const { entries = [], over = [] } = this.#writing ?? {}
    this.#writing = null
    for (const [entry, news] of entries) {
      entry.stored = news
      entry.begun.resolve()
      if (entry.waiting && entry.stored >= entry.waiting.until && !isUnstored(entry)) settle(entry)
    }
    for (const entry of over) this.#forget(entry)
  }

  /** The run is another engine's, or nobody's: nothing begins, and frames of it are nobody's any more. */
  close(): void {
    this.#state = 'dropped'
    this.#isFrozen = true
    this.#refuse()
    this.#settleAll()
  }

  #refuse(): void {
    for (const { begun } of this.#entries.values()) begun.reject(new Error(gone))
  }

  #settleAll(): void {
    for (const entry of [...this.#entries.values(), ...this.#over.values()]) {
      entry.begun.resolve()
      this.#forget(entry)
    }
  }

  #forget(entry: Entry): void {
    this.#over.delete(entry.call)
    settle(entry)
    this.#deps.onOver(entry.call)
  }

  #safe(call: string): Promise<void> | undefined {
    const entry = this.#entries.get(call) ?? this.#over.get(call)
    if (this.#state !== 'kept' || entry === undefined) return undefined
    if (!this.#over.has(call) && !isWaitedFor(entry)) return undefined
    // who asks later waits for more
    entry.waiting = { ...(entry.waiting ?? Promise.withResolvers<void>()), until: entry.news }
    void this.#deps.flush()
    return entry.waiting.promise
  }

  #node({ node, status, outputs, atMs, worker }: NodeEvent, hasSecret: boolean): void {
    const entry = this.#ofNode.get(node)
    if (status === 'running' && worker && entry) entry.startMs ??= atMs
    if (status !== 'ok' && status !== 'error' && status !== 'skipped') return
    if (hasSecret && status === 'ok') return this.giveUp()
    this.#ended.push({ node, place: this.#place++, outputs: status === 'ok' ? (outputs ?? {}) : null })
    this.#end(node)
  }

  /** The last attempt ends with its node. */
  #attempt({ node, attempt, error }: AttemptEvent): void {
    if (error !== null && error.type !== 'cancelled' && attempt < this.#deps.attemptsOf(node)) this.#end(node)
  }

  #end(node: string): void {
    const entry = this.#ofNode.get(node)
    if (entry === undefined) return
    this.#ofNode.delete(node)
    this.#entries.delete(entry.call)
    this.#over.set(entry.call, entry)
    if (entry.waiting) void this.#deps.flush()
  }

  #enter(known: Omit<Entry, 'news' | 'stored' | 'isEnding' | 'isCut' | 'begun' | 'waiting'>): Entry {
    const begun = Promise.withResolvers<void>()
    begun.promise.catch(() => {})
    const fresh = { news: known.isNew ? 1 : 0, stored: 0, isEnding: false, isCut: false, waiting: null }
    const entry: Entry = { ...known, ...fresh, begun }
    this.#entries.set(entry.call, entry)
    this.#ofNode.set(entry.node, entry)
    return entry
  }

  #moved(entry: Entry, { seq, part }: CallPosition): void {
    if (this.#isFrozen) {
      entry.isCut = true
      return
    }
    entry.seq = seq
    entry.part = part
    entry.news += 1
  }

  #withNews(): Entry[] {
    // what had not begun when nothing was taken in any more does not begin here
    return [...this.#entries.values()].filter(({ news, stored, isNew }) => news > stored && !(isNew && this.#isFrozen))
  }
}

const gone = 'the run is not executed by this engine any more'

const stateOf = ({ emitted, startMs }: Entry): CallState => ({ emitted, startMs })

const namesOf = ({ call, node, attempt }: Begun): Begun => ({ call, node, attempt })

/** Whether something of it is to be stored that is not news yet, or never will be. */
const isUnstored = ({ isEnding, isCut }: Entry): boolean => isEnding || isCut

/** Whether something of it is still to be stored. */
const isWaitedFor = (entry: Entry): boolean => entry.news > entry.stored || isUnstored(entry)

function settle(entry: Entry): void {
  entry.waiting?.resolve()
  entry.waiting = null
}
