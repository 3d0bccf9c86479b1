/**
 * Everything that one external event sets off (G15), and the kept work that it may belong to.
 * @module
 */
import type { CascadeBeginning, CascadeId, EndedCascade, MomentIds, OverCascade, WorkHost, WorkNotes } from '../host.ts'

/** What a cascade begins with. */
export interface CascadeStart extends CascadeBeginning, CascadeId {
  readonly startedMs: number
}

/** What all cascades have in common that begin at one moment. */
export interface Moment {
  readonly ms: number
  readonly ids: MomentIds
  /** Hears of each that is over. */
  readonly over: (cascade: Cascade) => void
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
  /** So many more deliveries are on their way. */
  enter(count: number): void
  /** A delivery is decided. */
  leave(): void
  /** As `leave`, but the next start goes on with it: its work is left. */
  suspend(): void
}

/** What came in between. */
interface Mishap {
  readonly isAbandoned: boolean
  readonly isSuspended: boolean
  readonly error: EndedCascade['error']
}

const none: Mishap = { isAbandoned: false, isSuspended: false, error: null }

/**
 * A webhook, timer tick, publication or trigger, and what came of it. It is over when its last delivery is decided and
 * its creator has let go of it. It is the cause of what it publishes, unless kept work is behind that. Many thousands may
 * wait at once: what they have in common they share, and the rest is few fields.
 */
export class Cascade implements Cause, OverCascade {
  // what each delivery changes comes first: the beginning of an object is one line of the processor's cache
  #open = 1
  /** How many executions it has caused. */
  executions = 0
  readonly #beginning: CascadeBeginning
  readonly #moment: Moment
  /** The number that is reserved for it until somebody asks for the id. */
  #id: string | number
  #mishap = none
  /** Of all that are not over, the one that began before, and after. */
  earlier: Cascade | null = null
  later: Cascade | null = null

  constructor(beginning: CascadeBeginning, moment: Moment, id: string | number) {
    this.#beginning = beginning
    this.#moment = moment
    this.#id = id
  }

  get id(): string {
    if (typeof this.#id === 'number') this.#id = this.#moment.ids.make(this.#id)
    return this.#id
  }

  get flow(): string {
    return this.#beginning.flow
  }

  get origin(): CascadeBeginning['origin'] {
    return this.#beginning.origin
  }

  get startedMs(): number {
    return this.#moment.ms
  }

  get cascade(): Cascade {
    return this
  }

  get work(): null {
    return null
  }

  get depth(): number {
    return 0
  }

  get caused(): Cause {
    return this
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

  enter(count: number): void {
    this.#open += count
  }

  /** A delivery is decided, or the creator lets go. */
  leave(): void {
    if (--this.#open === 0) this.#moment.over(this)
  }

  suspend(): void {
    this.#mishap = { ...this.#mishap, isSuspended: true }
    this.leave()
  }

  get isSuspended(): boolean {
    return this.#mishap.isSuspended
  }

  /** A delivery of it was given up because a flow stopped. */
  abandon(): void {
    this.#mishap = { ...this.#mishap, isAbandoned: true }
  }

  fail(error: NonNullable<EndedCascade['error']>): void {
    if (this.#mishap.error === null) this.#mishap = { ...this.#mishap, error }
  }

  get status(): EndedCascade['status'] {
    const { error, isAbandoned } = this.#mishap
    return error !== null ? 'error' : isAbandoned ? 'abandoned' : 'ok'
  }

  start(): CascadeStart {
    const { flow, origin, run } = this.#beginning
    return { id: this.id, flow, origin, run, startedMs: this.startedMs }
  }

  record(endedMs: number): EndedCascade {
    const { id, flow, origin, run, startedMs } = this.start()
    const { status, executions } = this
    return { id, flow, origin, run, startedMs, status, executions, endedMs, error: this.#mishap.error }
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

  enter(count: number): void {
    this.cascade.enter(count)
    this.work.enter(count)
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
export interface WorkStart extends WorkNotes {
  readonly id: string
  /** Whether several readers may have a part in it. */
  readonly isShared: boolean
}

/** Kept work that is being done; it is dropped when its last delivery is decided and its creator has let go. */
export class Work {
  readonly id: string
  readonly isShared: boolean
  readonly #host: WorkHost
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

  enter(count: number): void {
    this.#open += count
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

  /** With `taker` as {@link WorkHost.end}. */
  end(reader: string, taker?: string): void {
    this.#host.end(this.id, reader, taker)
  }

  /** What is noted of the nodes of a flow. */
  notesOf(flow: string): WorkNotes {
    const own = (readers: ReadonlySet<string>) => [...readers].filter((reader) => reader.startsWith(`${flow}/`))
    return { begun: own(this.#begun), ended: own(this.#ended) }
  }
}
