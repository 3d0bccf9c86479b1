/**
 * The agent: frames of an engine in, frames of its calls out. It decides on which process a call runs: a batch call on
 * one that has run nothing, a live call on the warm one of its node.
 * @module
 */
import { createRequire } from 'node:module'

import {
  type CallFrame,
  type EngineFrame,
  type RefusedFrame,
  type SharedFrame,
  type WelcomeFrame,
  WORKER_PROTOCOL,
  type WorkerFrame,
  type WorkerPython,
} from '@flow-service/protocol'

import { Call } from './call.ts'
import { Inspection } from './inspection.ts'
import type { Interpreter } from './interpreter.ts'
import type { Language } from './language.ts'
import { LiveNodes } from './live-nodes.ts'
import { type FullOptions, withDefaults, type WorkerOptions } from './options.ts'
import type { Process } from './process.ts'
import { Processes, type ProcessKind } from './processes.ts'
import type { WorkerTransport } from './transport.ts'

const DEFAULT_HEARTBEAT_S = 10

const { version } = createRequire(import.meta.url)('../package.json') as { version: string }

/** A worker that serves an engine over a transport. */
export interface Worker {
  /**
   * Settles with the engine's welcome. Rejects when it never will: with a {@link WorkerRefused} when the
   * engine refused it, with another error when the worker ended before an answer. Nothing of the worker is left then.
   */
  readonly ready: Promise<WelcomeFrame>
  /** The interpreter of Python calls; null before `ready` and where there is none. */
  readonly python: Interpreter | null
  /**
   * Has a spare process for nodes of each of these kinds, so that a call does not wait for a start. Settles when they are
   * ready; one that cannot be had shows when a call needs it. A spare that nobody takes for ten minutes ends.
   */
  prepare(kinds: ReadonlySet<ProcessKind>): Promise<void>
  /**
   * Has Python calls from the next one on run on another interpreter, by its path; null looks for one as the start does.
   * What runs goes on. Rejects, and leaves everything as it is, when the path does not run. `over` settles when no
   * process of the interpreter before is left; it never rejects.
   */
  usePython(path: string | null): Promise<{ readonly over: Promise<void> }>
  /** Settles when the worker has ended, for whatever reason, and nothing of it is left. Never rejects. */
  readonly closed: Promise<void>
  /** Takes no more calls, and ends when those that it has are over. */
  leave(): Promise<void>
  /** Ends all calls as `worker_lost` and all processes; settles when none is left. The engine is told the reason. */
  close(reason?: ByeReason): Promise<void>
}

type ByeReason = 'max_idle' | 'shutdown'

/** The engine does not take this worker; the message says why, and what to do. */
export class WorkerRefused extends Error {
  override readonly name = 'WorkerRefused'
  readonly code: RefusedFrame['code']

  constructor({ code, detail }: RefusedFrame) {
    super(`the engine refused this worker: ${detail}`)
    this.code = code
  }
}

/** The places of a machine, as far as they are one engine's. */
export interface Places {
  /** Takes a place for a call; false when calls of other engines have it. */
  take(call: string, demand: SharedFrame['resources']): boolean
  /** The call is over. */
  free(call: string): void
  /** Calls back with what other engines have, now if that is something, and whenever it changes. */
  listen(listener: (others: Pick<SharedFrame, 'calls' | 'resources'>) => void): void
  /** The engine is gone; its calls are over soon. */
  end(): void
}

/** What a worker shares with those of other engines on its machine. */
export interface WorkerShare {
  readonly processes: Processes
  readonly places: Places
  /** Hears where engines of the database are, whenever that has changed. */
  readonly onEngines: (urls: readonly string[]) => void
}

/** Starts a worker. It ends by `close`, or when the transport closes or the engine refuses it. */
export function createWorker(transport: WorkerTransport, options: WorkerOptions = {}, share?: WorkerShare): Worker {
  const full = withDefaults(options)
  return new Agent(transport, full, share?.processes ?? new Processes(full), share ?? null)
}

class Agent implements Worker {
  readonly ready: Promise<WelcomeFrame>
  readonly closed: Promise<void>
  readonly #transport: WorkerTransport
  readonly #options: FullOptions
  readonly #processes: Processes
  /** Null for a worker that has its processes to itself. */
  readonly #share: WorkerShare | null
  readonly #calls = new Map<string, Call>()
  readonly #live = new LiveNodes()
  /** Null where processes are not debugged. */
  readonly #inspection: Inspection | null
  readonly #work = new Set<Promise<void>>()
  /** Calls that were dropped, until their processes are gone. */
  #dropping: Promise<unknown> = Promise.resolve()
  /** Processes that its calls have had, until they are gone. */
  readonly #taken = new Set<Promise<void>>()
  /** The interpreter has been looked for, and hello is said. */
  readonly #started: Promise<void>
  readonly #welcomed = Promise.withResolvers<WelcomeFrame>()
  readonly #ended = Promise.withResolvers<void>()
  readonly #stopHearing: () => void
  /** The packages that the engine knows of, as they were said. */
  #told: string | null = null
  #heartbeat: NodeJS.Timeout | undefined
  #heartbeatS = DEFAULT_HEARTBEAT_S
  #draining = false
  /** The engine takes calls back that are not begun. */
  #isSharing = false
  #hasSignedOff = false
  #refusal: WorkerRefused | null = null
  #closed: Promise<void> | null = null

  constructor(transport: WorkerTransport, options: FullOptions, processes: Processes, share: WorkerShare | null) {
    this.#transport = transport
    this.#options = options
    this.#processes = processes
    this.#share = share
    this.#inspection = options.inspect === null ? null : new Inspection(options.inspect)
    this.#stopHearing = processes.onRetire((language) => this.#live.releaseOf(language))
    this.closed = this.#ended.promise
    this.ready = this.#welcomed.promise
    // it is for who asks; nobody has to
    this.ready.catch(() => undefined)
    this.#started = processes.started.then(() => this.#hello())
    this.#started.catch((error: unknown) => this.#welcomed.reject(error))
    transport.onFrame((frame) => this.#receive(frame))
    transport.onClose(() => this.#lose())
    transport.onGap?.({
      lost: () => {
        this.#drop((call) => call.frame.mode === 'live')
        this.#live.releaseAll()
      },
      dropped: (calls) => this.#drop(({ frame }) => calls.has(frame.call)),
      full: (call, failure) => this.#calls.get(call)?.stop(failure),
    })
  }

  get python(): Interpreter | null {
    return this.#processes.python
  }

  close(reason: ByeReason = 'shutdown'): Promise<void> {
    this.#closed ??= this.#close(reason).finally(() => this.#ended.resolve())
    return this.#closed
  }

  async leave(): Promise<void> {
    this.#signOff('shutdown')
    // oxlint-disable-next-line no-await-in-loop -- a call may have come meanwhile
    while (this.#work.size > 0) await Promise.all(this.#work)
    await this.close()
  }

  prepare(kinds: ReadonlySet<ProcessKind>): Promise<void> {
    return this.#processes.prepare(kinds)
  }

  usePython(path: string | null): Promise<{ readonly over: Promise<void> }> {
    return this.#processes.usePython(path)
  }

  /** The engine has failed the calls already: no process of theirs is given time. */
  #lose(): void {
    void this.close()
    for (const call of this.#calls.values()) call.kill()
  }

  /** Ends calls of which nobody wants to hear; the next ones begin when their processes are gone (agent.H6). */
  #drop(isMeant: (call: Call) => boolean): void {
    const dropped = [...this.#calls.values()].filter(isMeant)
    for (const call of dropped) {
      this.#calls.delete(call.frame.call)
      call.stop({ type: 'worker_lost', message: 'the engine has dropped the call', traceback: null })
      call.kill()
    }
    this.#dropping = Promise.all([this.#dropping, ...dropped.map(({ over }) => over)])
  }

  async #hello(): Promise<void> {
    const { name, labels, parallel, resources } = this.#options
    const pythons = await this.#pythons()
    this.#told = JSON.stringify(pythons)
    void this.#transport.send({
      type: 'hello',
      protocol: WORKER_PROTOCOL,
      version,
      name,
      labels: [...labels],
      parallel,
      resources,
      python: this.python?.version ?? null,
      ...(pythons && { pythons }),
      stores: true,
      platform: `${process.platform}-${process.arch}`,
    })
  }

  /** What the engine is told of the interpreters; null where it is told nothing. */
  async #pythons(): Promise<WorkerPython[] | null> {
    return this.#options.tellsPackages ? await this.#processes.pythons() : null
  }

  /** Before Python is executed: the engine knows what it finds. */
  async #tellPackages(): Promise<void> {
    const pythons = await this.#pythons()
    const text = JSON.stringify(pythons)
    if (pythons === null || text === this.#told) return
    this.#told = text
    void this.#transport.send({ type: 'pythons', pythons })
  }

  #receive(frame: EngineFrame): void {
    switch (frame.type) {
      case 'welcome':
        this.#welcome(frame)
        return
      case 'refused':
        this.#refusal = new WorkerRefused(frame)
        void this.close()
        return
      case 'call':
        this.#track(this.#execute(frame))
        return
      case 'cancel':
        this.#calls.get(frame.call)?.stop({ type: 'cancelled', message: 'the call was cancelled', traceback: null })
        return
      case 'release':
        this.#live.release(frame)
        return
      case 'engines':
        this.#share?.onEngines(frame.engines)
        return
      case 'drain':
        this.#draining = true
        return
      case 'ack':
      // it is the link's
    }
  }

  #welcome(frame: WelcomeFrame): void {
    this.#heartbeatS = frame.heartbeat_s
    this.#isSharing = this.#share !== null && frame.engines !== undefined
    this.#welcomed.resolve(frame)
    if (!this.#isSharing) return
    this.#share?.places.listen(({ calls, resources }) => {
      if (!this.#hasSignedOff) void this.#transport.send({ type: 'shared', calls, resources })
    })
  }

  #track(work: Promise<void>): void {
    this.#work.add(work)
    void work.finally(() => this.#work.delete(work))
  }

  async #execute(frame: CallFrame): Promise<void> {
    const hasPlace = this.#share?.places.take(frame.call, frame.demand ?? nothing) ?? true
    if (this.#isSharing && (this.#hasSignedOff || !hasPlace)) {
      this.#share?.places.free(frame.call)
      void this.#transport.send({ type: 'busy', call: frame.call })
      return
    }
    const call: Call = new Call(frame, {
      send: (answer) => (this.#calls.get(frame.call) === call ? this.#answer(answer) : undefined),
      artifacts: this.#transport.artifacts.forCall?.(frame) ?? this.#transport.artifacts,
      onLoaded: () => this.#live.loaded(frame),
    })
    this.#calls.set(frame.call, call)
    this.#counted()
    if (this.#draining || this.#closed) {
      call.stop({ type: 'worker_lost', message: 'the worker takes no more calls', traceback: null })
    } else await this.#place(call)
    await call.over
    if (this.#calls.get(frame.call) === call) this.#calls.delete(frame.call)
    else this.#share?.places.free(frame.call)
    this.#counted()
  }

  /** Sends a frame of a call. Its place is free before the engine hears of its end: others may wait for it too. */
  #answer(frame: WorkerFrame): void | Promise<void> {
    if (frame.type === 'result' || frame.type === 'error') this.#share?.places.free(frame.call)
    return this.#transport.send(frame)
  }

  async #place(call: Call): Promise<void> {
    const { frame } = call
    try {
      await this.#dropping
      if (frame.kind === 'python') await this.#tellPackages()
      if (frame.mode === 'live') await this.#live.turn(call)
      const language = await this.#processes.language(frame.kind, frame.python)
      const warm = frame.mode === 'live' ? this.#live.find(frame, language) : undefined
      const process = warm?.process ?? (await this.#take(language))
      if (!warm) await this.#inspection?.open(process, frame)
      if (!call.isWaiting) {
        if (!warm) process.kill()
        return
      }
      if (frame.mode === 'live' && !warm) this.#live.keep(frame, process, language)
      if (language.closing) this.#live.releaseOf(language)
      call.start(process, !warm?.loaded)
    } catch (error) {
      call.stop({ type: 'process_died', message: (error as Error).message, traceback: null })
    }
  }

  async #take(language: Language): Promise<Process> {
    const process = await language.take()
    this.#taken.add(process.cleared)
    void process.cleared.then(() => this.#taken.delete(process.cleared))
    return process
  }

  /** Heartbeats while there is a call. */
  #counted(): void {
    this.#options.onCalls(this.#calls.size)
    if (this.#calls.size === 0) {
      clearInterval(this.#heartbeat)
      this.#heartbeat = undefined
      return
    }
    this.#heartbeat ??= setInterval(
      () => void this.#transport.send({ type: 'heartbeat', calls: [...this.#calls.keys()] }),
      this.#heartbeatS * 1000,
    )
  }

  /** An engine that knows it sends no more calls. */
  #signOff(reason: ByeReason): void {
    if (this.#hasSignedOff) return
    this.#hasSignedOff = true
    void this.#transport.send({ type: 'bye', reason })
  }

  async #close(reason: ByeReason): Promise<void> {
    const failure = { type: 'worker_lost', message: 'the worker was stopped', traceback: null }
    for (const call of this.#calls.values()) call.stop(failure)
    // `ready` tells a failed start
    await Promise.allSettled([this.#started, ...this.#work])
    // before processes without a call end
    this.#signOff(reason)
    this.#live.releaseAll()
    if (this.#share === null) await this.#processes.close()
    else await Promise.all(this.#taken)
    this.#share?.places.end()
    clearInterval(this.#heartbeat)
    this.#stopHearing()
    this.#welcomed.reject(this.#refusal ?? new Error('the worker ended before the engine had welcomed it'))
  }
}

const nothing: SharedFrame['resources'] = { cpus: 0, gpus: 0, ram_mb: 0 }
