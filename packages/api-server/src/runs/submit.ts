/**
 * Queues runs (wire decision G31). Submissions of the same moment share a commit.
 * @module
 */
import { checkParams, documentDigest } from '@flow-service/core'
import { artifactRefsIn, type FlowDocument, type Run, type RunSubmit, type RunSummary } from '@flow-service/protocol'
import { v7 } from 'uuid'

import type { Artifacts } from '../artifacts/artifacts.ts'
import type { Database } from '../db/database.ts'
import type { Timestamps } from '../db/timestamps.ts'
import { isUniqueViolation } from '../db/transaction.ts'
import type { RunnableFlow, RunnableFlows } from '../flows/runnable-flows.ts'
import { invalid, ProblemError } from '../http/errors.ts'
import { runRecord, summaryOf } from './run-record.ts'
import type { RunTeller } from './run-teller.ts'
import { createStatementGroup } from './statement-group.ts'
import type { NewRun, RunsStore } from './store.ts'

/** What submitting needs. */
export interface SubmitSetting {
  readonly database: Database
  readonly store: RunsStore
  readonly timestamps: Timestamps
  readonly artifacts: Pick<Artifacts, 'addRefs'>
  readonly flows: RunnableFlows
  readonly teller: Pick<RunTeller, 'learning'>
  /** Tells this engine's listeners, and other engines, of a queued run. */
  readonly tellRun: (run: RunSummary) => void
}

/** A queued run, or the id of the run that was submitted first under the same key. */
type Submitted = { readonly queued: Run } | { readonly known: string }

interface Item {
  readonly run: NewRun
  queued: boolean
}

/** Submits runs. */
export type Submit = (flow: string, body: RunSubmit, by: string | null) => Promise<Submitted>

const ATTEMPTS = 5

/**
 * A submission resolves when the run is committed and told. Refuses with `not_found`, `wrong_mode`, `not_published`,
 * `flow_invalid` and `validation_failed`; then no run exists.
 */
export function createSubmit(setting: SubmitSetting): Submit {
  const { database, store, timestamps, artifacts, flows, teller, tellRun } = setting
  const group = createStatementGroup<Item>(
    database,
    ({ run }) => digestsOf(run).length > 0,
    async (sql, items) => {
      const runs = items.map((item) => item.run)
      const queued = await store.insert(sql, runs)
      for (const item of items) item.queued = queued.has(item.run.id)
      for (const run of runs.filter(({ id }) => queued.has(id))) {
        const digests = digestsOf(run)
        if (digests.length > 0) await artifacts.addRefs(sql, 'run', run.id, digests)
      }
    },
  )

  /** The run as it was queued; null when its key is taken, or its flow gone. */
  const queue = async (run: Omit<NewRun, 'created_at'>): Promise<NewRun | null> => {
    for (let attempt = 1; ; attempt += 1) {
      const item: Item = { run: { ...run, created_at: timestamps.next() }, queued: false }
      try {
        await group.write(item)
        return item.queued ? item.run : null
      } catch (error) {
        // another engine has taken the same microsecond
        if (!isUniqueViolation(error) || attempt === ATTEMPTS) throw error
      }
    }
  }

  return async (name, body, by) => {
    const flow = await flows.byName(name, body.draft ? 'draft' : 'published')
    if (!flow) throw noFlow(name)
    const key = body.idempotency_key ?? null
    const known = key === null ? null : await store.idOfKey(flow.id, key)
    if (known !== null) return { known }
    const document = await runnable(flow, body.draft ? 'draft' : 'published', flows)
    const run = newRun({ ...flow, document }, body, by)
    const queued = await teller.learning([run.id], async () => {
      const row = await queue(run)
      const record = row && recordOf(row, flow)
      if (record) tellRun(summaryOf(record))
      return record
    })
    if (queued) return { queued }
    const first = key === null ? null : await store.idOfKey(flow.id, key)
    if (first === null) throw noFlow(name)
    return { known: first }
  }

  function newRun(flow: Runnable, body: RunSubmit, by: string | null): Omit<NewRun, 'created_at'> {
    const { document } = flow
    const checked = checkParams(document, body.params, body.seed)
    if ('errors' in checked) throw invalid(checked.errors)
    const pinned = body.draft ? null : document
    return {
      id: v7(),
      flow: flow.id,
      flow_name: flow.name,
      draft: body.draft,
      no_cache: body.no_cache,
      flow_version: body.draft ? null : flow.version,
      digest: pinned && documentDigest(pinned),
      document: pinned,
      commit: flow.commit,
      seed: checked.seed,
      inputs: checked.inputs,
      idempotency_key: body.idempotency_key ?? null,
      submitted_by: by,
    }
  }
}

const noFlow = (name: string): ProblemError => new ProblemError('not_found', `flow "${name}" does not exist`)

/** What the inputs of a run refer to. */
const digestsOf = ({ inputs }: NewRun): string[] => [...new Set(artifactRefsIn(inputs).map(({ digest }) => digest))]

/** A flow with the content to execute. */
type Runnable = RunnableFlow & { readonly document: FlowDocument }

/** The document to execute; refuses flows that cannot run. */
async function runnable(flow: RunnableFlow, form: 'draft' | 'published', flows: RunnableFlows): Promise<FlowDocument> {
  if (flow.mode !== 'batch') {
    throw new ProblemError('wrong_mode', `flow "${flow.name}" is live: start it instead of submitting runs`)
  }
  if (!flow.document) {
    throw new ProblemError(
      'not_published',
      `flow "${flow.name}" has nothing published: publish it or submit with draft`,
    )
  }
  const issues = await flows.issuesOf(flow.document, form)
  const errors = issues.filter((issue) => issue.severity === 'error')
  if (errors.length > 0) {
    throw new ProblemError('flow_invalid', `flow "${flow.name}" has errors; the first: ${errors[0]?.message}`, {
      errors: errors.map(({ code, message, path }) => ({ path: path ?? '', code, message })),
    })
  }
  return flow.document
}

/** The queued run as the API shows it. */
function recordOf(run: NewRun, flow: RunnableFlow): Run {
  const { flow: _id, flow_name: _name, document, inputs, ...row } = run
  return runRecord(
    {
      ...row,
      flow: flow.name,
      status: 'queued',
      group_id: null,
      parent: null,
      external_id: null,
      started_at: null,
      finished_at: null,
      duration_s: null,
      error: null,
      inputs: [...inputs],
      result: null,
      artifacts: [],
      document,
    },
    [],
    [],
  )
}
