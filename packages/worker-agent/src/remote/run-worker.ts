/**
 * A worker of an engine on another machine: attaches, serves calls, and attaches again when the link was lost. It ends for
 * what another attempt would not change: it was stopped or idle, refused, or its token does not count. An attempt leaves
 * nothing behind: the next one begins when all processes of the last one are gone.
 * @module
 */
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

import type { EngineFrame } from '@flow-service/protocol'

import { createWorker, WorkerRefused } from '../agent.ts'
import type { Resources, WorkerOptions } from '../options.ts'
import { type AddressOptions, addressesOf } from './addresses.ts'
import { ArtifactCache } from './artifact-cache.ts'
import { HttpArtifacts } from './artifacts.ts'
import { connect, type Connection, type ConnectionOptions, type EngineEnd, NoConnection } from './connection.ts'
import { Idle } from './idle.ts'
import { InvalidOption } from './invalid-option.ts'
import { detectResources, thisMachine } from './resources.ts'
import { claimsOf } from './worker-token.ts'

const CACHE_BYTES = 1024 ** 3
const FIRST_BOUND_MS = 1000
const LAST_BOUND_MS = 60_000

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
  /** Seconds without a call after which the worker ends; 0, and nothing, stand for never. */
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
    }
  | { readonly type: 'lost'; readonly detail: string; readonly retryMs: number }
  | { readonly type: 'problem'; readonly detail: string }

/** Why a worker has ended; `detail` says it in a sentence. */
export interface WorkerEnd {
  readonly kind: 'idle' | 'stopped' | 'refused' | 'credential'
  readonly detail: string
}

/**
 * Serves the node code of an engine until it is stopped, idle, or refused for good; a lost link is opened again after 0 to
 * 60 s. Reads `SERVICE_WORKER_GPUS`, `SERVICE_ARTIFACT_CACHE` and `SERVICE_ARTIFACT_CACHE_BYTES` of `env`. Rejects with an
 * {@link InvalidOption} when an option makes no sense, before anything is sent.
 */
export async function runWorker(options: RemoteWorkerOptions): Promise<WorkerEnd> {
  const deps = depsOf(options)
  const { signal, onEvent } = deps
  const backoff = new Backoff(options.random)
  while (!signal.aborted) {
    const end = await attempt(deps, backoff)
    if (end.kind !== 'lost') return end
    if (signal.aborted) break
    const retryMs = backoff.next()
    onEvent({ type: 'lost', detail: end.detail, retryMs })
    await pause(retryMs, undefined, { signal }).catch(() => undefined)
  }
  return stopped
}

/**
 * Waits before the next attempt. Each is drawn between 0 and a bound that doubles from 1 s to 60 s ("full jitter"), so that
 * the workers of an engine that comes back do not come back in one moment.
 */
export class Backoff {
  readonly #random: () => number
  #boundMs = FIRST_BOUND_MS

  /** `random` gives numbers in [0, 1). */
  constructor(random: () => number = Math.random) {
    this.#random = random
  }

  /** Milliseconds of the next wait. */
  next(): number {
    const waitMs = Math.round(this.#random() * this.#boundMs)
    this.#boundMs = Math.min(this.#boundMs * 2, LAST_BOUND_MS)
    return waitMs
  }

  /** An engine has welcomed the worker: the next wait is short again. */
  reset(): void {
    this.#boundMs = FIRST_BOUND_MS
  }
}

/** What all attempts share. */
interface AttemptDeps {
  readonly link: ConnectionOptions
  readonly worker: WorkerOptions & { readonly resources: Resources }
  readonly maxIdleS: number
  readonly signal: AbortSignal
  readonly onEvent: (event: WorkerEvent) => void
}

type AttemptEnd = WorkerEnd | EngineEnd
const stopped: WorkerEnd = { kind: 'stopped', detail: 'it was told to stop' }

function depsOf(options: RemoteWorkerOptions): AttemptDeps {
  const { token, env = process.env, silenceS, onEvent = () => undefined, maxIdleS = 0 } = options
  const { attach, artifacts } = addressesOf(options)
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new InvalidOption('the token is empty, or holds characters that no token has')
  const claims = claimsOf(token)
  const name = options.name ?? hostname()
  const signal = options.signal ?? new AbortController().signal
  const onProblem = (detail: string): void => onEvent({ type: 'problem', detail })
  const access = new HttpArtifacts({ url: artifacts, token, cache: cacheOf(env, onProblem) })
  return {
    link: { url: attach, token, artifacts: access, onProblem, signal, ...(silenceS === undefined ? {} : { silenceS }) },
    worker: {
      name,
      labels: options.labels ?? claims.labels,
      parallel: options.parallel ?? 1,
      resources: detectResources(thisMachine(env), options.resources),
      env,
      warm: true,
      // of hosts with one file system each sees its own processes only
      id: [hostname(), attach.href, claims.name ?? name].join('\n'),
      ...(options.directory === undefined ? {} : { directory: options.directory }),
      ...(options.python === undefined ? {} : { python: options.python }),
    },
    maxIdleS,
    signal,
    onEvent,
  }
}

/** From dialling to the end of the link. */
async function attempt(deps: AttemptDeps, backoff: Backoff): Promise<AttemptEnd> {
  let link: Connection | null = null
  try {
    link = await connect(deps.link)
    return await serve(link, deps, backoff)
  } catch (error) {
    if (error instanceof NoConnection) return error.end
    // there is no room for temporary files, say; that may pass
    await link?.close()
    return { kind: 'lost', detail: (error as Error).message }
  }
}

async function serve(link: Connection, deps: AttemptDeps, backoff: Backoff): Promise<AttemptEnd> {
  const { signal, maxIdleS, onEvent, worker: options } = deps
  let isIdle = false
  const idle = new Idle(maxIdleS, () => {
    isIdle = true
    void worker.close('max_idle')
  })
  const worker = createWorker(link, { ...options, onCalls: (calls) => idle.running(calls) })
  const stop = (): void => void worker.close()
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  const failure = await worker.ready.then(
    (welcome) => {
      backoff.reset()
      onEvent({ type: 'attached', welcome, resources: options.resources })
      idle.attached()
    },
    (error: Error) => {
      stop()
      return error
    },
  )
  await worker.closed
  signal.removeEventListener('abort', stop)
  idle.stop()
  const end = await link.close()
  if (failure instanceof WorkerRefused) return { kind: 'refused', detail: failure.message }
  if (end.kind === 'refused' || end.kind === 'credential') return { kind: end.kind, detail: end.detail }
  if (isIdle) return { kind: 'idle', detail: `no call came for ${maxIdleS} seconds` }
  if (signal.aborted) return stopped
  return { kind: 'lost', detail: end.kind === 'lost' ? end.detail : (failure?.message ?? end.detail) }
}

function cacheOf(env: Readonly<Record<string, string | undefined>>, onProblem: (text: string) => void): ArtifactCache {
  const cap = env['SERVICE_ARTIFACT_CACHE_BYTES'] ?? ''
  if (!/^\d*$/.test(cap))
    throw new InvalidOption('SERVICE_ARTIFACT_CACHE_BYTES is a whole number of bytes, 0 for no cache')
  return new ArtifactCache({
    directory: env['SERVICE_ARTIFACT_CACHE'] || join(tmpdir(), 'service-artifacts'),
    maxBytes: cap === '' ? CACHE_BYTES : Number(cap),
    onProblem,
  })
}
