/**
 * Takes runs in that ended elsewhere: all entries of an import or none (wire decision G33).
 *
 * Bytes come first, under their digests, as every upload: nothing refers to them until the one transaction that adds
 * the runs, so an import that fails leaves bytes that the hourly sweep removes, and no run.
 * @module
 */
import type { Host } from '@flow-service/core'
import {
  artifactRefsIn,
  type ImportedRun,
  type ProblemItem,
  type RunImportResult,
  timestampOf,
} from '@flow-service/protocol'

import type { Artifacts } from '../artifacts/artifacts.ts'
import type { Database, Sql } from '../db/database.ts'
import type { RunnableFlow, RunnableFlows } from '../flows/runnable-flows.ts'
import { invalid, ProblemError } from '../http/errors.ts'
import { newId } from '../process/new-id.ts'
import { type Curve, summariesOf } from './curves/points.ts'
import type { ExecutionStore } from './execution-store.ts'
import { createImportStore, type ImportedRow, type ImportStore } from './import-store.ts'
import { checkImport, type CheckedImport, freeTimes, usOf } from './imported-run.ts'
import { storableResult } from './result.ts'
import { factsOf, maskedInputs } from './run-facts.ts'
import type { RunArtifact } from './run-record.ts'
import type { RunShapes } from './shapes.ts'

/** Dependencies of an import. */
export interface ImportDeps {
  readonly shapes: Pick<RunShapes, 'columns'>
  readonly database: Pick<Database, 'transaction'>
  readonly store: ImportStore
  readonly executions: Pick<ExecutionStore, 'metricIds'>
  readonly artifacts: Pick<Artifacts, 'addRefsOf' | 'put'>
  readonly flows: Pick<RunnableFlows, 'byName'>
  /** Masks results, as those of runs that execute here. */
  readonly host: Pick<Host, 'clock' | 'secrets'>
}

/** An entry with its bytes stored. */
interface Prepared {
  readonly row: ImportedRow
  readonly createdUs: number
  readonly chunks: CheckedImport['chunks']
}

/** Imports at the same times may take each other's microseconds; then the next free ones are looked for again. */
const ROUNDS = 10

/**
 * The id of each entry, in order; an entry whose `external_id` is known, or stood before in the same import, is
 * answered and not looked at further. Refuses with `validation_failed`, which names every bad entry, and with
 * `payload_too_large`.
 */
export async function importRuns(
  deps: ImportDeps,
  entries: readonly ImportedRun[],
  by: string | null,
): Promise<RunImportResult> {
  const { database, store } = deps
  const known = await store.known(entries.map((entry) => entry.external_id))
  const places = new Map<string, number>()
  for (const [at, { external_id: id }] of entries.entries()) if (!known.has(id) && !places.has(id)) places.set(id, at)
  const checked = await check(deps, entries, [...places.values()])
  const prepared: Prepared[] = []
  // oxlint-disable-next-line no-await-in-loop -- one file at a time
  for (const item of checked) prepared.push(await prepare(deps, item, by))
  const metricId = await metricIds(deps, prepared)
  const ids =
    prepared.length === 0
      ? new Map<string, string>()
      : await database.transaction((tx) => write(deps, tx, { prepared, metricId }))
  const created = new Set(prepared.map(({ row }) => row.id))
  const answered = new Set<string>()
  const runs = entries.map(({ external_id }) => {
    const id = ids.get(external_id) ?? known.get(external_id) ?? ''
    const isFirst = created.has(id) && !answered.has(id)
    answered.add(id)
    return { external_id, id, created: isFirst }
  })
  return { runs }
}

async function check(
  { flows, host }: ImportDeps,
  entries: readonly ImportedRun[],
  places: readonly number[],
): Promise<CheckedImport[]> {
  const names = [...new Set(places.map((at) => entries[at]?.flow ?? ''))]
  const found = new Map(await Promise.all(names.map(async (name) => [name, await contentOf(flows, name)] as const)))
  const errors: ProblemItem[] = []
  const checked: CheckedImport[] = []
  for (const at of places) {
    const entry = entries[at] as ImportedRun
    const result = checkImport(entry, found.get(entry.flow) ?? null, host.clock.now())
    if ('entry' in result) checked.push(result)
    else for (const error of result.errors) errors.push({ ...error, path: `/runs/${at}${error.path}` })
  }
  if (errors.length > 0) throw invalid(errors)
  return checked
}

/** The published content, or the draft of a flow that was never published. */
async function contentOf(flows: ImportDeps['flows'], name: string): Promise<RunnableFlow | null> {
  const published = await flows.byName(name, 'published')
  return published?.document ? published : flows.byName(name, 'draft')
}

async function prepare(
  { artifacts, host, shapes }: ImportDeps,
  { entry, flow, seed, inputs, createdUs, chunks }: CheckedImport,
  by: string | null,
): Promise<Prepared> {
  const refs: RunArtifact[] = []
  for (const { name, media_type: mediaType, data } of entry.artifacts) {
    // oxlint-disable-next-line no-await-in-loop -- one file at a time
    const { ref } = await artifacts.put(Buffer.from(data, 'base64'), { name, mediaType, volatile: false })
    refs.push({ ...ref, node: '', port: null })
  }
  const save = async (bytes: Uint8Array, options: Parameters<typeof artifacts.put>[1]) =>
    (await artifacts.put(bytes, options)).ref
  const result = entry.result ? await storableResult(host.secrets.mask(entry.result), save) : null
  const facts = factsOf({ inputs: maskedInputs(inputs, host.secrets), curves: summariesOf(chunks), result })
  const row: ImportedRow = {
    id: newId(),
    external_id: entry.external_id,
    flow: flow.id,
    flow_name: flow.name,
    status: entry.status,
    created_at: timestampOf(createdUs),
    finished_at: entry.finished_at === undefined ? null : timestampOf(usOf(entry.finished_at)),
    seed,
    inputs,
    ...(await shapes.columns(facts)),
    result,
    artifacts: refs,
    submitted_by: by,
  }
  return { row, createdUs, chunks }
}

type MetricId = (curve: Curve) => number

/** The ids of the curves, which are made outside of the transaction: executing runs would wait for it. */
async function metricIds({ executions }: ImportDeps, prepared: readonly Prepared[]): Promise<MetricId> {
  const chunks = prepared.flatMap((item) => item.chunks)
  const curves = chunks.length > 0 ? await executions.metricIds(chunks) : []
  const ids = new Map(curves.map(({ id, ...curve }) => [placeOf(curve), id]))
  return (curve) => ids.get(placeOf(curve)) ?? 0
}

/** Adds the runs; gives the ids of all external ids, also of those that somebody else has added meanwhile. */
async function write(
  deps: ImportDeps,
  tx: Sql,
  { prepared, metricId }: { prepared: readonly Prepared[]; metricId: MetricId },
): Promise<Map<string, string>> {
  const { store } = deps
  const flows = [...new Map(prepared.map(({ row }) => [row.flow, { id: row.flow, name: row.flow_name }])).values()]
  const held = await store.hold(tx, flows)
  const gone = flows.find(({ id }) => !held.has(id))
  if (gone) throw new ProblemError('not_found', `flow "${gone.name}" was deleted meanwhile`)
  const ids = new Map<string, string>()
  const added: Prepared[] = []
  let open: readonly Prepared[] = prepared
  for (let round = 0; open.length > 0; round += 1) {
    if (round === ROUNDS) throw new ProblemError('unavailable', 'other imports take the same times; try again')
    // oxlint-disable-next-line no-await-in-loop -- a round knows what the one before has found taken
    const done = await addOpen(deps, tx, open)
    added.push(...done.added)
    for (const [externalId, id] of done.ids) ids.set(externalId, id)
    open = open.filter(({ row }) => !ids.has(row.external_id))
  }
  await addRecords(deps, tx, { added, metricId })
  return ids
}

async function addOpen({ store }: ImportDeps, tx: Sql, open: readonly Prepared[]) {
  const times = await freeTimes(
    open.map(({ createdUs }) => createdUs),
    (from, limit) => store.takenFrom(tx, from, limit),
  )
  const rows = open.map(({ row }, at) => ({ ...row, created_at: timestampOf(times[at] ?? 0) }))
  const written = await store.insert(tx, rows)
  const left = open.filter(({ row }) => !written.has(row.id)).map(({ row }) => row.external_id)
  const elsewhere = left.length > 0 ? await createImportStore(tx).known(left) : []
  const added = open.filter(({ row }) => written.has(row.id))
  return { added, ids: new Map([...added.map(({ row }) => [row.external_id, row.id] as const), ...elsewhere]) }
}

/** Points, and what keeps bytes from being swept. */
async function addRecords(
  { store, artifacts }: ImportDeps,
  tx: Sql,
  { added, metricId }: { added: readonly Prepared[]; metricId: MetricId },
): Promise<void> {
  const refs = added.map(({ row }) => ({ owner: row.id, digests: referredTo(row) }))
  const owners = refs.filter(({ digests }) => digests.length > 0)
  await artifacts.addRefsOf(tx, 'run', owners)
  const chunks = added.flatMap(({ row, chunks: own }) =>
    own.map((chunk) => ({ ...chunk, run: row.id, metric: metricId(chunk) })),
  )
  await store.addPoints(tx, chunks)
}

function referredTo({ inputs, result, artifacts }: ImportedRow): string[] {
  const refs = [...artifacts, ...artifactRefsIn(inputs), ...artifactRefsIn(result)]
  return [...new Set(refs.map(({ digest }) => digest))]
}

const placeOf = ({ node, port, message }: Curve): string => JSON.stringify([node, port, message])
