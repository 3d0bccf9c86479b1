/**
 * Looks for cached stages: what is asked in one turn of the event loop, by whatever run, shares a statement.
 * @module
 */
import {
  environmentDifference,
  missReasons,
  type Stage,
  stageEntry,
  type StageEnvironment,
  whyMissed,
} from '@flow-service/core'
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
  /** Of the result, among those of all stages. */
  readonly entry: string
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
  /** Digests of bytes that are there. */
  readonly stored: ReadonlySet<string>
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
    const here = python && (await this.#deps.environments.of(python))
    const entries = here && here.map((environment) => stageEntry(key, environment))
    const { rows, near, stored } = await this.#find({ key, flow, node, here: entries })
    if (rows.length === 0) return { hit: null, why: whyMissed(stage.parts(), near) }
    const fitting = rows.filter(({ environment }) => isOneOf(environment, here))
    // what is known of a result counts more than that it is newer
    const ordered = fitting.toSorted((a, b) => Number(a.environment === null) - Number(b.environment === null))
    const faults = ordered.map((row) => faultOf(row, stored))
    const row = ordered[faults.indexOf(null)]
    if (row?.outputs) {
      const { entry, outputs, run, stale } = row
      return { hit: { entry, outputs, run, node: row.node, stale } }
    }
    const [fault = differenceOf(rows, here ?? [])] = faults
    return { hit: null, why: fault === null ? [] : [fault] }
  }

  async #answer(stages: readonly AskedStage[]): Promise<Found[]> {
    const found = await this.#deps.store.find(stages)
    const stored = await this.#stored(found)
    return found.map((stage) => ({ ...stage, stored }))
  }

  /** Those of the bytes, which results refer to, that are still there. */
  async #stored(found: readonly StoredStage[]): Promise<ReadonlySet<string>> {
    const digests = new Set(found.flatMap(({ rows }) => rows.flatMap(digestsIn)))
    return digests.size > 0 ? this.#deps.artifacts.known([...digests]) : digests
  }
}

const digestsIn = ({ outputs }: StageRow): string[] => artifactRefsIn(outputs).map(({ digest }) => digest)

/** Whether a result may be taken over in one of these environments; what nobody noted is taken as it is. */
const isOneOf = (environment: StageEnvironment | null, here: readonly StageEnvironment[] | null): boolean =>
  environment === null || here === null || here.some((each) => environmentDifference(environment, each) === null)

/** Why a result of the right environment cannot be used; null when it can. */
function faultOf(row: StageRow, stored: ReadonlySet<string>): string | null {
  if (row.alien) return missReasons.keyFormat
  if (row.outputs === null || row.loss !== null) return lossReasons[row.loss ?? 'expired']
  return digestsIn(row).some((digest) => !stored.has(digest)) ? missReasons.artifactGone : null
}

/** The fewest versions in which a result of another environment differs from those of here. */
function differenceOf(rows: readonly StageRow[], here: readonly StageEnvironment[]): string | null {
  const differences = rows.flatMap(({ environment }) =>
    here.flatMap((each) => (environment && environmentDifference(environment, each)) ?? []),
  )
  return differences.toSorted((a, b) => a.split(',').length - b.split(',').length)[0] ?? null
}
