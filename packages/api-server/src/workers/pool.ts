/**
 * The workers that are attached to this engine, and those that it refused because they speak another version.
 * @module
 */
import type { Clock } from '@flow-service/core'
import {
  type ForeignHelloFrame,
  type HelloFrame,
  type RefusedFrame,
  timestampOfMs,
  WORKER_PROTOCOL,
  type WorkerEntry,
  type WorkerFrame,
} from '@flow-service/protocol'
import type { EngineTransport } from '@flow-service/worker-agent'

import type { EngineContact } from '../engines/contact.ts'
import type { NewsEntry } from '../events/event-log.ts'
import type { WorkerPrincipal } from '../http/principal.ts'
import { AttachedWorker, HEARTBEAT_S, SILENCE_S } from './attached-worker.ts'
import type { Amounts } from './demand.ts'

/** Nouns and facts of the engine that the pool uses. */
export interface PoolDeps {
  readonly clock: Clock
  readonly newId: () => string
  readonly engineVersion: string
  /** Where workers attach to the engines of the database; unless given, nowhere else. */
  readonly engines?: Pick<EngineContact, 'attachUrl' | 'attachUrls' | 'onAttachUrls'>
  /** Hears of remote workers that come, leave and are refused. */
  readonly report?: (news: NewsEntry) => void
}

/** Where a call wants to run. */
export interface Wish {
  /** A worker's name or label; null asks for the engine's own agent. */
  readonly worker: string | null
  readonly policy: 'require' | 'prefer'
  readonly demand: Amounts
  /** The id of the worker that has the process of a live node; null when there is none. */
  readonly home: string | null
}

/** A worker whose calls are lost, and how. */
export interface LostWorker {
  readonly worker: string
  readonly detail: string
}

/** Names come from outside: of more than these the oldest is forgotten. */
const MAX_REFUSED = 1000

/** Knows the attached workers and chooses among them. */
export class WorkerPool {
  readonly #deps: PoolDeps
  readonly #workers = new Map<string, AttachedWorker>()
  readonly #refused = new Map<string, WorkerEntry>()
  readonly #listeners = new Set<() => void>()
  readonly #mourners = new Set<(lost: LostWorker) => void>()
  #droppedResults = 0

  constructor(deps: PoolDeps) {
    this.#deps = deps
    deps.engines?.onAttachUrls(() => {
      for (const worker of this.#workers.values()) worker.tellEngines(deps.engines?.attachUrls ?? [])
    })
  }

  /** The attached workers, the longest attached first. */
  list(): AttachedWorker[] {
    return [...this.#workers.values()]
  }

  /** Results that nobody waited for, of all workers since the start. */
  get droppedResults(): number {
    return this.#droppedResults
  }

  /** Workers that were refused for their version, until one of the name attaches; the longest refused first. */
  needingUpgrade(): WorkerEntry[] {
    return [...this.#refused.values()]
  }

  /** Calls back whenever a worker attaches, leaves or has a free slot; the result ends that. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Calls back whenever a worker of another machine disconnects during calls or falls silent; the result ends that. */
  onLost(listener: (lost: LostWorker) => void): () => void {
    this.#mourners.add(listener)
    return () => this.#mourners.delete(listener)
  }

  /**
   * Takes a worker in once it says hello, until its transport closes; one of another version, or with other labels than
   * its token, is told why not, and its transport is closed. Without a token it is the engine's own agent.
   */
  attach(transport: EngineTransport, token: WorkerPrincipal | null): void {
    let worker: AttachedWorker | null = null
    // a link may take its time to close
    let isRefused = false
    transport.onFrame((frame: WorkerFrame) => {
      if (worker) return worker.receive(frame)
      if (frame.type !== 'hello' || isRefused) return
      const refusal = this.#refusalOf(frame, token)
      if (refusal === null && isOurs(frame)) worker = this.#welcome(transport, frame, token)
      else if (refusal !== null) {
        isRefused = true
        transport.send(refusal)
        transport.close('refused')
      }
    })
    transport.onClose(() => {
      if (!worker || !this.#workers.delete(worker.id)) return
      const { hello, load, local } = worker
      if (!local) this.#tell('warning', 'worker.detach', { worker: hello.name, lost_calls: load })
      if (!local && load > 0)
        this.#lost(hello.name, `it has disconnected during ${load === 1 ? 'a call' : `${load} calls`}`)
      worker.lost()
      this.#changed()
    })
  }

  /**
   * The worker that takes the wish now, or null when it has to wait. Among the workers that are meant and have room,
   * the one with the fewest calls. `prefer` means the engine's agent while no attached worker is meant. A live node stays
   * with its process as long as that worker is meant: what its code keeps in memory is there.
   */
  choose({ worker, policy, demand, home }: Wish): AttachedWorker | null {
    const workers = this.list()
    const meant = worker === null ? [] : workers.filter((candidate) => candidate.answersTo(worker))
    const own = worker === null || (policy === 'prefer' && meant.length === 0)
    const candidates = own ? workers.filter((candidate) => candidate.local) : meant
    const settled = candidates.filter(({ id }) => id === home)
    const free = (settled.length > 0 ? settled : candidates).filter((candidate) => candidate.hasRoomFor(demand))
    return free.toSorted((a, b) => a.load - b.load)[0] ?? null
  }

  #welcome(transport: EngineTransport, hello: HelloFrame, token: WorkerPrincipal | null): AttachedWorker {
    const { clock, newId, engineVersion, engines } = this.#deps
    const worker = new AttachedWorker(transport, {
      id: newId(),
      hello,
      token,
      clock,
      onChange: () => this.#changed(),
      onDropped: () => void (this.#droppedResults += 1),
      onSilent: (seconds, calls) => {
        if (token === null) return
        this.#tell('warning', 'worker.silent', { worker: token.name, lost_calls: calls })
        this.#lost(
          token.name,
          `it was silent for ${seconds} seconds during ${calls === 1 ? 'a call' : `${calls} calls`}`,
        )
      },
      onLost: ({ document, node, run }) =>
        this.#tell('warning', 'worker.lost_call', {
          worker: worker.hello.name,
          flow: document.name,
          node: node.id,
          run,
        }),
    })
    transport.send({
      type: 'welcome',
      worker: worker.id,
      name: worker.hello.name,
      labels: worker.hello.labels,
      protocol: WORKER_PROTOCOL,
      engine_version: engineVersion,
      runtime: null,
      heartbeat_s: HEARTBEAT_S,
      silence_s: SILENCE_S,
      url: engines?.attachUrl ?? null,
      engines: [...(engines?.attachUrls ?? [])],
    })
    this.#workers.set(worker.id, worker)
    this.#refused.delete(worker.hello.name)
    if (token) this.#tell('info', 'worker.attach', { worker: token.name, labels: token.labels, version: hello.version })
    this.#changed()
    return worker
  }

  /** Why a worker cannot be taken in; null when it can. */
  #refusalOf(hello: HelloFrame | ForeignHelloFrame, token: WorkerPrincipal | null): RefusedFrame | null {
    const name = token?.name ?? hello.name
    if (!isOurs(hello)) return this.#otherVersion({ ...hello, name }, token?.labels ?? [])
    if (token === null || isSameSet(hello.labels, token.labels)) return null
    const [offered, signed] = [hello.labels, token.labels].map((labels) => labels.join(', ') || 'none')
    const detail = `worker "${name}" asks for the labels ${offered}, and its token has ${signed}: leave --labels out, or make a token with these labels`
    this.#tell('warning', 'worker.refuse', { worker: name, reason: 'labels_mismatch' })
    return { type: 'refused', code: 'labels_mismatch', protocol: WORKER_PROTOCOL, detail }
  }

  #otherVersion({ name, version, protocol }: ForeignHelloFrame, labels: readonly string[]): RefusedFrame {
    const { clock, engineVersion, newId } = this.#deps
    const at = timestampOfMs(clock.now())
    this.#refused.delete(name)
    this.#refused.set(name, {
      id: newId(),
      name,
      labels: [...labels],
      version,
      protocol,
      status: 'needs_upgrade',
      parallel: 0,
      calls: [],
      resources: nothing,
      free: nothing,
      python: null,
      platform: '',
      provisioned_by: null,
      attached_at: at,
      last_contact_at: at,
    })
    const [oldest] = this.#refused.keys()
    if (oldest !== undefined && this.#refused.size > MAX_REFUSED) this.#refused.delete(oldest)
    this.#tell('warning', 'worker.refuse', { worker: name, reason: 'protocol_mismatch', version, protocol })
    const remedy = protocol < WORKER_PROTOCOL ? 'upgrade the worker' : 'upgrade the engine first, then its workers'
    return {
      type: 'refused',
      code: 'protocol_mismatch',
      protocol: WORKER_PROTOCOL,
      detail:
        `worker "${name}" (version ${version}) speaks protocol ${protocol}, ` +
        `this engine (version ${engineVersion}) speaks protocol ${WORKER_PROTOCOL}: ${remedy}`,
    }
  }

  #tell(level: 'info' | 'warning', action: string, detail: Record<string, unknown>): void {
    this.#deps.report?.({ kind: 'worker', level, action, detail })
  }

  #lost(worker: string, detail: string): void {
    for (const listener of this.#mourners) listener({ worker, detail })
  }

  #changed(): void {
    for (const listener of this.#listeners) listener()
  }
}

const nothing = { cpus: 0, gpus: 0, ram_mb: 0 }

const isSameSet = (a: readonly string[], b: readonly string[]): boolean =>
  a.every((one) => b.includes(one)) && b.every((one) => a.includes(one))

const isOurs = (hello: HelloFrame | ForeignHelloFrame): hello is HelloFrame => hello.protocol === WORKER_PROTOCOL
