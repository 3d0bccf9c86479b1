/**
 * What tracked runs tell, on its way into the database: requests of the same moment are read and stored together, in one
 * statement each way. `tracked-runs.ts` hands them in.
 *
 * - appends.A1 one thing after the other: a group of requests, or the sweep of leases. So the states of a run are told in
 *   the order in which they were stored.
 * - appends.A2 a group that fails comes again, a request at a time. One that was stored all the same, its answer lost, is
 *   known then, and answered.
 */
import type { Host } from '@flow-service/core'
import {
  artifactRefsIn,
  type EngineEvent,
  isFinished,
  type RunSummary,
  type RunTrackAppend,
  type RunTracked,
  timestampOfMs,
} from '@flow-service/protocol'

import type { Artifacts } from '../../artifacts/artifacts.ts'
import type { Database, Sql } from '../../db/database.ts'
import { createGathering, type Waiting } from '../../db/gathering.ts'
import { invalid, ProblemError } from '../../http/errors.ts'
import type { ExecutionStore } from '../execution-store.ts'
import { noRun } from '../refusals.ts'
import { storableResult } from '../result.ts'
import { type RunArtifact, summaryOf } from '../run-record.ts'
import type { RunTeller } from '../run-teller.ts'
import type { RunShapes } from '../shapes.ts'
import { type Change, changeOf, goesOn } from './change.ts'
import type { TrackStore, TrackWrite, WrittenRow } from './track-store.ts'
import { TRACK_NODE, type TrackedState } from './tracked-state.ts'

/** Dependencies of the appends. */
export interface AppendsDeps {
  readonly database: Pick<Database, 'sql' | 'transaction'>
  readonly store: Pick<TrackStore, 'states' | 'write'>
  readonly executions: Pick<ExecutionStore, 'metricIds'>
  readonly shapes: Pick<RunShapes, 'columns'>
  readonly artifacts: Pick<Artifacts, 'addRefsOf' | 'missing' | 'open' | 'put'>
  readonly host: Pick<Host, 'clock' | 'secrets'>
  readonly teller: Pick<RunTeller, 'learning'>
  readonly tellRun: (run: RunSummary) => void
  readonly publishEvent: (event: EngineEvent, atMs: number) => void
}

/** A request of the user `owner`. */
export interface Append {
  readonly run: string
  readonly owner: string
  readonly body: RunTrackAppend
}

type Asked = Waiting<Append, RunTracked>

/** A request, and what is to be stored of it. */
interface Planned {
  readonly asked: Asked
  readonly state: TrackedState
  readonly write: TrackWrite
  readonly digests: readonly string[]
}

/** Requests of one group. */
const MOST = 200
/** Points of one statement; a request that has more is alone. */
const MOST_POINTS = 100_000
/** Names of curves whose ids are kept. */
const KEPT_NAMES = 10_000
/** How often a request is looked at again because another one of its run was faster. */
const ROUNDS = 10

/** Takes requests of tracked runs in. */
export class Appends {
  readonly #deps: AppendsDeps
  readonly #gather: (item: Append) => Promise<RunTracked>
  readonly #metricIds = new Map<string, number>()
  #turn: Promise<unknown> = Promise.resolve()

  constructor(deps: AppendsDeps) {
    this.#deps = deps
    this.#gather = createGathering<Append, RunTracked>(MOST, (group) => this.alone(() => this.#settle(group)))
  }

  /**
   * Resolves when it is stored. Refuses with `not_found`, `wrong_mode`, `forbidden`, `version_conflict`, `not_active` and
   * `validation_failed`.
   */
  append(item: Append): Promise<RunTracked> {
    return this.#gather(item)
  }

  /** Does something while no request is stored (appends.A1). */
  alone<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work)
    this.#turn = done.catch(() => {})
    return done
  }

  async #settle(group: readonly Asked[]): Promise<void> {
    let open = group
    for (let round = 0; open.length > 0; round += 1) {
      if (round === ROUNDS) {
        for (const { reject } of open) reject(busy())
        return
      }
      // oxlint-disable-next-line no-await-in-loop -- a round knows what the one before has stored
      open = await this.#round(open)
    }
  }

  /** Answers what it can; gives the requests that have to be looked at again. */
  async #round(group: readonly Asked[]): Promise<Asked[]> {
    const again: Asked[] = []
    const planned: Planned[] = []
    try {
      const states = await this.#states(group)
      for (const asked of group) {
        const { run } = asked.item
        // one after the other of a run: the next needs to know what this one leaves
        if (planned.some(({ write }) => write.run === run)) again.push(asked)
        // oxlint-disable-next-line no-await-in-loop -- bytes of one request at a time
        else planned.push(...(await this.#planOrAnswer(asked, states.get(run))))
      }
    } catch (error) {
      for (const { reject } of group) reject(error)
      return []
    }
    for (const part of parts(planned)) {
      // oxlint-disable-next-line no-await-in-loop -- bounds what one statement has
      again.push(...(await this.#store(part)))
    }
    return again
  }

  async #states(group: readonly Asked[]): Promise<Map<string, TrackedState>> {
    const idsOf = (wanted: (body: RunTrackAppend) => unknown): string[] => [
      ...new Set(group.flatMap(({ item: { run, body } }) => (wanted(body) ? [run] : []))),
    ]
    const also = { logs: idsOf(({ logs }) => logs), artifacts: idsOf(({ artifacts }) => artifacts.length > 0) }
    const states = await this.#deps.store.states(
      idsOf(() => true),
      also,
    )
    return new Map(states.map((state) => [state.run, state]))
  }

  /** Nothing where the request is answered by what is stored already, or refused. */
  async #planOrAnswer(asked: Asked, state: TrackedState | undefined): Promise<Planned[]> {
    try {
      const answer = answerOf(asked.item, state)
      if (answer === null && state) return [await this.#plan(asked, state)]
      if (answer) asked.resolve(answer)
    } catch (error) {
      asked.reject(error)
    }
    return []
  }

  async #plan(asked: Asked, state: TrackedState): Promise<Planned> {
    const { host, shapes, artifacts } = this.#deps
    const { run, body } = asked.item
    const atMs = host.clock.now()
    await this.#learnMetricIds(body, state)
    const save = async (bytes: Uint8Array, options: Parameters<typeof artifacts.put>[1]) =>
      (await artifacts.put(bytes, options)).ref
    const result = body.result ? await storableResult(host.secrets.mask(body.result), save) : null
    const told = {
      body,
      result,
      artifacts: await this.#artifactsOf(body),
      metricId: (name: string) => this.#idOf(name),
    }
    const change = changeOf(state, told, { atMs, secrets: host.secrets })
    const refs = [...told.artifacts, ...artifactRefsIn(body.params), ...artifactRefsIn(result)]
    return {
      asked,
      state,
      digests: [...new Set(refs.map(({ digest }) => digest))],
      write: {
        run,
        seq: body.seq,
        change,
        facts: change.facts && (await shapes.columns(change.facts)),
        finishedAt: change.end && timestampOfMs(change.end.atMs),
      },
    }
  }

  /** The bytes that a request names, which have to be stored. */
  async #artifactsOf({ artifacts }: RunTrackAppend): Promise<RunArtifact[]> {
    const refs: RunArtifact[] = []
    for (const [at, { name, digest }] of artifacts.entries()) {
      // oxlint-disable-next-line no-await-in-loop -- the store is asked for one at a time
      const found = await this.#deps.artifacts.open(digest)
      if (!found || found.ref.volatile) throw unknownBytes(`/artifacts/${at}/digest`, digest)
      refs.push({ ...found.ref, name, node: TRACK_NODE, port: null })
    }
    return refs
  }

  /** Stores requests; gives those that were not the next of their runs any more. */
  async #store(part: readonly Planned[]): Promise<Asked[]> {
    if (part.length === 0) return []
    const { database, teller } = this.#deps
    const ids = part.map(({ write }) => write.run)
    try {
      return await teller.learning(ids, async () => {
        const rows = part.some(({ digests }) => digests.length > 0)
          ? await database.transaction((tx) => this.#write(tx, part))
          : await this.#write(database.sql, part)
        const written = new Map(rows.map((row) => [row.id, row]))
        return part.flatMap((planned) => {
          const row = written.get(planned.write.run)
          if (!row) return [planned.asked]
          this.#tell(planned, row)
          planned.asked.resolve(trackedOf(row, planned.write))
          return []
        })
      })
    } catch (error) {
      if (part.length === 1) {
        part[0]?.asked.reject(error)
        return []
      }
      const again: Asked[] = []
      // oxlint-disable-next-line no-await-in-loop -- one after the other, as they came (appends.A2)
      for (const planned of part) again.push(...(await this.#store([planned])))
      return again
    }
  }

  async #write(sql: Sql, part: readonly Planned[]): Promise<WrittenRow[]> {
    const { store, artifacts } = this.#deps
    const rows = await store.write(
      sql,
      part.map(({ write }) => write),
    )
    const written = new Set(rows.map(({ id }) => id))
    const owners = part.flatMap(({ write: { run }, digests }) =>
      written.has(run) && digests.length > 0 ? [{ owner: run, digests }] : [],
    )
    if (owners.length > 0) {
      const [missing] = await artifacts.missing([...new Set(owners.flatMap(({ digests }) => digests))], sql)
      // undoes the group, which comes again one by one
      if (missing !== undefined) throw unknownBytes('', missing)
      await artifacts.addRefsOf(sql, 'run', owners)
    }
    return rows
  }

  /** A run that goes on is told of before its points, one that has ended after them. */
  #tell({ write: { change }, state: { flow } }: Planned, { before, lease_until: _until, ...run }: WrittenRow): void {
    const { tellRun, publishEvent, host } = this.#deps
    const news = run.status === before ? null : summaryOf(run)
    if (news && !isFinished(run.status)) tellRun(news)
    for (const { name, step, value, ts } of change.told) {
      const place = { flow, node: TRACK_NODE, port: name, run: run.id, step }
      publishEvent({ type: 'value', message: `${flow}.${name}`, value, ...place }, ts)
    }
    if (change.logs) {
      const { bytes, added: text } = change.logs
      const offset = bytes - Buffer.byteLength(text)
      publishEvent({ type: 'log', flow, node: TRACK_NODE, run: run.id, offset, text }, host.clock.now())
    }
    if (news && isFinished(run.status)) tellRun(news)
  }

  #idOf(name: string): number {
    const id = this.#metricIds.get(name)
    if (id === undefined) throw new Error(`curve "${name}" has no id`)
    return id
  }

  async #learnMetricIds({ metrics }: RunTrackAppend, { curves }: TrackedState): Promise<void> {
    const unknown = [...new Set(metrics.map(({ name }) => name))].filter(
      (name) => !Object.hasOwn(curves, name) && !this.#metricIds.has(name),
    )
    if (unknown.length === 0) return
    if (this.#metricIds.size > KEPT_NAMES) this.#metricIds.clear()
    const places = unknown.map((name) => ({ node: TRACK_NODE, port: name, message: name }))
    for (const { id, message } of await this.#deps.executions.metricIds(places)) this.#metricIds.set(message, id)
  }
}

/** What is answered without storing anything; null where there is something to store. */
function answerOf({ run, owner, body: { seq } }: Append, state: TrackedState | undefined): RunTracked | null {
  if (!state) throw noRun(run)
  if (state.owner === null) {
    throw new ProblemError('wrong_mode', `run "${run}" is not tracked: it is executed here, or was imported`)
  }
  if (state.owner !== owner) {
    throw new ProblemError('forbidden', `run "${run}" was begun by another user, who alone may tell of it`)
  }
  const { status, seq: last } = state
  if (status === 'cancelled' || seq <= last) {
    return { seq: last, lease_until: state.lease_until, cancelled: status === 'cancelled', dropped: {} }
  }
  if (!goesOn(state)) {
    throw new ProblemError('not_active', `run "${run}" has ended with the status ${status}: begin another one`)
  }
  if (seq === last + 1) return null
  const message = `run "${run}" has told of ${last} so far, so ${last + 1} is next, not ${seq}: send what is between`
  throw new ProblemError('version_conflict', message, { current_version: last })
}

const trackedOf = ({ lease_until }: WrittenRow, { seq, change }: { seq: number; change: Change }): RunTracked => ({
  seq,
  lease_until,
  cancelled: false,
  dropped: change.dropped,
})

/** Requests that share a statement. */
function parts(planned: readonly Planned[]): Planned[][] {
  const groups: Planned[][] = []
  let points = 0
  for (const item of planned) {
    const own = item.write.change.chunks.reduce((sum, { steps }) => sum + steps.length, 0)
    const last = groups.at(-1)
    if (last && points + own <= MOST_POINTS) last.push(item)
    else groups.push([item])
    points = groups.at(-1) === last ? points + own : own
  }
  return groups
}

const unknownBytes = (path: string, digest: string): ProblemError =>
  invalid([
    { path, code: 'unknown_artifact', message: `no bytes with the digest ${digest} are stored: put them there first` },
  ])

const busy = (): ProblemError =>
  new ProblemError('unavailable', 'other requests of this run are faster: send one at a time, in order', {
    retry_after_s: 1,
  })
