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
 * - attached-worker.A4 while a worker is away that can come back (`worker-session.ts`) nothing is placed on it, no clock of
 *   its calls runs, and what is cancelled settles. When it is back it hears of that; a call that it does not know was never
 *   begun there, and is placed again.
 * - attached-worker.A5 a call of which its worker says nothing ends by its `timeout` all the same (call-silence.S1).
 * - attached-worker.A6 a call that the worker does not begin, because calls of other engines have its place, is placed
 *   again: its promise rejects with a {@link WorkerBusy}, and no attempt counts. Nothing as large is sent there until the
 *   worker tells anew what other engines take of it; that is not free.
 */
import { type CodeCall, CodeError, LeftBehind } from '@flow-service/core'
import {
  type CallFrame,
  type HelloFrame,
  timestampOfMs,
  type WorkerEntry,
  type WorkerFrame,
  type WorkerPython,
} from '@flow-service/protocol'

import { type Amounts, wireAmounts } from './demand.ts'
import { InFlightCall } from './in-flight-call.ts'
import { frameFor, noBytes, outputsOf } from './stored-frames.ts'
import { WorkerBusy, type WorkerDeps, type WorkerLink } from './worker-deps.ts'
import { WorkerRoom } from './worker-room.ts'

/** Seconds between two heartbeats of a worker that executes. */
export const HEARTBEAT_S = 10
/** Seconds without contact that fail a worker's calls. */
export const SILENCE_S = 90

type Values = Record<string, unknown>

/** A worker that has said hello. */
export class AttachedWorker {
  readonly id: string
  readonly hello: HelloFrame
  /** The interpreters of a worker of another machine, as it has told last. */
  pythons: readonly WorkerPython[]
  readonly #link: WorkerLink
  readonly #deps: WorkerDeps
  readonly #room: WorkerRoom
  readonly #inFlight = new Map<string, InFlightCall>()
  readonly #attachedMs: number
  #contactMs: number
  #quietTicks = 0
  /** It has said that it leaves. */
  #leaves = false
  #isAway = false
  /** Frames that are not dealt with yet. */
  #behind = 0
  #stopTicking: (() => void) | null = null
  #startedBy: WorkerEntry['provisioned_by'] = null

  constructor(link: WorkerLink, deps: WorkerDeps) {
    this.#link = link
    this.#deps = deps
    this.id = deps.id
    const { hello, token } = deps
    // a name and labels are what the token says
    this.hello = token === null ? hello : { ...hello, name: token.name, labels: [...token.labels] }
    this.#room = new WorkerRoom(hello)
    this.pythons = hello.pythons ?? []
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

  /** Whether it executes Python on the interpreter of a name; the engine's own finds out when it does. */
  hasPython(name: string | null): boolean {
    return name === null || this.local || this.pythons.some((python) => python.name === name)
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
    return this.#room.total
  }

  /** What its calls leave of it, and those of other engines. */
  get free(): Amounts {
    return this.#room.free(this.#demands())
  }

  /** Whether it is not attached, and may come back (attached-worker.A4). */
  get isAway(): boolean {
    return this.#isAway
  }

  /** How many batch calls somebody waits for. */
  get waitedFor(): number {
    return [...this.#inFlight.values()].filter(isKept).length
  }

  /** Whether a call with this demand can start now. */
  hasRoomFor(demand: Amounts): boolean {
    return this.#link.isOpen && !this.#leaves && this.#room.isEnough(demand, this.#demands())
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
      calls: [...this.#inFlight.values()].map((entry) => entry.view()),
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

  /** Executes a call; rejects with a {@link CodeError}, or with what `onEmit` threw. `load` is for stored inputs. */
  run(frame: CallFrame, call: CodeCall, demand: Amounts, load = noBytes): Promise<Values> {
    const done = this.goOn(frame, call, demand)
    const suited = frameFor(this.hello, frame, call, load)
    const fail = (type: string) => (error: Error) =>
      this.#end(call.id, (entry) => entry.fail(new CodeError(type, error.message, null)))
    if (suited instanceof Promise) {
      suited.then((whole) => this.#running(call.id) && this.#send(whole, demand, fail), fail('missing_artifact'))
    } else this.#send(suited, demand, fail)
    return done
  }

  #send(frame: CallFrame, demand: Amounts, fail: (type: string) => (error: Error) => void): void {
    try {
      this.#link.send({ ...frame, demand: wireAmounts(demand) })
    } catch (error) {
      fail('frame_too_large')(error as Error)
    }
  }

  /** As {@link run}, for a call that the worker executes already. */
  goOn({ timeout_s }: Pick<CallFrame, 'timeout_s'>, call: CodeCall, demand: Amounts): Promise<Values> {
    const entry = new InFlightCall({
      call,
      demand,
      timeout_s,
      clock: this.#deps.clock,
      isBehind: () => this.#behind > 0 || this.#isAway,
      onAbort: () => this.#aborted(call),
      onExpired: (seconds) => {
        const text = `nothing was emitted for ${seconds} seconds, and worker "${this.hello.name}" did not end the call`
        this.#abandon(call.id, new CodeError('timeout', text, null))
      },
    })
    this.#inFlight.set(call.id, entry)
    this.#tick()
    return entry.done
  }

  /** Ends the warm process of a live node. */
  release(flow: string, node: string): void {
    this.#link.send({ type: 'release', flow, node })
  }

  /** Tells where workers attach to the engines of the database. */
  tellEngines(urls: readonly string[]): void {
    this.#link.send({ type: 'engines', engines: [...urls] })
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
        entry?.touch()
        const name = entry?.call.document.resources.python ?? null
        const python = this.pythons.find((each) => each.name === name)
        entry?.call.onPlace({ worker: this.hello.name, ...(python && { python }) })
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
        this.#end(frame.call, (entry) => entry.resolve(outputsOf(frame)))
        return
      case 'error': {
        const { type, message, traceback } = frame.error
        if (!this.#inFlight.has(frame.call)) this.#deps.onDropped()
        this.#end(frame.call, (entry) => entry.fail(new CodeError(type, message, traceback)))
        return
      }
      case 'busy':
        this.#giveBack(frame.call)
        return
      case 'shared':
        this.#room.shared(frame)
        this.#deps.onChange()
        return
      case 'pythons':
        this.pythons = frame.pythons
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
    this.#rest()
    this.#lose([...this.#inFlight.keys()])
  }

  /** The connection is gone; the worker may come back with its batch calls, and ends those of live flows. */
  goAway(): void {
    this.#isAway = true
    this.#rest()
    this.#lose([...this.#inFlight].flatMap(([id, { call }]) => (call.document.mode === 'live' ? [id] : [])))
  }

  /** It is back with these calls (attached-worker.A4). */
  comeBack(calls: ReadonlySet<string>): void {
    this.#isAway = false
    this.#contactMs = this.#deps.clock.now()
    // the place of one that ends here goes to another call at once, of which the worker has not heard either
    for (const [id, entry] of new Map(this.#inFlight)) {
      if (!calls.has(id)) this.#end(id, notBegun)
      else if (entry.isRunning) entry.touch()
      else this.#link.send({ type: 'cancel', call: id })
    }
    if (this.#inFlight.size > 0) this.#tick()
    this.#deps.onChange()
  }

  #lose(ids: readonly string[]): void {
    for (const id of ids) {
      const entry = this.#inFlight.get(id)
      this.#inFlight.delete(id)
      const text = `worker "${this.hello.name}" disconnected during the call`
      entry?.fail(new CodeError('worker_lost', text, null))
      this.#deps.onEnd?.(id)
    }
  }

  /** The calls that have a place. */
  #placed(): InFlightCall[] {
    return [...this.#inFlight.values()].filter(({ ending }) => ending?.isLost !== true)
  }

  #demands(): Amounts[] {
    return this.#placed().map(({ demand }) => demand)
  }

  #running(id: string): InFlightCall | undefined {
    const entry = this.#inFlight.get(id)
    return entry?.isRunning ? entry : undefined
  }

  #emit(id: string, batch: Extract<WorkerFrame, { type: 'emit' }>['batch']): void | Promise<void> {
    try {
      return this.#running(id)?.emit(batch)
    } catch (error) {
      this.#abandon(id, error instanceof Error ? error : new Error(String(error)))
    }
  }

  /** The worker has not begun a call (attached-worker.A6). */
  #giveBack(id: string): void {
    const entry = this.#inFlight.get(id)
    if (entry) this.#room.refused(entry.demand)
    this.#end(id, notBegun)
  }

  /** Settles a running call now; its slot stays taken until the worker reports the end. */
  #abandon(id: string, error: Error): void {
    const entry = this.#running(id)
    if (!entry) return
    entry.giveUp(error)
    this.#link.send({ type: 'cancel', call: id })
  }

  /** A call is cancelled, or the engine stops and leaves it to its worker. */
  #aborted({ id, signal }: CodeCall): void {
    const error = new CodeError('cancelled', 'the call was cancelled', null)
    if (signal.reason instanceof LeftBehind) this.#end(id, (entry) => entry.fail(error))
    else this.#abandon(id, error)
  }

  #end(id: string, end: (of: InFlightCall) => void): void {
    const entry = this.#inFlight.get(id)
    if (!entry) return
    this.#inFlight.delete(id)
    if (this.#inFlight.size === 0) this.#rest()
    end(entry)
    this.#deps.onEnd?.(id)
    this.#deps.onChange()
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
    const running = [...this.#inFlight].flatMap(([id, { isRunning }]) => (isRunning ? [id] : []))
    if (running.length > 0) this.#deps.onSilent(SILENCE_S, running.length)
    for (const id of running) this.#abandon(id, new CodeError('worker_silent', text, null))
  }

  #rest(): void {
    this.#stopTicking?.()
    this.#stopTicking = null
    this.#quietTicks = 0
  }
}

const isKept = ({ call, isRunning }: InFlightCall): boolean => isRunning && call.document.mode === 'batch'

const notBegun = (call: InFlightCall): void => call.fail(new WorkerBusy('the worker has not begun the call'))
