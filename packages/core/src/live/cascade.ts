/**
 * Everything that one external event sets off (G15), and the kept work that it may belong to.
 * @module
 */
import type { CascadeOrigin, EndedCascade, WorkHost } from '../host.ts'

/** What a cascade begins with. */
export interface CascadeStart {
  /** UUIDv7. */
  readonly id: string
  /** The flow where it begins. */
  readonly flow: string
  readonly origin: CascadeOrigin
  readonly run: string | null
  readonly startedMs: number
}

/** Why a delivery is made: its cascade, and the kept work that ends with it. */
export interface Cause {
  readonly cascade: Cascade
  readonly work: Work | null
  /** How many generations of deliveries it is away from those that the work ends with. */
  readonly depth: number
  /** Tells the deliveries of its work to one reader apart: empty for the first, then `#2` and so on. */
  readonly mark: string
  /** Whether what it delivers is kept by itself: its work is not done again. */
  readonly isApart: boolean
  /** Why deliveries are made that an execution with this cause publishes. */
  readonly caused: Cause
  /** The cause of one more delivery to a reader. */
  next(reader: string): Cause
  /** One more delivery is on its way. */
  enter(): void
  /** A delivery is decided. */
  leave(): void
  /** As `leave`, but the next start goes on with it: its work is left. */
  suspend(): void
}

/**
 * A webhook, timer tick, publication or trigger, and what came of it. It is over when its last delivery is decided and
 * its creator has let go of it. It is the cause of what it publishes, unless kept work is behind that.
 */
export class Cascade implements Cause {
  readonly id: string
  readonly flow: string
  readonly origin: CascadeOrigin
  readonly run: string | null
  readonly startedMs: number
  /** How many executions it has caused. */
  executions = 0
  readonly cascade: Cascade = this
  readonly work = null
  readonly depth = 0
  readonly caused: Cause = this
  /** Of all that are not over, the one that began before, and after. */
  earlier: Cascade | null = null
  later: Cascade | null = null
  #open = 1
  #isAbandoned = false
  #isSuspended = false
  #error: EndedCascade['error'] = null
  readonly #over: (cascade: Cascade) => void

  constructor({ id, flow, origin, run, startedMs }: CascadeStart, over: (cascade: Cascade) => void) {
    this.id = id
    this.flow = flow
    this.origin = origin
    this.run = run
    this.startedMs = startedMs
    this.#over = over
  }

  get mark(): string {
    return ''
  }

  get isApart(): boolean {
    return false
  }

  next(): Cause {
    return this
  }

  enter(): void {
    this.#open++
  }

  /** A delivery is decided, or the creator lets go. */
  leave(): void {
    if (--this.#open === 0) this.#over(this)
  }

  suspend(): void {
    this.#isSuspended = true
    this.leave()
  }

  get isSuspended(): boolean {
    return this.#isSuspended
  }

  /** A delivery of it was given up because a flow stopped. */
  abandon(): void {
    this.#isAbandoned = true
  }

  fail(error: NonNullable<EndedCascade['error']>): void {
    this.#error ??= error
  }

  start(): CascadeStart {
    const { id, flow, origin, run, startedMs } = this
    return { id, flow, origin, run, startedMs }
  }

  ended(endedMs: number): EndedCascade {
    const status = this.#error !== null ? 'error' : this.#isAbandoned ? 'abandoned' : 'ok'
    const { id, flow, origin, run, startedMs, executions } = this
    return { id, flow, origin, run, startedMs, status, executions, endedMs, error: this.#error }
  }
}

/** The cause of deliveries that kept work ends with. */
export class WorkCause implements Cause {
  readonly cascade: Cascade
  readonly work: Work
  readonly depth: number
  readonly mark: string
  readonly isApart: boolean
  readonly caused: Cause

  /** Work ends with the deliveries of this cause and of `depth` further generations. */
  constructor(cascade: Cascade, work: Work, depth: number, { mark = '', isApart = false } = {}) {
    this.cascade = cascade
    this.work = work
    this.depth = depth
    this.mark = mark
    this.isApart = isApart
    this.caused = depth === 0 ? cascade : new WorkCause(cascade, work, depth - 1, { isApart })
  }

  next(reader: string): Cause {
    const count = this.work.count(reader)
    return count === 1 ? this : new WorkCause(this.cascade, this.work, this.depth, { mark: `#${count}` })
  }

  enter(): void {
    this.cascade.enter()
    this.work.enter()
  }

  leave(): void {
    this.work.leave()
    this.cascade.leave()
  }

  suspend(): void {
    this.cascade.suspend()
  }
}

/** How kept work begins in this life. */
export interface WorkStart {
  readonly id: string
  /** Whether several readers may have a part in it. */
  readonly isShared: boolean
  readonly begun: readonly string[]
  readonly ended: readonly string[]
}

/** Kept work that is being done; it is dropped when its last delivery is decided and its creator has let go. */
export class Work {
  readonly id: string
  readonly isShared: boolean
  readonly #host: WorkHost
  /** What an earlier life has noted. */
  readonly #begun: ReadonlySet<string>
  readonly #ended: ReadonlySet<string>
  /** Deliveries in this life, by reader. */
  readonly #counts = new Map<string, number>()
  #open = 1

  constructor(host: WorkHost, { id, isShared, begun, ended }: WorkStart) {
    this.id = id
    this.isShared = isShared
    this.#host = host
    this.#begun = new Set(begun)
    this.#ended = new Set(ended)
  }

  enter(): void {
    this.#open++
  }

  leave(): void {
    if (--this.#open === 0) this.#host.drop(this.id)
  }

  /** Counts one more delivery to a reader; how many there were. */
  count(reader: string): number {
    const count = (this.#counts.get(reader) ?? 0) + 1
    this.#counts.set(reader, count)
    return count
  }

  /** Whether a reader began it in an earlier life and may not do it again. */
  hasBegun(reader: string): boolean {
    return this.#begun.has(reader)
  }

  /** Whether a reader was done with it in an earlier life. */
  hasEnded(reader: string): boolean {
    return this.#ended.has(reader)
  }

  begin(reader: string): Promise<void> {
    return this.#host.begin(this.id, reader)
  }

  end(reader: string): void {
    this.#host.end(this.id, reader)
  }
}
