/**
 * The line between the engine and one worker that can come back: it outlives the sockets on which its frames travel (wire
 * decision U23). States:
 * - *attached*: frames go both ways; those of calls are numbered, and acknowledged when they are safe;
 * - *away*: the link is lost, and somebody waits for batch calls of the worker. It has `resumeS` seconds to come back;
 * - *over*: it has not, or nobody waits any more. What the worker asks for after that is dropped.
 *
 * - worker-session.R1 a frame of a call is applied once: one with a number that the call has had already is passed over.
 * - worker-session.R2 what is acknowledged is durable, and everything before it: the worker has the rest still.
 * - worker-session.R3 only the newest link counts. A worker that comes back over another one, while the engine takes the
 *   link before for open, has lost that: it is closed, and what it still brings is dropped.
 * - worker-session.R4 a call that the worker lists goes on with the frame after the last that was applied; it goes on until
 *   its end is acknowledged, too. One that is listed and not known ends there without a word.
 * - worker-session.R5 a call that is cancelled before its worker was told of it never reaches the worker.
 * @module
 */
import type { Cancel } from '@flow-service/connector-sdk'
import type { Clock } from '@flow-service/core'
import type { CallFrame, CallMark, EngineFrame, WorkerFrame } from '@flow-service/protocol'
import type { EngineTransport } from '@flow-service/worker-agent'

import type { KeptCalls } from './kept-calls.ts'

/** Frames after which an acknowledgement does not wait for its second. */
const ACK_FRAMES = 256
/** The same, in bytes: a worker that holds more than this unacknowledged holds its processes back. */
const ACK_BYTES = 1024 * 1024
const ACK_MS = 1000

type Numbered = Extract<WorkerFrame, { seq?: number | undefined }>

/** Whose frames they are: `AttachedWorker`. */
export interface SessionOwner {
  /** How many batch calls somebody waits for. */
  readonly waitedFor: number
  receive(frame: WorkerFrame): void | Promise<void>
  goAway(): void
  comeBack(calls: ReadonlySet<string>): void
}

/** What a session is made of. */
export interface SessionDeps {
  readonly id: string
  /** Of the worker's token: no other one can come back to the session. */
  readonly jti: string
  readonly resumeS: number
  readonly clock: Clock
  readonly kept: KeptCalls
  /** Calls that were adopted, with the last frame of each that was applied. */
  readonly adopted: readonly CallMark[]
  /** The link is lost, and the worker may come back. */
  readonly onAway: (calls: number) => void
  /** Nothing more comes of it. */
  readonly onOver: () => void
}

/** A batch call whose frames are numbered. */
interface Kept {
  /** Of the last frame that was applied. */
  seq: number
  /** It is being kept, and the worker has not heard of it. */
  isPending: boolean
  isOver: boolean
  /** Settles when the frames that have come are applied; null when they are. */
  tail: Promise<void> | null
}

/** Which calls of a worker that is back go on. */
export interface Resumed {
  readonly resumed: CallMark[]
  readonly dropped: string[]
}

/** One worker's session. */
export class WorkerSession {
  readonly id: string
  readonly jti: string
  readonly #deps: SessionDeps
  readonly #calls = new Map<string, Kept>()
  #owner: SessionOwner | null = null
  #link: EngineTransport | null
  /** No link of it will be waited for again. */
  #isRevoked = false
  #isOver = false
  /** The last frame that came, and the last that is safe. */
  #lastSeq = 0
  #safeSeq = 0
  /** How often the worker has begun to number anew. */
  #numberings = 0
  /** Since the last acknowledgement. */
  #frames = 0
  #bytes = 0
  #acking: 'idle' | 'asking' | 'due' = 'idle'
  #ackTimer: Cancel | null = null
  #deadline: Cancel | null = null

  constructor(deps: SessionDeps, link: EngineTransport) {
    this.#deps = deps
    this.id = deps.id
    this.jti = deps.jti
    this.#link = link
    for (const { call, seq } of deps.adopted)
      this.#calls.set(call, { seq, isPending: false, isOver: false, tail: null })
  }

  /** Whether frames reach the worker. */
  get isOpen(): boolean {
    return this.#link?.isOpen ?? false
  }

  /** Tells whose frames it brings. */
  serve(owner: SessionOwner): void {
    this.#owner = owner
  }

  /** Sends a frame; one that cannot be sent now is of no use later. Throws for a call that is too large. */
  send(frame: EngineFrame): void {
    if (frame.type === 'call' && frame.mode === 'batch') return this.#hand(frame)
    if (frame.type === 'cancel' && this.#isWithdrawn(frame.call)) return
    this.#link?.send(frame)
    if (frame.type === 'cancel' && this.#deadline !== null && this.#owner?.waitedFor === 0) this.#end()
  }

  /** A frame that came over a link. */
  receive(link: EngineTransport, frame: WorkerFrame, bytes: number): void | Promise<void> {
    // (worker-session.R3)
    if (link !== this.#link) return
    if (!('seq' in frame) || frame.seq === undefined) return this.#owner?.receive(frame)
    return this.#apply(frame, frame.seq, bytes)
  }

  /** A link has ended. */
  cut(link: EngineTransport): void {
    if (link !== this.#link) return
    this.#link = null
    this.#rest()
    const calls = this.#owner?.waitedFor ?? 0
    if (this.#isRevoked || calls === 0) return this.#end()
    this.#owner?.goAway()
    this.#deadline = this.#deps.clock.setTimer(this.#deps.resumeS * 1000, () => this.#end())
    this.#deps.onAway(calls)
  }

  /** The worker is back over another link with these calls. `welcome` tells it, before anything else is sent there. */
  resume(link: EngineTransport, calls: readonly CallMark[], welcome: (resumed: Resumed) => void): void {
    const before = this.#link
    this.#link = link
    if (before) {
      this.#owner?.goAway()
      before.close()
    }
    this.#deadline?.()
    this.#deadline = null
    if (calls.length === 0) this.#numberAnew()
    const known = calls.flatMap(({ call }) => {
      const seq = this.#calls.get(call)?.seq
      return seq === undefined ? [] : [{ call, seq }]
    })
    const listed = new Set(known.map(({ call }) => call))
    welcome({ resumed: known, dropped: calls.flatMap(({ call }) => (listed.has(call) ? [] : [call])) })
    if (this.#safeSeq > 0) link.send({ type: 'ack', seq: this.#safeSeq })
    const pending = [...this.#calls].flatMap(([call, { isPending }]) => (isPending ? [call] : []))
    this.#owner?.comeBack(new Set([...listed, ...pending]))
    if (this.#lastSeq > this.#safeSeq) this.#ackSoon()
  }

  /** The token counts no more: the session ends with its link, and at once where it has none. */
  revoke(): void {
    this.#isRevoked = true
    if (this.#link === null) this.#end()
  }

  /** No frame of a call counts any more. */
  ended(call: string): void {
    const kept = this.#calls.get(call)
    if (!kept || kept.isOver) return
    kept.isOver = true
    // the worker has not heard of it, or has told all that it had
    if (kept.seq <= this.#safeSeq) this.#calls.delete(call)
    this.#deps.kept.ended(call)
  }

  /** Gives a batch call to the worker once it is kept (kept-calls.K1). */
  #hand(frame: CallFrame): void {
    const { jti, id: session, kept } = this.#deps
    const { call, attempt, flow, node, run } = frame
    const entry: Kept = { seq: 0, isPending: false, isOver: false, tail: null }
    this.#calls.set(call, entry)
    const begun = kept.begin({ call, attempt, flow, node, run, jti, session })
    if (!begun) {
      this.#link?.send(frame)
      return
    }
    entry.isPending = true
    void begun.then(
      () => this.#sendLate(frame, entry),
      (error: Error) => this.#refuse(frame.call, 'not_kept', error.message),
    )
  }

  #sendLate(frame: CallFrame, entry: Kept): void {
    entry.isPending = false
    // (worker-session.R5)
    if (this.#calls.get(frame.call) !== entry || entry.isOver) return
    try {
      this.#link?.send(frame)
    } catch (error) {
      this.#refuse(frame.call, 'frame_too_large', (error as Error).message)
    }
  }

  /** Whether a cancelled call is one that the worker has not been told of (worker-session.R5). */
  #isWithdrawn(call: string): boolean {
    if (this.#calls.get(call)?.isPending !== true) return false
    this.#refuse(call, 'cancelled', 'the call was cancelled')
    return true
  }

  /** The call ends here. */
  #refuse(call: string, type: string, message: string): void {
    void this.#owner?.receive({ type: 'error', call, error: { type, message, traceback: null } })
  }

  #apply(frame: Numbered & { readonly call: string }, seq: number, bytes: number): void | Promise<void> {
    const kept = this.#calls.get(frame.call)
    // (worker-session.R1)
    if (kept && seq <= kept.seq) return
    if (kept) kept.seq = seq
    this.#lastSeq = Math.max(this.#lastSeq, seq)
    const done = kept ? this.#inTurn(kept, frame, seq) : this.#owner?.receive(frame)
    this.#frames += 1
    this.#bytes += bytes
    if (this.#frames >= ACK_FRAMES || this.#bytes >= ACK_BYTES) this.#ack()
    else this.#ackSoon()
    return done
  }

  /** A frame counts as applied in the turn in which all of it is, and after those of its call before it. */
  #inTurn(kept: Kept, frame: Numbered & { readonly call: string }, seq: number): void | Promise<void> {
    const applied = (): void => {
      if (!kept.isOver) this.#deps.kept.applied(frame.call, seq)
    }
    const take = (): void | Promise<void> => {
      const done = this.#owner?.receive(frame)
      return done ? done.then(applied) : applied()
    }
    const done = kept.tail ? kept.tail.then(take) : take()
    if (!done) return
    const tail = done.finally(() => {
      if (kept.tail === tail) kept.tail = null
    })
    kept.tail = tail
    return tail
  }

  /** Settles when all that has come is durable; nothing when it is. */
  #safe(): void | Promise<void> {
    const { kept } = this.#deps
    const tails = [...this.#calls.values()].flatMap(({ tail }) => tail ?? [])
    return tails.length === 0 ? kept.safe(this.id) : Promise.all(tails).then(() => kept.safe(this.id))
  }

  #ackSoon(): void {
    this.#ackTimer ??= this.#deps.clock.setTimer(ACK_MS, () => this.#ack())
  }

  /** Acknowledges what has come, once it is safe (worker-session.R2). */
  #ack(): void {
    this.#rest()
    if (this.#acking !== 'idle') {
      this.#acking = 'due'
      return
    }
    const seq = this.#lastSeq
    const numbering = this.#numberings
    const safe = this.#safe()
    if (!safe) return this.#acked(seq)
    this.#acking = 'asking'
    const then = (isSafe: boolean): void => {
      const isDue = this.#acking === 'due'
      this.#acking = 'idle'
      if (isSafe && numbering === this.#numberings) this.#acked(seq)
      if (this.#link === null) return
      if (isDue) this.#ack()
      else if (!isSafe) this.#ackSoon()
    }
    safe.then(
      () => then(true),
      () => then(false),
    )
  }

  /** A worker that comes back without calls has lost its numbers with them. */
  #numberAnew(): void {
    this.#numberings += 1
    this.#lastSeq = 0
    this.#safeSeq = 0
    for (const kept of this.#calls.values()) kept.seq = 0
  }

  #acked(seq: number): void {
    this.#safeSeq = seq
    for (const [call, kept] of this.#calls) if (kept.isOver && kept.seq <= seq) this.#calls.delete(call)
    this.#link?.send({ type: 'ack', seq })
  }

  #rest(): void {
    this.#ackTimer?.()
    this.#ackTimer = null
    this.#frames = 0
    this.#bytes = 0
  }

  #end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#deadline?.()
    this.#deadline = null
    this.#deps.onOver()
  }
}
