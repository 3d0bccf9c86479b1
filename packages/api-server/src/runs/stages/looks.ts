/**
 * Looks for cached stages: what is asked in one turn of the event loop, by whatever run, shares a statement.
 * @module
 */
import { environmentDifference, missReasons, type Stage, whyMissed } from '@flow-service/core'
import { artifactRefsIn } from '@flow-service/protocol'

import type { Artifacts } from '../../artifacts/artifacts.ts'
import { createTurnGroup } from '../../db/turn-group.ts'
import type { StageEnvironments } from './environments.ts'
import type { AskedStage, StageLoss, StageRow, StageStore, StoredStage } from './store.ts'

/** Dependencies of the looks. */
export interface StageLooksDeps {
  readonly store: Pick<StageStore, 'find'>
  readonly artifacts: Pick<Artifacts, 'known'>
  readonly environments: StageEnvironments
}

/** A usable result. */
export interface StageHit {
  readonly outputs: Record<string, unknown>
  readonly run: string
  /** The node that executed. */
  readonly node: string
  /** Not noted as used within the last hour. */
  readonly stale: boolean
}

/** What there is of a stage: a result that can be used, or why there is none. */
export type StageLook = { readonly hit: StageHit } | { readonly hit: null; readonly why: string[] }

interface Found extends StoredStage {
  readonly artifactsGone: boolean
}

const lossReasons: Readonly<Record<StageLoss, string>> = {
  expired: missReasons.expired,
  secret: missReasons.secret,
  too_large: missReasons.tooLarge,
  volatile: missReasons.volatile,
}

/** Looks of one engine. */
export class StageLooks {
  readonly #deps: StageLooksDeps
  readonly #find: (stage: AskedStage) => Promise<Found>

  constructor(deps: StageLooksDeps) {
    this.#deps = deps
    this.#find = createTurnGroup((stages) => this.#answer(stages))
  }

  /** What there is of a stage of a flow, which is given by its id. */
  async look(stage: Stage, flow: string): Promise<StageLook> {
    const { key, node, python } = stage
    const { row, near, artifactsGone } = await this.#find({ key, flow, node })
    if (row === null) return { hit: null, why: whyMissed(stage.parts(), near) }
    if (row.alien) return { hit: null, why: [missReasons.keyFormat] }
    if (row.outputs === null || row.loss !== null) return { hit: null, why: [lossReasons[row.loss ?? 'expired']] }
    if (artifactsGone) return { hit: null, why: [missReasons.artifactGone] }
    const other = await this.#otherEnvironment(row, python)
    if (other !== null) return { hit: null, why: [other] }
    const { outputs, run, stale } = row
    return { hit: { outputs, run, node: row.node, stale } }
  }

  async #otherEnvironment({ environment }: StageRow, python: string | null): Promise<string | null> {
    if (environment === null || python === null) return null
    const now = await this.#deps.environments.of(python)
    return now && environmentDifference(environment, now)
  }

  async #answer(stages: readonly AskedStage[]): Promise<Found[]> {
    const found = await this.#deps.store.find(stages)
    const stored = await this.#stored(found)
    return found.map((stage) => ({
      ...stage,
      artifactsGone: digestsIn(stage.row).some((digest) => !stored.has(digest)),
    }))
  }

  /** Those of the bytes, which results refer to, that are still there. */
  async #stored(found: readonly StoredStage[]): Promise<ReadonlySet<string>> {
    const digests = new Set(found.flatMap(({ row }) => digestsIn(row)))
    return digests.size > 0 ? this.#deps.artifacts.known([...digests]) : digests
  }
}

const digestsIn = (row: StageRow | null): string[] => artifactRefsIn(row?.outputs).map(({ digest }) => digest)
