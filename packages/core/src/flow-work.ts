/**
 * The kept work of one live flow: what it holds, durable arrivals, timers, and notes of what must not be repeated.
 * @module
 */
import type { Arrival, DueTimer, OutputPort, What } from './bus.ts'
import { type Cascade, type Cause, Work, WorkCause } from './cascade.ts'
import type { Cascades } from './cascades.ts'
import type { Host, KeptWork, WorkBody } from './host.ts'
import { type Arrivals, arrivalsIn, type HomeNode } from './node-home.ts'
import type { TimersHome } from './node-timers.ts'
import type { Request } from './requests.ts'

/** What keeping takes. */
export interface FlowWorkDeps {
  readonly flow: string
  readonly host: Host
  readonly cascades: Cascades
  /** Delivers a timer to its node. */
  readonly due: (node: HomeNode, timer: DueTimer, cause: Cause) => void
}

/** One object a flow. */
export class FlowWork {
  /** For the timers of its nodes. */
  readonly timers: TimersHome
  readonly #deps: FlowWorkDeps

  constructor(deps: FlowWorkDeps) {
    this.#deps = deps
    const { cascades, due, flow, host } = deps
    this.timers = {
      flow,
      clock: host.clock,
      work: host.work,
      newId: () => host.newId(),
      newCascade: (node, id) => cascades.begin({ id, flow, origin: node.origin('timer'), run: null }),
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
    if (cause.work !== null && (cause.depth > 0 || !cause.work.isShared)) return cause
    const arrivals = arrivalsIn(what, value)
    const body: WorkBody = arrivals.length === 0 ? { is: 'trigger' } : { is: 'delivery', arrivals }
    const { work, committed } = this.#keep(node, body, cause.cascade)
    // it goes on waiting in memory
    committed.catch(() => {})
    if (cause.work !== null) {
      cause.work.end(node.key)
      cause.work.leave()
    }
    return new WorkCause(cause.cascade, work, 0)
  }

  /**
   * The causes of values that come together to a node which handles one after the other. Kept work is kept for each
   * value by itself: its notes tell of a reader that it is done, not of which value.
   */
  parts(node: HomeNode, arrivals: readonly Arrival[], cause: Cause): Cause[] {
    const { cascade, work } = cause
    const parts = arrivals.map(({ input, value }) => {
      cascade.enter()
      if (work === null) return cause
      const part = this.#keep(node, { is: 'delivery', arrivals: [[input.port, value]] }, cascade)
      // it goes on in memory, as what is held does
      part.committed.catch(() => {})
      return new WorkCause(cascade, part.work, 0)
    })
    if (work?.isShared === true) work.end(node.key)
    return parts
  }

  /** Keeps an arrival; rejects when it could not be kept. The caller lets go of the work. */
  async arrival(
    node: HomeNode,
    outputs: readonly OutputPort[],
    { values, atMs, cascade }: { values: readonly unknown[]; atMs: number; cascade: Cascade },
  ): Promise<Work> {
    const byPort = Object.fromEntries(outputs.map(({ port }, at) => [port, values[at]]))
    const { work, committed } = this.#keep(node, { is: 'arrival', values: byPort, atMs }, cascade)
    try {
      await committed
    } catch (error) {
      // who is refused may not be heard later
      work.leave()
      throw error
    }
    return work
  }

  /** Keeps a dead letter that is delivered again; the caller lets go of the work. */
  replayed(node: HomeNode, request: Request, cascade: Cascade): Work {
    const { work, committed } = this.#keep(node, bodyOf(request, this.#deps.host.clock.now()), cascade)
    // it is delivered all the same
    committed.catch(() => {})
    return work
  }

  /** Notes an execution that must not be repeated; the result takes the note back. */
  intend(node: HomeNode, arrivals: Arrivals, { cascade }: Cause): () => void {
    const { work, committed } = this.#keep(node, { is: 'execution', arrivals }, cascade)
    // nobody was promised that it is kept
    committed.catch(() => {})
    return () => work.leave()
  }

  /** Goes on with what an earlier life has left; `depth` as in {@link Cause}. */
  resume({ id, body, cascade, origin, begun, ended }: KeptWork, depth: number, act: (cause: Cause) => void): void {
    const { cascades, flow, host } = this.#deps
    const again = cascades.begin({ id: cascade, flow, origin, run: null })
    const work = new Work(host.work, { id, isShared: isShared(body), begun, ended })
    act(new WorkCause(again, work, depth))
    work.leave()
    again.leave()
  }

  #keep({ node }: HomeNode, body: WorkBody, cascade: Cascade): { work: Work; committed: Promise<void> } {
    const { flow, host } = this.#deps
    const id = host.newId()
    const { origin } = cascade
    const kept = { id, flow, node: node.id, body, cascade: cascade.id, origin, attempts: 0, begun: [], ended: [] }
    return { work: new Work(host.work, { ...kept, isShared: isShared(body) }), committed: host.work.keep(kept) }
  }
}

/** Deliveries are for one reader; arrivals and timers are for all that read what they publish. */
const isShared = (body: WorkBody): boolean => body.is === 'arrival' || body.is === 'timer'

function bodyOf(request: Request, atMs: number): WorkBody {
  if (request.is === 'outputs') {
    const values = Object.fromEntries(request.outputs.map(({ port }, at) => [port, request.values[at]]))
    return { is: 'arrival', values, atMs }
  }
  const arrivals = request.arrivals.map(({ input, value }) => [input.port, value] as const)
  return arrivals.length === 0 ? { is: 'trigger' } : { is: 'delivery', arrivals }
}
