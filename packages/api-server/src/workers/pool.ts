/**
 * The workers that are attached to this engine, and those that it refused because they speak another version.
 * @module
 */
import type { Clock } from '@flow-service/core'
import { type ForeignHelloFrame, type HelloFrame, WORKER_PROTOCOL, type WorkerFrame } from '@flow-service/protocol'
import type { EngineTransport } from '@flow-service/worker-agent'

import { AttachedWorker, HEARTBEAT_S, SILENCE_S } from './attached-worker.ts'
import type { Amounts } from './demand.ts'

/** What the pool needs of the engine. */
export interface PoolSetting {
  readonly clock: Clock
  readonly newId: () => string
  readonly engineVersion: string
}

/** Where a call wants to run. */
export interface Wish {
  /** A worker's name or label; null asks for the engine's own agent. */
  readonly worker: string | null
  readonly policy: 'require' | 'prefer'
  readonly demand: Amounts
}

/** A worker that was refused: nothing of that name can attach before it, or the engine, is upgraded. */
export type RefusedWorker = Pick<ForeignHelloFrame, 'name' | 'version' | 'protocol'>

/** Names come from outside: of more than these the oldest is forgotten. */
const MAX_REFUSED = 1000

/** Knows the attached workers and chooses among them. */
export class WorkerPool {
  readonly #setting: PoolSetting
  readonly #workers = new Map<string, AttachedWorker>()
  readonly #refused = new Map<string, RefusedWorker>()
  readonly #listeners = new Set<() => void>()
  #droppedResults = 0

  constructor(setting: PoolSetting) {
    this.#setting = setting
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
  needingUpgrade(): RefusedWorker[] {
    return [...this.#refused.values()]
  }

  /** Calls back whenever a worker attaches, leaves or has a free slot; the result ends that. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /**
   * Takes a worker in once it says hello, until its transport closes; one of another version is told why not, and its
   * transport is closed. `local` marks the engine's own agent.
   */
  attach(transport: EngineTransport, options: { readonly local: boolean }): void {
    let worker: AttachedWorker | null = null
    // a link may take its time to close
    let isRefused = false
    transport.onFrame((frame: WorkerFrame) => {
      if (worker) return worker.receive(frame)
      if (frame.type !== 'hello' || isRefused) return
      if (isOurs(frame)) worker = this.#welcome(transport, frame, options.local)
      else {
        isRefused = true
        this.#refuse(transport, frame)
      }
    })
    transport.onClose(() => {
      if (!worker || !this.#workers.delete(worker.id)) return
      worker.lost()
      this.#changed()
    })
  }

  /**
   * The worker that takes the wish now, or null when it has to wait. Among the workers that are meant and have room,
   * the one with the fewest calls. `prefer` means the engine's agent while no attached worker is meant.
   */
  choose({ worker, policy, demand }: Wish): AttachedWorker | null {
    const workers = this.list()
    const meant = worker === null ? [] : workers.filter((candidate) => candidate.answersTo(worker))
    const own = worker === null || (policy === 'prefer' && meant.length === 0)
    const candidates = own ? workers.filter((candidate) => candidate.local) : meant
    const free = candidates.filter((candidate) => candidate.hasRoomFor(demand))
    return free.toSorted((a, b) => a.load - b.load)[0] ?? null
  }

  #welcome(transport: EngineTransport, hello: HelloFrame, local: boolean): AttachedWorker {
    const { clock, newId, engineVersion } = this.#setting
    const worker = new AttachedWorker(transport, {
      id: newId(),
      hello,
      local,
      clock,
      onChange: () => this.#changed(),
      onDropped: () => void (this.#droppedResults += 1),
    })
    transport.send({
      type: 'welcome',
      worker: worker.id,
      name: hello.name,
      labels: hello.labels,
      protocol: WORKER_PROTOCOL,
      engine_version: engineVersion,
      runtime: null,
      heartbeat_s: HEARTBEAT_S,
      silence_s: SILENCE_S,
    })
    this.#workers.set(worker.id, worker)
    this.#refused.delete(hello.name)
    this.#changed()
    return worker
  }

  #refuse(transport: EngineTransport, { name, version, protocol }: ForeignHelloFrame): void {
    this.#refused.delete(name)
    this.#refused.set(name, { name, version, protocol })
    const [oldest] = this.#refused.keys()
    if (oldest !== undefined && this.#refused.size > MAX_REFUSED) this.#refused.delete(oldest)
    const remedy = protocol < WORKER_PROTOCOL ? 'upgrade the worker' : 'upgrade the engine first, then its workers'
    transport.send({
      type: 'refused',
      code: 'protocol_mismatch',
      protocol: WORKER_PROTOCOL,
      detail:
        `worker "${name}" (version ${version}) speaks protocol ${protocol}, ` +
        `this engine (version ${this.#setting.engineVersion}) speaks protocol ${WORKER_PROTOCOL}: ${remedy}`,
    })
    transport.close('refused')
  }

  #changed(): void {
    for (const listener of this.#listeners) listener()
  }
}

const isOurs = (hello: HelloFrame | ForeignHelloFrame): hello is HelloFrame => hello.protocol === WORKER_PROTOCOL
