/**
 * A worker of engines on other machines: attaches, serves calls, and attaches again when a link was lost. It ends for what
 * another attempt would not change: it was stopped or idle, refused, or its token does not count.
 * @module
 */
import { hostname, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

import type { EngineFrame } from '@flow-service/protocol'

import { createWorker, type Worker } from '../agent.ts'
import { type Resources, withDefaults, type WorkerOptions } from '../options.ts'
import { Processes } from '../processes.ts'
import { PythonEnvironments, readPythonEnvironments } from '../python-environments.ts'
import type { AddressOptions } from './addresses.ts'
import { ArtifactCache } from './artifacts/artifact-cache.ts'
import { HttpArtifacts } from './artifacts/http-artifacts.ts'
import { Lanes } from './artifacts/lanes.ts'
import { connect } from './connection.ts'
import { Engines } from './engines.ts'
import { Idle } from './idle.ts'
import { InvalidOption } from './invalid-option.ts'
import { detectResources, thisMachine } from './resources.ts'
import type { ResumableLink } from './resumable-link.ts'
import { SharedPlaces } from './shared-places.ts'
import { claimsOf } from './worker-token.ts'

const CACHE_BYTES = 1024 ** 3

/** What {@link runWorker} is told. */
export interface RemoteWorkerOptions extends AddressOptions, Pick<WorkerOptions, 'directory' | 'env' | 'python'> {
  /** Worker token of the engine. */
  readonly token: string
  /** A suggestion, the host's name unless given: the engine goes by the token's. */
  readonly name?: string | undefined
  /** Those of the token unless given; the engine refuses others. */
  readonly labels?: readonly string[] | undefined
  /** Calls at a time, 1 unless given. */
  readonly parallel?: number
  /** What is left out is detected. */
  readonly resources?: Partial<Resources>
  /** Serve the engine of `url` alone, and not the others of its database. */
  readonly single?: boolean
  /** Seconds without a call of any engine after which the worker ends; 0, and nothing, stand for never. */
  readonly maxIdleS?: number
  /** Ends the worker: its calls fail as `worker_lost`. */
  readonly signal?: AbortSignal
  readonly onEvent?: (event: WorkerEvent) => void
  /** Numbers in [0, 1) of which waits before attempts are made. */
  readonly random?: () => number
  /** Seconds without a byte of the engine that end a link, 75 unless given. */
  readonly silenceS?: number
}

/** What happens to a worker. */
export type WorkerEvent =
  | {
      readonly type: 'attached'
      readonly welcome: Extract<EngineFrame, { type: 'welcome' }>
      readonly resources: Resources
      /** By which the engine is known. */
      readonly url: string
      /** Calls of before that go on. */
      readonly resumed: number
    }
  | {
      readonly type: 'lost'
      readonly detail: string
      readonly retryMs: number
      readonly url: string
      /** Calls that go on meanwhile. */
      readonly kept: number
    }
  | { readonly type: 'problem'; readonly detail: string }

/** Why a worker has ended; `detail` says it in a sentence. */
export interface WorkerEnd {
  readonly kind: 'idle' | 'stopped' | 'refused' | 'credential'
  readonly detail: string
}

/**
 * Serves the node code of the engines of a database until it is stopped, idle, or refused for good; a lost link is opened
 * again after 0 to 60 s. Reads `SERVICE_WORKER_GPUS`, `SERVICE_PYTHON_ENVIRONMENTS`, `SERVICE_ARTIFACT_CACHE` and
 * `SERVICE_ARTIFACT_CACHE_BYTES` of `env`.
 * Rejects with an {@link InvalidOption} when an option makes no sense, before anything is sent.
 */
export async function runWorker(options: RemoteWorkerOptions): Promise<WorkerEnd> {
  const { maxIdleS = 0, onEvent = () => undefined, signal, single = false, random } = options
  const machine = new Machine(options, onEvent)
  if (signal?.aborted) return stopped
  let isIdle = false
  let attached = 0
  const idle = new Idle(maxIdleS, () => {
    isIdle = true
    engines.close('max_idle')
  })
  machine.onCalls = (calls) => idle.running(calls)
  const engines = new Engines({
    address: options,
    single,
    random,
    connect: (addresses, giveUp) => machine.connect(addresses, giveUp),
    serve: (link, onEngines) => machine.serve(link, onEngines),
    directory: () => machine.directory(),
    onIdle: () => machine.recount(),
    onWelcome: ({ url }, welcome, resumed) =>
      onEvent({ type: 'attached', welcome, resources: machine.resources, url, resumed }),
    onLost: ({ url, kept }, detail, retryMs) => onEvent({ type: 'lost', detail, retryMs, url, kept }),
    onStanding(count) {
      if (attached === 0 && count > 0) idle.attached()
      if (attached > 0 && count === 0) idle.stop()
      attached = count
    },
    onProblem: (detail) => onEvent({ type: 'problem', detail }),
  })
  const stop = (): void => engines.close('shutdown')
  signal?.addEventListener('abort', stop)
  const end = await engines.over
  signal?.removeEventListener('abort', stop)
  idle.stop()
  await machine.close()
  if (end !== null) return { kind: end.kind, detail: end.detail }
  return isIdle ? { kind: 'idle', detail: `no call came for ${maxIdleS} seconds` } : stopped
}

const stopped: WorkerEnd = { kind: 'stopped', detail: 'it was told to stop' }

/** What the attachments of a worker share: processes, places and artifacts that were fetched. */
class Machine {
  readonly resources: Resources
  /** Hears how many calls there are of all engines. */
  onCalls: (calls: number) => void = () => undefined
  readonly #options: RemoteWorkerOptions
  readonly #worker: WorkerOptions
  readonly #places: SharedPlaces
  readonly #cache: ArtifactCache
  readonly #lanes = new Lanes()
  readonly #onProblem: (detail: string) => void
  /** Calls of each engine. */
  readonly #calls = new Map<ResumableLink, number>()
  #processes: Processes | null = null

  constructor(options: RemoteWorkerOptions, onEvent: (event: WorkerEvent) => void) {
    const { token, env = process.env, url } = options
    if (!/^[\x21-\x7e]+$/.test(token))
      throw new InvalidOption('the token is empty, or holds characters that no token has')
    const claims = claimsOf(token)
    const name = options.name ?? hostname()
    this.#options = options
    this.#onProblem = (detail) => onEvent({ type: 'problem', detail })
    this.#cache = cacheOf(env, this.#onProblem)
    this.resources = detectResources(thisMachine(env), options.resources)
    this.#worker = {
      name,
      labels: options.labels ?? claims.labels,
      parallel: options.parallel ?? 1,
      resources: this.resources,
      env,
      pythons: environmentsOf(env),
      tellsPackages: true,
      warm: true,
      // of hosts with one file system each sees its own processes only
      id: [hostname(), url, claims.name ?? name].join('\n'),
      ...(options.directory === undefined ? {} : { directory: options.directory }),
      ...(options.python === undefined ? {} : { python: options.python }),
    }
    this.#places = new SharedPlaces({ parallel: options.parallel ?? 1, resources: this.resources })
  }

  connect({ attach, artifacts }: { readonly attach: URL; readonly artifacts: string }, signal: AbortSignal) {
    const { token, silenceS, insecure = false } = this.#options
    const shared = { cache: this.#cache, lanes: this.#lanes, onProblem: this.#onProblem }
    return connect({
      url: attach,
      token,
      artifacts: new HttpArtifacts({ ...shared, url: artifacts, token, insecure }),
      onProblem: this.#onProblem,
      signal,
      ...(silenceS === undefined ? {} : { silenceS }),
    })
  }

  /** Throws when there is no room for the files of processes. */
  serve(link: ResumableLink, onEngines: (urls: readonly string[]) => void): Worker {
    const onCalls = (calls: number): void => {
      this.#calls.set(link, calls)
      this.recount()
    }
    const options = { ...this.#worker, onCalls }
    return createWorker(link, options, { processes: this.#opened(), places: this.#places.open(), onEngines })
  }

  /** A new empty directory. */
  directory(): string {
    return this.#opened().directory()
  }

  /** Tells how many calls there are; one whose end an engine has still to hear is one. */
  recount(): void {
    let sum = 0
    for (const [link, calls] of this.#calls) {
      sum += Math.max(calls, link.isHolding ? 1 : 0)
      if (link.isOver && calls === 0) this.#calls.delete(link)
    }
    this.onCalls(sum)
  }

  async close(): Promise<void> {
    await this.#processes?.close()
  }

  #opened(): Processes {
    if (this.#processes) return this.#processes
    const opened = new Processes(withDefaults(this.#worker))
    this.#processes = opened
    // the next attempt may find what this one has not
    opened.started.catch(() => {
      if (this.#processes === opened) this.#processes = null
      void opened.close()
    })
    return opened
  }
}

/** Those of the setting, and those in the working directory. */
function environmentsOf(env: Readonly<Record<string, string | undefined>>): PythonEnvironments {
  try {
    const named = readPythonEnvironments(env['SERVICE_PYTHON_ENVIRONMENTS'] ?? '')
    return new PythonEnvironments({ named, folders: [process.cwd()] })
  } catch (error) {
    throw new InvalidOption(`SERVICE_PYTHON_ENVIRONMENTS: ${(error as Error).message}`)
  }
}

function cacheOf(env: Readonly<Record<string, string | undefined>>, onProblem: (text: string) => void): ArtifactCache {
  const cap = env['SERVICE_ARTIFACT_CACHE_BYTES'] ?? ''
  if (!/^\d*$/.test(cap))
    throw new InvalidOption('SERVICE_ARTIFACT_CACHE_BYTES is a whole number of bytes, 0 for no cache')
  return new ArtifactCache({
    // processes read files of it, from directories of their own
    directory: resolve(env['SERVICE_ARTIFACT_CACHE'] || join(tmpdir(), 'service-artifacts')),
    maxBytes: cap === '' ? CACHE_BYTES : Number(cap),
    onProblem,
  })
}
