/**
 * How one executing run outlives its engine (wire decision U23): which of its nodes execute on workers, what it has read,
 * what an earlier engine has left of it, and its calls on their way.
 * @module
 */
import type { BatchEvent, CodeCall, EarlierNode, Secrets } from '@flow-service/core'
import type { FlowDocument, FlowNode } from '@flow-service/protocol'

import { MODULE } from '../code/objects.ts'
import type { CallBook, RunCalls } from '../workers/run-calls.ts'
import { KeptRecord } from './kept-record.ts'
import type { KeptRecords } from './kept-store.ts'
import type { RecordLeft } from './recorder.ts'
import type { NodeRow } from './run-record.ts'

/** What another engine has left of a run. */
export type LeftRun = KeptRecords & { readonly nodes: readonly NodeRow[] }

/** What a kept run needs of its execution. */
export interface KeptRunDeps {
  readonly document: FlowDocument
  readonly calls: Pick<RunCalls, 'enter' | 'leave' | 'lost'>
  readonly left: LeftRun | null
  readonly newId: () => string
  readonly secrets: Pick<Secrets, 'mask'>
  /** The last value of a message of another flow. */
  readonly lastValue: (message: string) => unknown
  readonly flush: () => Promise<void>
  /** Of the run: what aborts it tells whether its calls are left to their workers. */
  readonly signal: AbortSignal
}

/** Whether a node executes on an attached worker and nowhere else. */
function isElsewhere({ source, entry, worker, worker_policy: policy }: FlowNode): boolean {
  const hasCode = source !== null || (entry !== null && entry.module !== MODULE)
  return hasCode && worker !== null && policy === 'require'
}

/** Whether an execution of the document can outlive its engine. */
export const canBeKept = ({ nodes }: FlowDocument): boolean => nodes.some(isElsewhere)

/** A run that outlives its engine. */
export class KeptRun {
  readonly record: KeptRecord
  /** What the runtime has to know of the earlier execution. */
  readonly earlier: ReadonlyMap<string, EarlierNode>
  readonly #deps: KeptRunDeps
  readonly #read: Record<string, unknown>
  /** Nodes whose calls go on, until these wait for their worker. */
  readonly #coming: Set<string>
  /** Calls with a book. */
  readonly #entered = new Set<string>()
  readonly #arrived = Promise.withResolvers<void>()

  constructor(deps: KeptRunDeps) {
    this.#deps = deps
    const { left, document, calls, flush } = deps
    this.#read = { ...left?.read }
    this.earlier = left ? earlierNodes(left) : new Map()
    const attempts = new Map(document.nodes.map(({ id, retry }) => [id, retry?.attempts ?? 1]))
    this.record = new KeptRecord({
      flush,
      attemptsOf: (node) => attempts.get(node) ?? 1,
      onOver: (call) => calls.leave(call),
      read: left?.read ? null : () => this.#read,
      calls: left?.calls ?? [],
      ended: (left?.ended.at(-1)?.place ?? -1) + 1,
    })
    this.#coming = new Set(left?.calls.map(({ node }) => node))
    if (this.#coming.size === 0) this.#arrived.resolve()
  }

  /** Settles when all calls that go on wait for their workers, or are not waited for. */
  get arrived(): Promise<void> {
    return this.#arrived.promise
  }

  /** The last value of a message of another flow; the same in every life of the run. */
  lastValue(message: string): unknown {
    const { left, lastValue, secrets } = this.#deps
    if (left?.read) return this.#read[message]
    const value = lastValue(message)
    if (value === undefined) return undefined
    if (secrets.mask(value) !== value) this.record.giveUp()
    this.#read[message] = value
    return value
  }

  /** Before a node executes: what executes in this engine ends with it, which has to be known. */
  beginning(node: FlowNode, attempt: number): Promise<void> | undefined {
    if (isElsewhere(node)) return undefined
    return this.record.begin({ call: this.#deps.newId(), node: node.id, attempt }, null)
  }

  /** A call on its way, with a book that is kept of it; one that goes on has the name that its worker knows. */
  call(call: CodeCall): CodeCall {
    if (!isElsewhere(call.node)) return call
    const { id: node } = call.node
    const going = this.#coming.has(node) ? this.#deps.left?.calls.find((one) => one.node === node) : undefined
    const id = going?.call ?? call.id
    const book = this.record.bookOf({ call: id, node, attempt: call.attempt })
    const onWaiting = (): void => this.#arrive(node)
    // the emissions of a frame of which the others are not stored
    let known = going?.part ?? 0
    const begin: CallBook['begin'] = (place) => {
      known = 0
      return book.begin(place)
    }
    this.#entered.add(id)
    this.#deps.calls.enter(id, { ...book, begin }, going ? { seq: going.seq, onWaiting } : null)
    return {
      ...call,
      id,
      signal: AbortSignal.any([this.#deps.signal, call.signal]),
      onEmit: (values, atMs) => {
        if (known > 0) {
          known -= 1
          return
        }
        call.onEmit(values, atMs)
        this.record.emitted(id)
      },
    }
  }

  /** A node that has ended does not wait. */
  observe(event: BatchEvent): void {
    const isEnd = event.kind === 'node' && !['pending', 'queued', 'running'].includes(event.status)
    if (isEnd) this.#arrive(event.node)
  }

  /** Workers that have not come with their calls by now come no more. */
  endWaiting(): void {
    for (const { call } of this.#deps.left?.calls ?? []) this.#deps.calls.lost(call)
  }

  /** Nothing more comes of it. */
  over(): void {
    this.#arrived.resolve()
  }

  /** Its end is written, or another one's to write: nobody keeps a book of its calls. */
  forget(): void {
    for (const call of this.#entered) this.#deps.calls.leave(call)
  }

  #arrive(node: string): void {
    if (this.#coming.delete(node) && this.#coming.size === 0) this.#arrived.resolve()
  }
}

/** The record of a run as it was left. */
export const recordLeft = ({ nodes, curves, artifacts }: LeftRun): RecordLeft => ({ nodes, curves, artifacts })

function earlierNodes({ nodes, ended, calls }: LeftRun): Map<string, EarlierNode> {
  const rows = new Map(nodes.map((row) => [row.node, row]))
  const earlier = new Map<string, EarlierNode>()
  for (const { node, outputs } of ended) {
    const error = rows.get(node)?.error
    if (outputs) earlier.set(node, { status: 'ok', outputs })
    else earlier.set(node, error ? { status: 'error', error } : { status: 'skipped' })
  }
  for (const { node, attempt, state } of calls) {
    const { emitted, startMs } = state
    earlier.set(node, { status: 'begun', attempt, goingOn: { emitted, startMs, cache: rows.get(node)?.cache ?? null } })
  }
  for (const { node, attempts } of nodes) {
    if (attempts === null || attempts.length === 0 || earlier.has(node)) continue
    earlier.set(node, { status: 'begun', attempt: attempts.length + 1, goingOn: null })
  }
  return earlier
}
