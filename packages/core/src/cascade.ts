/**
 * Everything that one external event sets off (G15), and the kept work that it may belong to.
 * @module
 */
import type { CascadeOrigin, EndedCascade, WorkHost } from './host.ts'

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

/**
 * A webhook, timer tick, publication or trigger, and what came of it. It is over when its last delivery is decided and
 * its creator has let go of it.
 */
export class Cascade {
  readonly start: CascadeStart
  readonly id: string
  /** How many executions it has caused. */
  executions = 0
  /** The cause of what it publishes, unless kept work is behind it. */
  readonly cause: Cause
  #open = 1
  #isAbandoned = false
  #isSuspended = false
  #error: EndedCascade['error'] = null
  readonly #over: (cascade: Cascade) => void

  constructor(start: CascadeStart, over: (cascade: Cascade) => void) {
    this.start = start
    this.id = start.id
    this.#over = over
    this.cause = new Cause(this, null, 0)
  }

  /** One more delivery is on its way. */
  enter(): void {
    this.#open++
  }

  /** A delivery is decided, or the creator lets go. */
  leave(): void {
    if (--this.#open === 0) this.#over(this)
  }

  /** A delivery of it was given up because a flow stopped. */
  abandon(): void {
    this.#isAbandoned = true
  }

  /** The next life of the engine goes on with it. */
  suspend(): void {
    this.#isSuspended = true
  }

  get isSuspended(): boolean {
    return this.#isSuspended
  }

  fail(error: NonNullable<EndedCascade['error']>): void {
    this.#error ??= error
  }

  ended(endedMs: number): EndedCascade {
    const status = this.#error !== null ? 'error' : this.#isAbandoned ? 'abandoned' : 'ok'
    return { ...this.start, status, executions: this.executions, endedMs, error: this.#error }
  }
}

/** Why a delivery is made: its cascade, and the kept work that ends with it. */
export class Cause {
  readonly cascade: Cascade
  readonly work: Work | null
  /** How many generations of deliveries it is away from those that the work ends with. */
  readonly depth: number
  /** Why deliveries are made that an execution with this cause publishes. */
  readonly caused: Cause

  /** Work ends with the deliveries of this cause and of `depth` further generations. */
  constructor(cascade: Cascade, work: Work | null, depth: number) {
    this.cascade = cascade
    this.work = work
    this.depth = depth
    this.caused = work === null ? this : depth === 0 ? cascade.cause : new Cause(cascade, work, depth - 1)
  }

  enter(): void {
    this.cascade.enter()
    if (this.work !== null) this.work.enter()
  }

  leave(): void {
    if (this.work !== null) this.work.leave()
    this.cascade.leave()
  }

  /** The stop has cut the execution off: its work is left for the next start. */
  suspend(): void {
    this.cascade.suspend()
    this.cascade.leave()
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
