/**
 * The workers that are attached to this engine.
 * @module
 */
import type { Clock } from '@flow-service/core'
import { WORKER_PROTOCOL, type HelloFrame, type WorkerFrame } from '@flow-service/protocol'
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

/** Knows the attached workers and chooses among them. */
export class WorkerPool {
  readonly #setting: PoolSetting
  readonly #workers = new Map<string, AttachedWorker>()
  readonly #listeners = new Set<() => void>()

  constructor(setting: PoolSetting) {
    this.#setting = setting
  }

  /** The attached workers, the longest attached first. */
  list(): AttachedWorker[] {
    return [...this.#workers.values()]
  }

  /** Calls back whenever a worker attaches, leaves or has a free slot; the result ends that. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Takes a worker in once it says hello, until its transport closes. `local` marks the engine's own agent. */
  attach(transport: EngineTransport, options: { readonly local: boolean }): void {
    let worker: AttachedWorker | null = null
    transport.onFrame((frame: WorkerFrame) => {
      if (worker) return worker.receive(frame)
      if (frame.type === 'hello') worker = this.#welcome(transport, frame, options.local)
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
    this.#changed()
    return worker
  }

  #changed(): void {
    for (const listener of this.#listeners) listener()
  }
}
