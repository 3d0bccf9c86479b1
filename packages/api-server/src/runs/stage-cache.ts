/**
 * Results of stages that later runs take over instead of executing them (wire decision G63).
 * @module
 */
import type { StageCache } from '@flow-service/core'
import { artifactRefsIn } from '@flow-service/protocol'

import type { Artifacts } from '../artifacts/artifacts.ts'
import type { CachedStage, CacheEntry, ExecutionStore } from './execution-store.ts'

/** What the cache of one run needs. */
export interface StageCacheSetting {
  readonly store: Pick<ExecutionStore, 'cachedStage' | 'touchStage'>
  readonly artifacts: Pick<Artifacts, 'known'>
  /** Stores an entry with the next write of the run. */
  readonly keep: (entry: CacheEntry) => void
}

/** The cache as one run sees it. */
export class RunStageCache implements StageCache {
  readonly #setting: StageCacheSetting
  readonly #hits = new Map<string, CachedStage>()

  constructor(setting: StageCacheSetting) {
    this.#setting = setting
  }

  /** The outputs under a key; null too when bytes that they refer to are gone. */
  async lookup(key: string): Promise<CachedStage | null> {
    const { store, artifacts } = this.#setting
    const entry = await store.cachedStage(key)
    if (!entry) return null
    const digests = new Set(artifactRefsIn(entry.outputs).map((ref) => ref.digest))
    if (digests.size > 0 && (await artifacts.known([...digests])).size < digests.size) return null
    if (entry.stale) await store.touchStage(key)
    this.#hits.set(key, entry)
    return entry
  }

  /** Keeps outputs, which the runtime has found small enough; those that refer to volatile bytes never. */
  async store(key: string, { node, outputs }: { node: string; outputs: Record<string, unknown> }): Promise<void> {
    if (artifactRefsIn(outputs).some((ref) => ref.volatile)) return
    this.#setting.keep({ key, node, outputs })
  }

  /** The node that executed behind a hit. */
  nodeOf(key: string): string | null {
    return this.#hits.get(key)?.node ?? null
  }
}
