/**
 * The agent: frames of an engine in, frames of its calls out. It decides on which process a call runs: a batch call on
 * one that has run nothing, a live call on the warm one of its node.
 * @module
 */
import { createRequire } from 'node:module'

import { type CallFrame, type EngineFrame, type RefusedFrame, WORKER_PROTOCOL } from '@flow-service/protocol'

import { Call } from './call.ts'
import { processEnvironment } from './environment.ts'
import { askPython, findPython, type Interpreter, OLDEST_PYTHON } from './interpreter.ts'
import { Language } from './language.ts'
import { LiveNodes } from './live-nodes.ts'
import { type FullOptions, withDefaults, type WorkerOptions } from './options.ts'
import { Python } from './python.ts'
import { startCodeProcess } from './spawned.ts'
import { sweep } from './sweep.ts'
import type { WorkerTransport } from './transport.ts'
import { Workspace } from './workspace.ts'

const DEFAULT_HEARTBEAT_S = 10
/** Spawning Node blocks our loop for some milliseconds; asking for a fork costs one write. */
const NODE_REFILL_MS = 10
const PYTHON_REFILL_MS = 1

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
   * Has Python calls from the next one on run on another interpreter, by its path; null looks for one as the start does.
   * What runs goes on. Rejects, and leaves everything as it is, when the path does not run. `over` settles when no
   * process of the interpreter before is left; it never rejects.
   */
  usePython(path: string | null): Promise<{ readonly over: Promise<void> }>
  /** Settles when the worker has ended, for whatever reason, and nothing of it is left. Never rejects. */
  readonly closed: Promise<void>
  /** Ends all calls as `worker_lost` and all processes; settles when none is left. The engine is told the reason. */
  close(reason?: 'max_idle' | 'shutdown'): Promise<void>
}

type WelcomeFrame = Extract<EngineFrame, { type: 'welcome' }>

/** The engine does not take this worker; the message says why, and what to do. */
export class WorkerRefused extends Error {
  override readonly name = 'WorkerRefused'
  readonly code: RefusedFrame['code']

  constructor({ code, detail }: RefusedFrame) {
    super(`the engine refused this worker: ${detail}`)
    this.code = code
  }
}

/** Starts a worker. It ends by `close`, or when the transport closes or the engine refuses it. */
export function createWorker(transport: WorkerTransport, options: WorkerOptions = {}): Worker {
  return new Agent(transport, withDefaults(options))
}

class Agent implements Worker {
  readonly ready: Promise<WelcomeFrame>
  readonly closed: Promise<void>
  python: Interpreter | null = null
  readonly #transport: WorkerTransport
  readonly #options: FullOptions
  readonly #workspace: Workspace
  readonly #code: Language
  readonly #calls = new Map<string, Call>()
  readonly #live = new LiveNodes()
  readonly #work = new Set<Promise<void>>()
  readonly #env: Record<string, string>
  /** The interpreter has been looked for, and hello is said. */
  readonly #started: Promise<void>
  readonly #welcomed = Promise.withResolvers<WelcomeFrame>()
  readonly #ended = Promise.withResolvers<void>()
  #python: Language | null = null
  /** Interpreters that are no longer used, until their processes are gone. */
  readonly #retiring = new Set<Promise<void>>()
  #heartbeat: NodeJS.Timeout | undefined
  #heartbeatS = DEFAULT_HEARTBEAT_S
  #draining = false
  #refusal: WorkerRefused | null = null
  #closed: Promise<void> | null = null

  constructor(transport: WorkerTransport, options: FullOptions) {
    this.#transport = transport
    this.#options = options
    this.#workspace = new Workspace(options.directory, options.mark)
    this.#env = processEnvironment(options.env, options.mark)
    this.#code = new Language({ start: () => startCodeProcess(this.#env, this.#workspace), refillMs: NODE_REFILL_MS })
    this.closed = this.#ended.promise
    this.ready = this.#welcomed.promise
    // it is for who asks; nobody has to
    this.ready.catch(() => undefined)
    this.#started = this.#start()
    this.#started.catch((error: unknown) => this.#welcomed.reject(error))
    transport.onFrame((frame) => this.#receive(frame))
    transport.onClose(() => this.#lose())
  }

  close(reason: 'max_idle' | 'shutdown' = 'shutdown'): Promise<void> {
    this.#closed ??= this.#close(reason).finally(() => this.#ended.resolve())
    return this.#closed
  }

  async usePython(path: string | null): Promise<{ readonly over: Promise<void> }> {
    await this.#started
    const found = await interpreterFor({ ...this.#options, python: path ?? undefined })
    if (found === null && path !== null) throw new Error(`${path} does not run as Python >= ${OLDEST_PYTHON}`)
    if (this.#closed) return { over: this.#closed }
    const before = this.#python
    this.#take(found)
    const over = before === null ? Promise.resolve() : this.#retire(before)
    return { over }
  }

  /** The engine has failed the calls already: no process of theirs is given time. */
  #lose(): void {
    void this.close()
    for (const call of this.#calls.values()) call.kill()
  }

  async #start(): Promise<void> {
    const { directory, mark, warm } = this.#options
    await sweep(directory, mark)
    this.#take(await interpreterFor(this.#options))
    if (warm) this.#code.warm()
    this.#hello()
  }

  /** Python calls run on this interpreter from now on. */
  #take(found: Interpreter | null): void {
    const { fork, warm } = this.#options
    this.python = found
    this.#python = null
    if (found === null) return
    const processes = new Python({ path: found.path, env: this.#env, workspace: this.#workspace, fork })
    this.#python = new Language({
      start: () => processes.start(),
      refillMs: PYTHON_REFILL_MS,
      end: () => processes.close(),
    })
    if (warm) this.#python.warm()
  }

  /** Settles when the last process of an interpreter is gone. */
  #retire(language: Language): Promise<void> {
    this.#live.releaseOf(language)
    // what cannot be closed now ends with the agent
    const over = language.close().catch(() => undefined)
    this.#retiring.add(over)
    void over.then(() => this.#retiring.delete(over))
    return over
  }

  #hello(): void {
    const { name, labels, parallel, resources } = this.#options
    void this.#transport.send({
      type: 'hello',
      protocol: WORKER_PROTOCOL,
      version,
      name,
      labels: [...labels],
      parallel,
      resources,
      python: this.python?.version ?? null,
      platform: `${process.platform}-${process.arch}`,
    })
  }

  #receive(frame: EngineFrame): void {
    switch (frame.type) {
      case 'welcome':
        this.#heartbeatS = frame.heartbeat_s
        this.#welcomed.resolve(frame)
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
      case 'drain':
        this.#draining = true
        return
    }
  }

  #track(work: Promise<void>): void {
    this.#work.add(work)
    void work.finally(() => this.#work.delete(work))
  }

  async #execute(frame: CallFrame): Promise<void> {
    const call = new Call(frame, {
      send: (answer) => this.#transport.send(answer),
      artifacts: this.#transport.artifacts,
      onLoaded: () => this.#live.loaded(frame),
    })
    this.#calls.set(frame.call, call)
    this.#counted()
    if (this.#draining || this.#closed) {
      call.stop({ type: 'worker_lost', message: 'the worker takes no more calls', traceback: null })
    } else await this.#place(call)
    await call.over
    this.#calls.delete(frame.call)
    this.#counted()
  }

  async #place(call: Call): Promise<void> {
    const { frame } = call
    try {
      if (frame.mode === 'live') await this.#live.turn(call)
      const language = frame.kind === 'code' ? this.#code : await this.#pythonLanguage()
      const warm = frame.mode === 'live' ? this.#live.find(frame, language) : undefined
      const process = warm?.process ?? (await language.take())
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

  async #pythonLanguage(): Promise<Language> {
    await this.#started
    if (this.#python) return this.#python
    throw new Error(`this worker has no Python >= ${OLDEST_PYTHON}: install it, or set SERVICE_PYTHON to its path`)
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

  async #close(reason: 'max_idle' | 'shutdown'): Promise<void> {
    const failure = { type: 'worker_lost', message: 'the worker was stopped', traceback: null }
    for (const call of this.#calls.values()) call.stop(failure)
    // `ready` tells a failed start
    await Promise.allSettled([this.#started, ...this.#work])
    // before processes without a call end: an engine that knows it sends no more calls
    void this.#transport.send({ type: 'bye', reason })
    this.#live.releaseAll()
    await Promise.all([this.#code.close(), this.#python?.close(), ...this.#retiring])
    clearInterval(this.#heartbeat)
    // what cannot be removed now is left to the sweep of a later start
    await this.#workspace.remove().catch(() => undefined)
    this.#welcomed.reject(this.#refusal ?? new Error('the worker ended before the engine had welcomed it'))
  }
}

const interpreterFor = async ({ python, env }: FullOptions): Promise<Interpreter | null> =>
  python === undefined ? await findPython(env) : python === null ? null : await askPython(python)
