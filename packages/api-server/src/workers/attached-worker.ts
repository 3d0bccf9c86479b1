/**
 * The engine's side of one attached worker: its calls in flight and what their frames mean.
 *
 * A call is *running* until its promise settles and *ending* from then on until the worker says that it has ended:
 * a cancelled call keeps its slot while its process dies, but not for ever (`call-ending.ts`).
 * - attached-worker.A1 a promise settles once; frames of an ending or unknown call change nothing but the slot. Results
 *   among them are counted; the error with which a cancelled call ends is none.
 * - attached-worker.A2 every frame is a contact. Nine ticks of 10 s without one fail the running calls as
 *   `worker_silent`. Ticks are counted, not time: an engine that slept itself does not blame its workers, nor does one
 *   that is behind with what a worker has sent.
 * - attached-worker.A3 a lost connection fails the running calls as `worker_lost` at once and frees everything.
 * - attached-worker.A4 a worker's clock may be wrong, or lie: an emission before its last one, or after now, is of now.
 * - attached-worker.A5 a call of which its worker says nothing ends by its `timeout` all the same (call-silence.S1).
 * - attached-worker.A6 a call that the worker does not begin, because calls of other engines have its place, is placed
 *   again: its promise rejects with a {@link WorkerBusy}, and no attempt counts. Nothing as large is sent there until the
 *   worker tells anew what other engines take of it; that is not free.
 */
import { type Clock, type CodeCall, CodeError } from '@flow-service/core'
import {
  type CallFrame,
  type HelloFrame,
  timestampOfMs,
  type WorkerEntry,
  type WorkerFrame,
} from '@flow-service/protocol'
import type { EngineTransport } from '@flow-service/worker-agent'

import type { WorkerPrincipal } from '../http/principal.ts'
import { CallEnding } from './call-ending.ts'
import { CallSilence } from './call-silence.ts'
import { type Amounts, covers, remainder, wireAmounts } from './demand.ts'

/** Seconds between two heartbeats of a worker that executes. */
export const HEARTBEAT_S = 10
/** Seconds without contact that fail a worker's calls. */
export const SILENCE_S = 90

/** Milliseconds that the clocks of two machines that are set right may differ. */
const MAX_SKEW_MS = 1000

type Values = Record<string, unknown>

/** A call was not begun, and is to be placed again. */
export class WorkerBusy extends Error {
  override readonly name = 'WorkerBusy'
}

interface InFlight {
  readonly call: CodeCall
  readonly startedMs: number
  readonly demand: Amounts
  readonly silence: CallSilence
  readonly settle: { resolve(outputs: Values): void; reject(error: Error): void } | null
  /** Of a call that was given up, whose promise has settled. */
  readonly ending: CallEnding | null
  /** When it emitted last; at first, the earliest time at which it can. */
  emittedMs: number
}

/** A worker's identity, and the functions of the pool that it calls. */
export interface WorkerDeps {
  readonly id: string
  readonly hello: HelloFrame
  /** Whose token it is; null for the agent in the engine's own process. */
  readonly token: WorkerPrincipal | null
  readonly clock: Clock
  /** A slot has become free, or the worker is gone. */
  readonly onChange: () => void
  /** A result came that nobody waits for: its call is over or cancelled, or there never was one. */
  readonly onDropped: () => void
  /** Nothing was heard of it for so many seconds, and so many calls have failed. */
  readonly onSilent: (seconds: number, calls: number) => void
  /** A call that was given up is lost: the worker goes on with it. */
  readonly onLost: (call: CodeCall) => void
}

/** A worker that has said hello. */
export class AttachedWorker {
  readonly id: string
  readonly hello: HelloFrame
  readonly #transport: EngineTransport
  readonly #deps: WorkerDeps
  readonly #inFlight = new Map<string, InFlight>()
  readonly #attachedMs: number
  #contactMs: number
  #quietTicks = 0
  /** It has said that it leaves. */
  #leaves = false
  /** What calls of other engines take. */
  #elsewhere: Pick<Extract<WorkerFrame, { type: 'shared' }>, 'calls' | 'resources'> = {
    calls: 0,
    resources: { cpus: 0, gpus: 0, ram_mb: 0 },
  }
  /** Demands of calls that it has given back since it told of other engines last. */
  #refused: Amounts[] = []
  /** Frames that are not dealt with yet. */
  #behind = 0
  #stopTicking: (() => void) | null = null
  #startedBy: WorkerEntry['provisioned_by'] = null

  constructor(transport: EngineTransport, deps: WorkerDeps) {
    this.#transport = transport
    this.#deps = deps
    this.id = deps.id
    const { hello, token } = deps
    // a name and labels are what the token says
    this.hello = token === null ? hello : { ...hello, name: token.name, labels: [...token.labels] }
    this.#attachedMs = deps.clock.now()
    this.#contactMs = this.#attachedMs
  }

  /** Whether it is the agent in the engine's own process. */
  get local(): boolean {
    return this.#deps.token === null
  }

  /** Of its token; null of the agent in the engine's own process. */
  get jti(): string | null {
    return this.#deps.token?.jti ?? null
  }

  /** It was started by a job of the engine. */
  startedBy(job: NonNullable<WorkerEntry['provisioned_by']>): void {
    this.#startedBy = job
  }

  /** How many calls occupy a slot. */
  get load(): number {
    return this.#placed().length
  }

  /** The calls that occupy a slot. */
  get calls(): readonly CodeCall[] {
    return this.#placed().map(({ call }) => call)
  }

  /** What the worker has, whether it is in use or not. */
  get total(): Amounts {
    const { cpus, gpus, ram_mb } = this.hello.resources
    return { cpus, gpus, ramMb: ram_mb }
  }

  /** What its calls leave of it, and those of other engines. */
  get free(): Amounts {
    const { cpus, gpus, ram_mb } = this.#elsewhere.resources
    const elsewhere = { cpus, gpus, ramMb: ram_mb }
    return remainder(this.total, [elsewhere, ...this.#placed().map((entry) => entry.demand)])
  }

  /** Whether a call with this demand can start now. */
  hasRoomFor(demand: Amounts): boolean {
    const takesCalls = this.#transport.isOpen && !this.#leaves
    if (!takesCalls || this.#refused.some((refused) => covers(demand, refused))) return false
    return this.load + this.#elsewhere.calls < this.hello.parallel && covers(this.free, demand)
  }

  /** The worker as the API shows it. */
  view(): WorkerEntry {
    const { name, labels, version, protocol, parallel, resources, python, platform } = this.hello
    return {
      id: this.id,
      name,
      labels,
      version,
      protocol,
      status: 'attached',
      parallel,
      calls: [...this.#inFlight.values()].map(({ call, startedMs, ending }) => ({
        call: call.id,
        flow: call.document.name,
        node: call.node.id,
        run: call.run,
        status: ending === null ? 'running' : ending.isLost ? 'lost' : 'ending',
        started_at: timestampOfMs(startedMs),
      })),
      resources,
      free: wireAmounts(this.free),
      python,
      platform,
      provisioned_by: this.#startedBy,
      attached_at: timestampOfMs(this.#attachedMs),
      last_contact_at: timestampOfMs(this.#contactMs),
    }
  }

  /** Whether the worker goes by this name or carries it as a label. */
  answersTo(label: string): boolean {
    return this.hello.name === label || this.hello.labels.includes(label)
  }

  /** Executes a call; rejects with a {@link CodeError}, or with what `onEmit` threw. */
  run(frame: CallFrame, call: CodeCall, demand: Amounts): Promise<Values> {
    return new Promise<Values>((resolve, reject) => {
      const onAbort = (): void => this.#abandon(call.id, new CodeError('cancelled', 'the call was cancelled', null))
      const settle = {
        resolve(outputs: Values) {
          call.signal.removeEventListener('abort', onAbort)
          resolve(outputs)
        },
        reject(error: Error) {
          call.signal.removeEventListener('abort', onAbort)
          reject(error)
        },
      }
      const startedMs = this.#deps.clock.now()
      const silence = this.#silenceOf(frame)
      const emittedMs = startedMs - MAX_SKEW_MS
      this.#inFlight.set(call.id, { call, startedMs, demand, silence, settle, ending: null, emittedMs })
      call.signal.addEventListener('abort', onAbort, { once: true })
      this.#tick()
      try {
        this.#transport.send({ ...frame, demand: wireAmounts(demand) })
      } catch (error) {
        const failure = new CodeError('frame_too_large', (error as Error).message, null)
        this.#end(call.id, (settled) => settled.reject(failure))
      }
    })
  }

  /** Ends the warm process of a live node. */
  release(flow: string, node: string): void {
    this.#transport.send({ type: 'release', flow, node })
  }

  /** Tells where workers attach to the engines of the database. */
  tellEngines(urls: readonly string[]): void {
    this.#transport.send({ type: 'engines', engines: [...urls] })
  }

  /** Takes a frame of the worker. A promise asks for no more of its call until it settles; it never rejects. */
  receive(frame: WorkerFrame): void | Promise<void> {
    this.#quietTicks = 0
    this.#contactMs = this.#deps.clock.now()
    const done = this.#take(frame)
    if (!done) return
    this.#behind += 1
    return done.finally(() => (this.#behind -= 1))
  }

  #take(frame: WorkerFrame): void | Promise<void> {
    switch (frame.type) {
      case 'started': {
        const entry = this.#running(frame.call)
        entry?.silence.touch()
        entry?.call.onPlace({ worker: this.hello.name })
        return
      }
      case 'emit':
        return this.#emit(frame.call, frame.batch)
      case 'log':
        this.#running(frame.call)?.call.onLog(frame.stream, frame.text)
        return
      case 'artifact':
        this.#running(frame.call)?.call.onArtifact?.(frame.ref)
        return
      case 'result':
        if (!this.#running(frame.call)) this.#deps.onDropped()
        this.#end(frame.call, (settle) => settle.resolve(frame.outputs))
        return
      case 'error': {
        const { type, message, traceback } = frame.error
        if (!this.#inFlight.has(frame.call)) this.#deps.onDropped()
        this.#end(frame.call, (settle) => settle.reject(new CodeError(type, message, traceback)))
        return
      }
      case 'busy':
        this.#giveBack(frame.call)
        return
      case 'shared':
        this.#elsewhere = frame
        this.#refused = []
        this.#deps.onChange()
        return
      case 'bye':
        this.#leaves = true
        return
      case 'heartbeat':
        for (const id of frame.calls) this.#inFlight.get(id)?.ending?.named()
        return
      case 'hello':
    }
  }

  /** The connection is gone (attached-worker.A3). */
  lost(): void {
    const entries = [...this.#inFlight.values()]
    this.#inFlight.clear()
    this.#rest()
    for (const { silence, settle } of entries) {
      silence.stop()
      settle?.reject(new CodeError('worker_lost', `worker "${this.hello.name}" disconnected during the call`, null))
    }
  }

  /** The calls that have a place. */
  #placed(): InFlight[] {
    return [...this.#inFlight.values()].filter(({ ending }) => ending?.isLost !== true)
  }

  #running(id: string): InFlight | undefined {
    const entry = this.#inFlight.get(id)
    return entry?.settle ? entry : undefined
  }

  #emit(id: string, batch: Extract<WorkerFrame, { type: 'emit' }>['batch']): void | Promise<void> {
    const entry = this.#running(id)
    if (!entry) return
    const { call } = entry
    entry.silence.touch()
    const nowMs = this.#deps.clock.now()
    try {
      for (const [values, atMs] of batch) {
        const isPossible = atMs >= entry.emittedMs && atMs <= nowMs + MAX_SKEW_MS
        entry.emittedMs = isPossible ? atMs : Math.max(nowMs, entry.emittedMs)
        call.onEmit(values, entry.emittedMs)
        // an emission may cancel the run that it is of
        if (call.signal.aborted) return
      }
      return call.behind?.()
    } catch (error) {
      this.#abandon(id, error instanceof Error ? error : new Error(String(error)))
    }
  }

  /** The worker has not begun a call (attached-worker.A6). */
  #giveBack(id: string): void {
    const entry = this.#inFlight.get(id)
    if (entry) this.#refused.push(entry.demand)
    this.#end(id, (settle) => settle.reject(new WorkerBusy('the worker has not begun the call')))
  }

  /** Settles a running call now; its slot stays taken until the worker reports the end. */
  #abandon(id: string, error: Error): void {
    const entry = this.#running(id)
    if (!entry) return
    entry.silence.stop()
    this.#inFlight.set(id, { ...entry, settle: null, ending: new CallEnding() })
    this.#transport.send({ type: 'cancel', call: id })
    entry.settle?.reject(error)
  }

  #end(id: string, settle: (of: NonNullable<InFlight['settle']>) => void): void {
    const entry = this.#inFlight.get(id)
    if (!entry) return
    entry.silence.stop()
    this.#inFlight.delete(id)
    if (this.#inFlight.size === 0) this.#rest()
    if (entry.settle) settle(entry.settle)
    this.#deps.onChange()
  }

  #silenceOf({ call, timeout_s: seconds }: CallFrame): CallSilence {
    const { clock } = this.#deps
    const expired = (limit: number): CodeError => {
      const text = `nothing was emitted for ${limit} seconds, and worker "${this.hello.name}" did not end the call`
      return new CodeError('timeout', text, null)
    }
    return new CallSilence({
      clock,
      seconds,
      isBehind: () => this.#behind > 0,
      onExpired: (limit) => this.#abandon(call, expired(limit)),
    })
  }

  #tick(): void {
    this.#stopTicking ??= this.#deps.clock.setTimer(HEARTBEAT_S * 1000, () => {
      this.#stopTicking = null
      if (this.#behind === 0 && this.#quietTicks === 0) this.#tickEndings()
      if (this.#behind === 0) this.#quietTicks += 1
      if (this.#quietTicks * HEARTBEAT_S >= SILENCE_S) this.#silent()
      if (this.#inFlight.size > 0) this.#tick()
    })
  }

  /** Ten seconds have passed in which the worker has said something. */
  #tickEndings(): void {
    for (const [id, { call, ending }] of this.#inFlight) {
      if (ending === null || ending.isLost) continue
      const became = ending.tick()
      if (became === 'forgotten') this.#end(id, () => {})
      if (became !== 'lost') continue
      this.#deps.onLost(call)
      this.#deps.onChange()
    }
  }

  #silent(): void {
    const text = `worker "${this.hello.name}" was silent for ${SILENCE_S} seconds`
    const running = [...this.#inFlight].flatMap(([id, { settle }]) => (settle ? [id] : []))
    if (running.length > 0) this.#deps.onSilent(SILENCE_S, running.length)
    for (const id of running) this.#abandon(id, new CodeError('worker_silent', text, null))
  }

  #rest(): void {
    this.#stopTicking?.()
    this.#stopTicking = null
    this.#quietTicks = 0
  }
}
