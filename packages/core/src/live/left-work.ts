/**
 * The unfinished kept work of an earlier life of a flow, taken up by its next start once every node has started.
 * Invariants flow-work.K1-K6 of DESIGN.md.
 * @module
 */
import type { KeptWork, WorkBody } from '../host.ts'
import {
  arrivalsAt,
  type Consumer,
  deliverTogether,
  type DueTimer,
  type OutputPort,
  TIMER,
  TRIGGER,
  type What,
} from './bus.ts'
import type { Cause } from './cascade.ts'
import type { FlowWork } from './flow-work.ts'
import type { Loop } from './loop.ts'
import type { HomeNews } from './node-home.ts'
import { isOwn, lostWith } from './node-retry.ts'
import type { LiveNode } from './node.ts'

/** How often work is taken up after a start before it is given up: it may be what ends the engine. */
const MAX_ATTEMPTS = 3

/** The flow that takes up what is left. */
export interface LeftHome {
  readonly loop: Loop<Consumer, What>
  readonly work: Pick<FlowWork, 'attempt' | 'drop' | 'resume'>
  nodeOf(id: string): LiveNode | undefined
  nowMs(): number
  publishAgain(outputs: readonly OutputPort[], values: readonly unknown[], cause: Cause, atMs: number): void
  readonly news: Pick<HomeNews, 'deadLetter'>
}

/** Kept work whose node still exists. */
interface Item {
  readonly node: LiveNode
  readonly work: KeptWork
}

/** Work of one flow, in the order in which it was kept. */
export class LeftWork {
  readonly #flow: LeftHome
  /** What is delivered at the start. */
  readonly #ready: Item[] = []
  /** The newest timer of each key; older ones were due and are ready. */
  readonly #timers = new Map<string, Item>()

  constructor(flow: LeftHome, left: readonly KeptWork[]) {
    this.#flow = flow
    for (const work of left) {
      const node = flow.nodeOf(work.node)
      if (node === undefined) this.#drop(work)
      else if (work.body.is === 'execution') this.#giveUp({ node, work }, 'crash')
      else if (work.body.is === 'timer') this.#addTimer({ node, work }, work.body.key)
      else this.#ready.push({ node, work })
    }
  }

  /** Sets the timers, so that nodes find them when they start. */
  restoreTimers(): void {
    for (const { node, work } of this.#timers.values()) {
      if (work.body.is === 'timer') node.timers.restore(work, work.body)
    }
  }

  /** Gives up what was taken up too often, and counts one more attempt of what is delivered now. */
  async count(): Promise<void> {
    const nowMs = this.#flow.nowMs()
    const due = [...this.#timers.values()].filter(({ node, work: { body, id } }) => {
      return body.is === 'timer' && node.timers.isOverdue(body.key, id, nowMs)
    })
    for (const { node, work } of due.filter(isSpent)) {
      if (work.body.is === 'timer') node.timers.forget(work.body.key)
    }
    const spent = [...this.#ready, ...due].filter(isSpent)
    for (const item of spent) this.#giveUp(item, 'crash')
    this.#ready.splice(0, Infinity, ...this.#ready.filter((item) => !isSpent(item)))
    const counted = [...this.#ready, ...due.filter((item) => !isSpent(item))]
    if (counted.length > 0) await this.#flow.work.attempt(counted.map(({ work }) => work.id))
  }

  /** Delivers what waits for no timer. */
  deliver(): void {
    for (const { node, work } of this.#ready) {
      const depth = work.body.is === 'timer' ? 1 : 0
      this.#flow.work.resume(work, depth, (cause) => this.#take(node, work.body, cause))
    }
  }

  #addTimer(item: Item, key: string): void {
    const address = `${item.work.node}/${key}`
    const older = this.#timers.get(address)
    if (older !== undefined) this.#ready.push(older)
    this.#timers.set(address, item)
  }

  #take(node: LiveNode, body: WorkBody, cause: Cause): void {
    const { loop } = this.#flow
    if (body.is === 'timer') loop.deliver(node, TIMER, body satisfies DueTimer, cause)
    else if (body.is === 'trigger') loop.deliver(node, TRIGGER, {}, cause)
    else if (body.is === 'arrival') this.#publish(node, body, cause)
    else if (body.is === 'delivery') {
      const arrivals = arrivalsAt(node.inputs, body.arrivals)
      const gone = body.arrivals.filter(([port]) => !node.inputs.some((input) => input.port === port))
      if (gone.length > 0) node.deadLetters('stopped', gone, cause.cascade.id)
      if (arrivals.length > 0) deliverTogether(node, arrivals, cause)
    }
  }

  #publish(node: LiveNode, { values, atMs }: Extract<WorkBody, { is: 'arrival' }>, cause: Cause): void {
    const outputs = Object.keys(values).flatMap((port) => node.outputs.get(port) ?? [])
    const sent = outputs.map(({ port }) => values[port])
    this.#flow.publishAgain(outputs, sent, cause, atMs)
  }

  #giveUp({ node, work }: Item, reason: 'crash' | 'stopped'): void {
    const { body, cascade, id } = work
    if (body.is === 'delivery' || body.is === 'execution') node.deadLetters(reason, body.arrivals, cascade)
    else if (body.is === 'arrival') node.deadLetters(reason, Object.entries(body.values), cascade)
    else if (body.is === 'timer') node.giveUpTimer(reason, body, cascade)
    else node.deadLetters(reason, [], cascade)
    this.#flow.work.drop(id)
  }

  /** Nobody is left who would do it. */
  #drop({ id, node, body, cascade }: KeptWork): void {
    for (const value of valuesOf(body)) {
      this.#flow.news.deadLetter({ node, message: null, value, reason: 'stopped', cascade })
    }
    this.#flow.work.drop(id)
  }
}

/** What is lost when nobody does it; a timer that carries nothing has nothing to lose. */
function valuesOf(body: WorkBody): unknown[] {
  if (body.is === 'arrival') return Object.values(body.values)
  if (body.is === 'trigger') return [null]
  const lost = body.is === 'timer' && !isOwn(body) ? lostWith(body, null) : body
  if ('data' in lost) return lost.data === null ? [] : [lost.data]
  const arrivals = 'arrivals' in lost ? lost.arrivals : lost
  return arrivals.length === 0 ? [null] : arrivals.map(([, value]) => value)
}

const isSpent = ({ work }: Item): boolean => work.attempts >= MAX_ATTEMPTS
