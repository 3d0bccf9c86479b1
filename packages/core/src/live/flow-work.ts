/**
 * The kept work of one live flow: held deliveries, durable arrivals, timers, and notes of executions that must not be
 * repeated. Invariants flow-work.K1-K6 of DESIGN.md.
 * @module
 */
import { flowPart, messagePart } from '@flow-service/protocol'

import type { CascadeOrigin, Host, KeptWork, WorkBody } from '../host.ts'
import { mayBeKept } from '../unkept.ts'
import { type Arrivals, arrivalsIn } from './arrivals.ts'
import type { Arrival, DueTimer, OutputPort, What } from './bus.ts'
import { type Cascade, type Cause, Work, WorkCause } from './cascade.ts'
import type { Cascades } from './cascades.ts'
import { ExecutionNotes } from './execution-notes.ts'
import type { HomeNode, HomeWork, TimersHome } from './node-home.ts'
import type { Request } from './requests.ts'

/** What keeping needs. */
export interface FlowWorkDeps {
  readonly flow: string
  readonly host: Host
  readonly cascades: Cascades
  /** Delivers a timer to its node. */
  readonly due: (node: HomeNode, timer: DueTimer, cause: Cause) => void
  /**
   * Has the engine do work that has the flow once it has ended here; false when nothing is passed on to that. Where it may
   * have it already, and `mayBeDone`, the node does not do again what must not be repeated.
   */
  readonly passOn: (node: HomeNode, arrivals: Arrivals, cascade: Cascade, mayBeDone: boolean) => Promise<boolean>
}

/** A delivery to be kept by itself. */
interface Apart {
  readonly what: What
  readonly value: unknown
  readonly hasBegun: boolean
}

/** A reader's part of shared work that was not kept. */
interface Part {
  readonly cascade: Cascade
  readonly work: Work
  readonly reader: string
  /** Why it was not kept. */
  readonly error: unknown
}

/** One object a flow. */
export class FlowWork implements HomeWork {
  /** For the timers of its nodes. */
  readonly timers: TimersHome
  readonly #deps: FlowWorkDeps
  readonly #notes: ExecutionNotes

  constructor(deps: FlowWorkDeps) {
    this.#deps = deps
    const { cascades, due, flow, host } = deps
    this.#notes = new ExecutionNotes(host.clock, ({ node, arrivals, cascade }) => {
      const { work, committed } = this.#keep(node, { is: 'execution', arrivals }, cascade)
      // nobody was promised that it is kept
      committed.catch(() => {})
      return work
    })
    this.timers = {
      flow,
      clock: host.clock,
      work: host.work,
      newId: () => host.newId(),
      newCascade: (node, id) => cascades.begin(node.beginning('timer'), id),
      due,
    }
  }

  /** What an earlier life has left, in the order in which it was kept. */
  left(): Promise<readonly KeptWork[]> {
    return this.#deps.host.work.left(this.#deps.flow)
  }

  attempt(ids: readonly string[]): Promise<void> {
    return this.#deps.host.work.attempt(ids)
  }

  drop(id: string): void {
    this.#deps.host.work.drop(id)
  }

  /**
   * The cause of a delivery that begins to wait: it is kept, unless it is work of its own already. Of work that others
   * have a part in, it takes its part along.
   */
  held(node: HomeNode, what: What, value: unknown, cause: Cause): Cause {
    return isOwn(cause) ? cause : this.#takeAlong(node, deliveryOf(arrivalsIn(what, value)), cause)
  }

  /**
   * The cause with which a stop cuts an execution off: this flow takes its part of shared work along, and need not wait
   * until the flow that had kept it starts again. What has begun and may not be repeated is left as such.
   */
  cutOff(node: HomeNode, { arrivals, isOver }: { arrivals: Arrivals; isOver: boolean }, cause: Cause): Cause {
    if (cause.work === null || isOwn(cause)) return cause
    return this.#takeAlong(node, isOver ? { is: 'execution', arrivals } : deliveryOf(arrivals), cause)
  }

  apart(node: HomeNode, { what, value, hasBegun }: Apart, { cascade }: Cause): WorkCause {
    const { work, committed } = this.#keep(node, deliveryOf(arrivalsIn(what, value)), cascade, hasBegun)
    // it goes on in memory
    committed.catch(() => {})
    return new WorkCause(cascade, work, 0)
  }

  /**
   * The causes of values that come together to a node which handles one after the other. Kept work is kept for each
   * value by itself: its notes tell of a reader that it is done, not of which value. Lets go of the cause.
   */
  parts(node: HomeNode, arrivals: readonly Arrival[], cause: Cause): Cause[] {
    const { cascade, mark, work } = cause
    cascade.enter(arrivals.length)
    return this.#deps.host.work.together(() => {
      const parts =
        work === null
          ? []
          : arrivals.map(({ input, value }) => this.apart(node, { what: input, value, hasBegun: false }, cause))
      if (work?.isShared === true) work.end(node.key + mark, this.#deps.flow)
      cause.leave()
      return work === null ? arrivals.map(() => cause) : parts
    })
  }

  /**
   * Keeps an arrival and has it published; rejects when it could not be kept. `publish` lets go of the work and of the
   * cascade.
   */
  async arrival(
    node: HomeNode,
    outputs: readonly OutputPort[],
    { values, atMs, cascade }: { values: readonly unknown[]; atMs: number; cascade: Cascade },
    publish: (work: Work) => void,
  ): Promise<void> {
    const { kept, work } = this.#begin(node, arrivalOf(this.#deps.flow, outputs, values, atMs), cascade)
    let isPublished = false
    try {
      await this.#deps.host.work.arrive(kept, () => {
        isPublished = true
        publish(work)
      })
    } catch (error) {
      if (!isPublished) {
        // who is refused may not be heard later
        work.leave()
        cascade.leave()
      }
      throw error
    }
  }

  /** The work that a dead letter is when it is delivered again; the host keeps it. */
  replayed({ node }: HomeNode, request: Request, origin: CascadeOrigin): KeptWork {
    const { flow, host } = this.#deps
    const [id, cascade] = [host.newId(), host.newId()]
    const body = bodyOf(flow, request, host.clock.now())
    return { id, flow, node: node.id, body, cascade, origin, attempts: 0, begun: [], ended: [] }
  }

  /** Notes an execution that must not be repeated; the result takes the note back. */
  intend(node: HomeNode, arrivals: Arrivals, { cascade }: Cause): () => void {
    return this.#notes.begin({ node, arrivals, cascade })
  }

  /** Notes at once what goes on and must not be repeated: the flow stops. */
  noteAll(): void {
    this.#notes.keepAll()
  }

  /** Goes on with what an earlier life has left; `depth` as in {@link Cause}. */
  resume({ id, body, cascade, origin, begun, ended }: KeptWork, depth: number, act: (cause: Cause) => void): void {
    const { cascades, flow, host } = this.#deps
    const again = cascades.begin({ flow, origin, run: null }, cascade)
    const work = new Work(host.work, { id, isShared: isShared(body), begun, ended })
    act(new WorkCause(again, work, depth))
    work.leave()
    again.leave()
  }

  /** Keeps a part by itself; of what was behind it, the node has ended. */
  #takeAlong(node: HomeNode, body: WorkBody, cause: Cause): Cause {
    const { cascade, mark, work } = cause
    const { flow, host } = this.#deps
    const part = host.work.together(() => {
      const kept = this.#keep(node, body, cascade)
      work?.end(node.key + mark, flow)
      return kept
    })
    // it goes on waiting in memory; where another engine has the flow, what was behind it waits until that one has its part
    if (work === null || host.work.has === undefined) {
      part.committed.catch(() => {})
      work?.leave()
    } else {
      part.committed.then(
        () => work.leave(),
        (error) => void this.#leaveBehind(node, body, { cascade, work, reader: node.key + mark, error }),
      )
    }
    return new WorkCause(cascade, part.work, 0)
  }

  /** A part that was not kept, as the engine that has this flow by now is to do it. What nobody passes on stays as it is. */
  async #leaveBehind(node: HomeNode, body: WorkBody, { cascade, work, reader, error }: Part): Promise<void> {
    const { flow, host, passOn } = this.#deps
    if (host.work.has?.(flow) !== false) return work.leave()
    if (body.is === 'execution') node.deadLetters('crash', body.arrivals, cascade.id)
    else if (body.is !== 'delivery' || !(await passOn(node, body.arrivals, cascade, mayBeKept(error)))) return
    work.end(reader)
    work.leave()
  }

  #keep(node: HomeNode, body: WorkBody, cascade: Cascade, hasBegun = false): { work: Work; committed: Promise<void> } {
    const { kept, work } = this.#begin(node, body, cascade, hasBegun)
    return { work, committed: this.#deps.host.work.keep(kept) }
  }

  #begin(
    { key, node }: HomeNode,
    body: WorkBody,
    { id: cascade, origin }: Cascade,
    hasBegun = false,
  ): { kept: KeptWork; work: Work } {
    const { flow, host } = this.#deps
    const begun = hasBegun ? [key] : []
    const kept = { id: host.newId(), flow, node: node.id, body, cascade, origin, attempts: 0, begun, ended: [] }
    return { kept, work: new Work(host.work, { ...kept, isShared: isShared(body) }) }
  }
}

/** Whether the work behind a delivery is its own already. */
const isOwn = ({ depth, work }: Cause): boolean => work !== null && (depth > 0 || !work.isShared)

const deliveryOf = (arrivals: Arrivals): WorkBody =>
  arrivals.length === 0 ? { is: 'trigger' } : { is: 'delivery', arrivals }

/** Deliveries are for one reader; arrivals and timers are for all that read what they publish. */
const isShared = (body: WorkBody): boolean => body.is === 'arrival' || body.is === 'timer'

function arrivalOf(flow: string, outputs: readonly OutputPort[], sent: readonly unknown[], atMs: number): WorkBody {
  const values = Object.fromEntries(outputs.map(({ port }, at) => [port, sent[at]]))
  const names = outputs.map(({ port, message }) => [port, flowPart(message) === flow ? messagePart(message) : message])
  return { is: 'arrival', values, messages: Object.fromEntries(names), atMs }
}

function bodyOf(flow: string, request: Request, atMs: number): WorkBody {
  if (request.is === 'outputs') return arrivalOf(flow, request.outputs, request.values, atMs)
  return deliveryOf(request.arrivals.map(({ input, value }) => [input.port, value] as const))
}
