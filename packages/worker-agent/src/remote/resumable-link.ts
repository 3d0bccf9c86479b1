/**
 * The link between an agent and its engine, for as long as calls of it live: it outlives the connections on which its frames
 * travel, where the engine lets it (`resume_s` of its welcome, wire decision U23). `attachment.ts` gives it one connection
 * after the other. States:
 * - *greeting*: on a connection whose welcome has not come; frames of calls wait;
 * - *attached*: they travel, those from the gap first;
 * - *away*: there is no connection, and batch calls are kept for it;
 * - *over*: the agent ends, and with it everything.
 *
 * - resumable-link.L1 frames of calls are numbered from 1 without gaps, and go out in that order: what came in a gap before
 *   what comes after it.
 * - resumable-link.L2 a frame is held until the engine has acknowledged it, or has dropped its call. So each reaches the
 *   engine, at least once.
 * - resumable-link.L3 of the calls that there are when a connection is lost, those of batch flows are kept: until the engine
 *   takes them back or drops them, and `resume_s` seconds at most. With none of them the link ends.
 * - resumable-link.L4 while connected, who has more than 8 MiB unacknowledged waits. In a gap nobody waits; a call for whose
 *   frames there is no room (held-frames.B1) fails as `buffer_full`.
 * - resumable-link.L5 what is no call's travels when there is a connection, or never: `shared` and `bye`, which tell of a
 *   state, are said again to an engine that has come back.
 * @module
 */
import { setTimeout as pause } from 'node:timers/promises'

import {
  type CallMark,
  type EngineFrame,
  type HelloFrame,
  MAX_WORKER_FRAME_BYTES,
  type WelcomeFrame,
  type WorkerFrame,
} from '@flow-service/protocol'

import {
  type ArtifactAccess,
  type CallArtifacts,
  type GapListener,
  Unreachable,
  type WorkerTransport,
} from '../transport.ts'
import { Backoff } from './backoff.ts'
import { type Connection, halvesOf, type LinkEnd } from './connection.ts'
import { HeldFrames } from './held-frames.ts'

const MAX_MEMORY = 8 * 1024 * 1024
const MAX_DISK = 1024 ** 3

type OfCall = Extract<WorkerFrame, { seq?: number | undefined }>

/** A connection, as far as the link uses it. */
export type LinkConnection = Pick<Connection, 'send' | 'sendText' | 'onFrame' | 'ended' | 'artifacts'>

/** What a link needs. */
export interface ResumableLinkDeps {
  /** A new empty directory, for frames that memory does not hold. */
  readonly directory: () => string
  /** The session of a link before it that was lost without calls. */
  readonly lastSession?: string | null
  readonly random?: (() => number) | undefined
  /** An engine has welcomed the worker, and so many calls go on. */
  readonly onWelcome: (welcome: WelcomeFrame, resumed: number) => void
  /** No call is left of which the engine has not heard all. */
  readonly onIdle?: () => void
  /** Bytes of frames that are held in memory and in files; 8 MiB and 1 GiB unless given. */
  readonly maxMemory?: number
  readonly maxDisk?: number
}

interface Kept {
  readonly mode: 'batch' | 'live'
  /** Frames up to this one are not of the call, or the engine has them. */
  since: number
  /** Its last frame so far. */
  seq: number
  isOver: boolean
  isFull: boolean
}

/** One agent's link. */
export class ResumableLink implements WorkerTransport {
  readonly artifacts: ArtifactAccess = {
    ...this.#patient(() => this.#artifacts as ArtifactAccess),
    forCall: (frame) => {
      // as of a call they have no connection of their own: a further one changes nothing
      const artifacts = this.#artifacts?.forCall?.(frame)
      return { ...this.#patient(() => artifacts ?? (this.#artifacts as ArtifactAccess)), end: () => artifacts?.end?.() }
    },
  }
  readonly #deps: ResumableLinkDeps
  readonly #held: HeldFrames
  readonly #maxMemory: number
  /** Calls of which the engine may not have heard all. */
  readonly #calls = new Map<string, Kept>()
  readonly #over = new AbortController()
  #connection: LinkConnection | null = null
  /** Of the last connection. */
  #artifacts: ArtifactAccess | null = null
  #onFrame: (frame: EngineFrame) => void = () => undefined
  #gap: GapListener | null = null
  #hello: HelloFrame | null = null
  #shared: WorkerFrame | null = null
  #bye: WorkerFrame | null = null
  #session: { readonly id: string; readonly resumeMs: number } | null = null
  #isWelcome = false
  #wasWelcome = false
  #isLostIdle = false
  /** Whether a frame goes out when it comes: none is left that came before. */
  #isDirect = false
  #seq = 0
  #room: PromiseWithResolvers<void> | null = null
  #deadline: NodeJS.Timeout | undefined
  #settle: ((state: 'away' | 'over') => void) | null = null

  constructor(deps: ResumableLinkDeps) {
    const { directory, maxMemory = MAX_MEMORY, maxDisk = MAX_DISK } = deps
    this.#deps = deps
    this.#maxMemory = maxMemory
    this.#held = new HeldFrames({ directory, maxMemory, maxDisk })
  }

  /** Whether the link has ended: no connection helps it any more. */
  get isOver(): boolean {
    return this.#over.signal.aborted
  }

  /** Calls that go on without a connection. */
  get kept(): number {
    return this.#connection === null ? [...this.#calls.values()].filter(({ isOver }) => !isOver).length : 0
  }

  /** Whether the engine may not have heard all of some call. */
  get isHolding(): boolean {
    return this.#calls.size > 0
  }

  /** Of a link that was lost when it had no calls: its session. Calls that were on their way never reached the worker. */
  get idleSession(): string | null {
    if (!this.#isLostIdle) return null
    return this.#wasWelcome ? (this.#session?.id ?? null) : (this.#deps.lastSession ?? null)
  }

  /** Milliseconds that it has to find the engine again. */
  get resumeMs(): number {
    return this.#session?.resumeMs ?? 0
  }

  /** Goes on over a connection; settles when that has ended, with whether the link is to get another one. */
  use(connection: LinkConnection): Promise<'away' | 'over'> {
    this.#connection = connection
    this.#artifacts = connection.artifacts
    connection.onFrame((frame) => {
      if (this.#connection === connection) this.#receive(frame)
    })
    void connection.ended.then((end) => {
      if (this.#connection === connection) this.#cut(end)
    })
    this.#greet()
    return new Promise((resolve) => (this.#settle = resolve))
  }

  /** Ends the link, and the agent that has it. */
  end(): void {
    if (this.isOver) return
    clearTimeout(this.#deadline)
    this.#isDirect = false
    this.#clear()
    this.#over.abort()
    this.#settle?.('over')
  }

  send(frame: WorkerFrame): void | Promise<void> {
    if ('call' in frame && this.#session !== null) return this.#number(frame)
    if (frame.type === 'hello' && 'labels' in frame) {
      this.#hello = frame
      this.#greet()
      return
    }
    if (frame.type === 'shared') this.#shared = frame
    if (frame.type === 'bye') this.#bye = frame
    return this.#connection?.send(frame)
  }

  onFrame(listener: (frame: EngineFrame) => void): void {
    this.#onFrame = listener
  }

  onClose(listener: () => void): void {
    this.#over.signal.addEventListener('abort', listener, { once: true })
  }

  onGap(listener: GapListener): void {
    this.#gap = listener
  }

  /** The agent says hello once; to further connections the link does. */
  #greet(): void {
    if (this.#hello === null) return
    const calls = [...this.#calls].map(([call, { seq }]) => ({ call, seq }))
    void this.#connection?.send({
      ...this.#hello,
      resume: { session: this.#session?.id ?? this.#deps.lastSession ?? null, calls },
    })
  }

  #receive(frame: EngineFrame): void {
    if (frame.type === 'welcome') return this.#welcomed(frame)
    if (frame.type === 'ack') return this.#acked(frame.seq)
    if (frame.type === 'call' && this.#session !== null) {
      const { call, mode } = frame
      this.#calls.set(call, { mode, since: this.#seq, seq: 0, isOver: false, isFull: false })
    }
    this.#onFrame(frame)
  }

  #welcomed(welcome: WelcomeFrame): void {
    clearTimeout(this.#deadline)
    this.#deadline = undefined
    const { resume_s = 0, session, resumed = [] } = welcome
    this.#keepOnly(resumed)
    this.#session = resume_s > 0 && session !== undefined ? { id: session, resumeMs: resume_s * 1000 } : null
    this.#isWelcome = true
    this.#wasWelcome = true
    this.#onFrame(welcome)
    // (resumable-link.L5)
    for (const frame of [this.#shared, this.#bye]) if (frame) void this.#connection?.send(frame)
    this.#deps.onWelcome(welcome, resumed.length)
    // a file that cannot be read: what it held is lost, and the calls with it
    this.#replay().catch(() => this.end())
  }

  /** The engine has what is marked of these calls, and no use for others. */
  #keepOnly(resumed: readonly CallMark[]): void {
    const marks = new Map(resumed.map(({ call, seq }) => [call, seq]))
    const dropped = new Set<string>()
    for (const [call, kept] of this.#calls) {
      const seq = marks.get(call)
      if (seq === undefined) dropped.add(call)
      else kept.since = Math.max(kept.since, seq)
    }
    this.#remove(dropped)
    if (dropped.size > 0) this.#gap?.dropped(dropped)
  }

  /** Sends what the engine has not had, and then lets everything through. */
  async #replay(): Promise<void> {
    const connection = this.#connection
    let last = 0
    for (let frames = this.#held.after(last); frames.length > 0; frames = this.#held.after(last)) {
      for (const { seq, call, text } of frames) {
        last = seq
        const kept = this.#calls.get(call)
        if (!kept || seq <= kept.since) continue
        // oxlint-disable-next-line no-await-in-loop -- in their order
        await connection?.sendText(text)
        if (this.#connection !== connection) return
      }
    }
    this.#isDirect = true
  }

  #acked(seq: number): void {
    this.#held.forget(seq)
    this.#remove([...this.#calls].flatMap(([call, kept]) => (kept.isOver && kept.seq <= seq ? [call] : [])))
    if (this.#held.bytes <= this.#maxMemory) this.#release()
  }

  #number(frame: OfCall): void | Promise<void> {
    const kept = this.#calls.get(frame.call)
    // nobody wants to hear of it, or there was no room already
    if (!kept || kept.isOver) return
    const isLast = frame.type === 'result' || frame.type === 'error' || frame.type === 'busy'
    if (kept.isFull && !isLast) return
    const seq = this.#seq + 1
    const text = JSON.stringify({ ...frame, seq })
    const bytes = Buffer.byteLength(text)
    if (bytes > MAX_WORKER_FRAME_BYTES) {
      const [first, second] = halvesOf(frame, bytes) as [OfCall, OfCall]
      void this.#number(first)
      return this.#number(second)
    }
    const held = { seq, call: frame.call, text, bytes }
    // how a call has ended always has room
    if (this.#connection !== null || frame.type === 'error' || frame.type === 'busy') this.#held.keep(held)
    else if (!this.#held.store(held)) return this.#full(kept, frame)
    this.#seq = seq
    kept.seq = seq
    kept.isOver = isLast
    const behind = this.#isDirect ? this.#connection?.sendText(text) : undefined
    if (this.#connection === null || this.#held.bytes <= this.#maxMemory) return behind
    // (resumable-link.L4)
    this.#room ??= Promise.withResolvers()
    return this.#room.promise
  }

  #full(kept: Kept, { type, call }: OfCall): void | Promise<void> {
    kept.isFull = true
    const message = `the engine was away for too long for what the call has said: ${this.#held.limit}`
    const error = { type: 'buffer_full', message, traceback: null }
    if (type === 'result') return this.#number({ type: 'error', call, error })
    this.#gap?.full(call, error)
  }

  /** The connection has ended (resumable-link.L3). */
  #cut(end: LinkEnd): void {
    if (this.isOver) return
    this.#connection = null
    this.#isDirect = false
    this.#remove([...this.#calls].flatMap(([call, { mode }]) => (mode === 'live' ? [call] : [])))
    this.#isLostIdle = end.kind === 'lost' && this.#calls.size === 0
    if (this.#session === null || end.kind !== 'lost' || this.#calls.size === 0) return this.end()
    this.#release()
    this.#deadline ??= setTimeout(() => this.end(), this.#session.resumeMs)
    if (this.#isWelcome) this.#gap?.lost()
    this.#isWelcome = false
    this.#settle?.('away')
  }

  #remove(calls: Iterable<string>): void {
    if (this.#calls.size === 0) return
    for (const call of calls) this.#calls.delete(call)
    if (this.#calls.size === 0) this.#clear()
  }

  #clear(): void {
    this.#calls.clear()
    this.#held.clear()
    this.#release()
    this.#deps.onIdle?.()
  }

  #release(): void {
    this.#room?.resolve()
    this.#room = null
  }

  #patient(reached: () => CallArtifacts): Pick<ArtifactAccess, 'get' | 'put'> {
    return {
      get: (digest, whole) => this.#patiently(() => reached().get(digest, whole)),
      put: (data, options) => this.#patiently(() => reached().put(data, options)),
    }
  }

  /** Artifacts are out of reach where the engine is: a call that outlives a gap waits for them as long. */
  async #patiently<T>(work: () => Promise<T>): Promise<T> {
    const backoff = new Backoff(this.#deps.random)
    const begunMs = performance.now()
    for (;;) {
      try {
        // oxlint-disable-next-line no-await-in-loop -- one attempt after the other
        return await work()
      } catch (error) {
        const isLate = this.isOver || performance.now() - begunMs >= this.resumeMs
        if (isLate || !(error instanceof Unreachable)) throw error
      }
      // oxlint-disable-next-line no-await-in-loop -- see above
      await pause(backoff.next(), undefined, { signal: this.#over.signal }).catch(() => undefined)
    }
  }
}
