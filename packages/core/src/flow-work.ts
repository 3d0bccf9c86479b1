/**
 * The kept work of one live flow: what it holds, durable arrivals, timers, and notes of what must not be repeated.
 * @module
 */
import type { DueTimer, OutputPort, What } from './bus.ts'
import { type Cascade, Cause, Work } from './cascade.ts'
import type { Cascades } from './cascades.ts'
import type { Host, KeptWork, WorkBody } from './host.ts'
import type { LiveNode } from './live-node.ts'
import { type Arrivals, arrivalsIn } from './node-home.ts'
import type { TimersHome } from './node-timers.ts'

/** What keeping takes. */
export interface FlowWorkDeps {
  readonly flow: string
  readonly host: Host
  readonly cascades: Cascades
  /** Delivers a timer to its node. */
  readonly due: (node: LiveNode, timer: DueTimer, cause: Cause) => void
}

/** One object a flow. */
export class FlowWork {
  readonly #deps: FlowWorkDeps

  constructor(deps: FlowWorkDeps) {
    this.#deps = deps
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

  /** The cause of a delivery that begins to wait: it is kept, unless it is part of kept work already. */
  held(node: LiveNode, what: What, value: unknown, cause: Cause): Cause {
    if (cause.work !== null) return cause
    const arrivals = arrivalsIn(what, value)
    const body: WorkBody = arrivals.length === 0 ? { is: 'trigger' } : { is: 'delivery', arrivals }
    const { work, committed } = this.#keep(node, body, cause.cascade)
    // it goes on waiting in memory
    committed.catch(() => {})
    return new Cause(cause.cascade, work, 0)
  }

  /** Keeps an arrival; rejects when it could not be kept. The caller lets go of the work. */
  async arrival(
    node: LiveNode,
    outputs: readonly OutputPort[],
    { values, atMs, cascade }: { values: readonly unknown[]; atMs: number; cascade: Cascade },
  ): Promise<Work> {
    const byPort = Object.fromEntries(outputs.map(({ port }, at) => [port, values[at]]))
    const { work, committed } = this.#keep(node, { is: 'arrival', values: byPort, atMs }, cascade)
    await committed
    return work
  }

  /** Notes an execution that must not be repeated; the result takes the note back. */
  intend(node: LiveNode, arrivals: Arrivals, { cascade }: Cause): () => void {
    const { work, committed } = this.#keep(node, { is: 'execution', arrivals }, cascade)
    // nobody was promised that it is kept
    committed.catch(() => {})
    return () => work.leave()
  }

  /** Goes on with what an earlier life has left; `depth` as in {@link Cause}. */
  resume({ id, cascade, origin, begun }: KeptWork, depth: number, act: (cause: Cause) => void): void {
    const { cascades, flow, host } = this.#deps
    const again = cascades.begin({ id: cascade, flow, origin, run: null })
    const work = new Work(host.work, id, begun)
    act(new Cause(again, work, depth))
    work.leave()
    again.leave()
  }

  timersOf(node: LiveNode): TimersHome {
    const { cascades, due, flow, host } = this.#deps
    return {
      flow,
      node: node.node.id,
      clock: host.clock,
      work: host.work,
      newId: () => host.newId(),
      newCascade: (id) => cascades.begin({ id, flow, origin: node.origin('timer'), run: null }),
      due: (timer, cause) => due(node, timer, cause),
    }
  }

  #keep({ node }: LiveNode, body: WorkBody, cascade: Cascade): { work: Work; committed: Promise<void> } {
    const { flow, host } = this.#deps
    const id = host.newId()
    const { origin } = cascade.start
    const kept = { id, flow, node: node.id, body, cascade: cascade.id, origin, attempts: 0, begun: [] }
    return { work: new Work(host.work, id), committed: host.work.keep(kept) }
  }
}
