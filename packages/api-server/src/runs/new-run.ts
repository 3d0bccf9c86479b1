/**
 * Runs to be queued: the flow that can run, the params that fit, the content that is pinned (wire decision G31).
 * @module
 */
import { checkParams, documentDigest, type Secrets } from '@flow-service/core'
import {
  artifactRefsIn,
  type FlowDocument,
  type ProblemItem,
  type Run,
  type RunHead,
  type RunInput,
  type RunSummary,
} from '@flow-service/protocol'

import type { RunnableFlow, RunnableFlows } from '../flows/runnable-flows.ts'
import { invalid, ProblemError } from '../http/errors.ts'
import { newId } from '../process/new-id.ts'
import { isHeavy } from './admission.ts'
import { canBeKept } from './kept-run.ts'
import type { ClaimedRun } from './lease-store.ts'
import { shownInputs } from './masked-event.ts'
import { type FactColumns, type Facts, factsOf, maskedInputs } from './run-facts.ts'
import { runRecord, unasked } from './run-record.ts'
import type { NewRun, SubmissionClaim } from './store.ts'

/** A run but for the time of its creation and the shape of its facts, which it gets when it is written. */
export type UntimedRun = Omit<NewRun, 'created_at' | keyof FactColumns> & { readonly facts: Facts }

/** A flow with the content to execute. */
export type Runnable = RunnableFlow & { readonly document: FlowDocument }

/** What a run is asked for with. */
export interface RunRequest {
  readonly params: Readonly<Record<string, unknown>>
  readonly seed?: number | undefined
  readonly draft: boolean
  readonly no_cache: boolean
  readonly priority: number
  readonly idempotency_key?: string | undefined
}

/** Where a run comes from, beside its request. */
export interface RunOrigin {
  readonly by: string | null
  readonly group?: string | null
  readonly parent?: string | null
}

/** The flow with the document to execute; refuses flows that cannot run. */
export async function runnable(flow: RunnableFlow, draft: boolean, flows: RunnableFlows): Promise<Runnable> {
  if (flow.mode !== 'batch') {
    throw new ProblemError('wrong_mode', `flow "${flow.name}" is live: start it instead of submitting runs`)
  }
  const { document } = flow
  if (!document) {
    throw new ProblemError(
      'not_published',
      `flow "${flow.name}" has nothing published: publish it or submit with draft`,
    )
  }
  const issues = await flows.issuesOf(document, draft ? 'draft' : 'published')
  const errors = issues.filter((issue) => issue.severity === 'error')
  if (errors.length > 0) {
    throw new ProblemError('flow_invalid', `flow "${flow.name}" has errors; the first: ${errors[0]?.message}`, {
      errors: errors.map(({ code, message, path }) => ({ path: path ?? '', code, message })),
    })
  }
  return { ...flow, document }
}

const documentDigests = new WeakMap<FlowDocument, string>()

/** The digest of a document, of which flows in memory have many runs. */
function knownDigest(document: FlowDocument): string {
  const digest = documentDigests.get(document) ?? documentDigest(document)
  documentDigests.set(document, digest)
  return digest
}

/** Makes runs of one flow. */
export function runMaker(flow: Runnable, draft: boolean, secrets: Pick<Secrets, 'mask'>) {
  const { document } = flow
  const pinned = draft
    ? { flow_version: null, digest: null, document: null }
    : { flow_version: flow.version, digest: knownDigest(document), document }
  /** A run of the flow, or what is wrong with its params, as JSON Pointers into a submission. */
  return (request: RunRequest, { by, group = null, parent = null }: RunOrigin) => {
    const checked = checkParams(document, request.params, request.seed)
    if ('errors' in checked) return checked
    const run: UntimedRun = {
      id: newId(),
      flow: flow.id,
      flow_name: flow.name,
      draft,
      no_cache: request.no_cache,
      priority: request.priority,
      ...pinned,
      commit: flow.commit,
      seed: checked.seed,
      inputs: checked.inputs,
      facts: factsOf({ inputs: maskedInputs(checked.inputs, secrets) }),
      group_id: group,
      parent,
      idempotency_key: request.idempotency_key ?? null,
      submitted_by: by,
      elsewhere: pinned.document !== null && canBeKept(pinned.document),
      heavy: pinned.document && isHeavy(pinned.document),
    }
    return { run }
  }
}

/**
 * A run of the flow; refuses with `validation_failed`, which tells params as they are shown: with a retry they are those
 * of somebody else.
 */
export function newRun(
  flow: Runnable,
  request: RunRequest,
  origin: RunOrigin,
  secrets: Pick<Secrets, 'mask'>,
): UntimedRun {
  const { mask } = secrets
  const make = runMaker(flow, request.draft, secrets)
  const made = make(request, origin)
  if (!('errors' in made)) return made.run
  // masked before they are told, because what is told of a value may end in the middle of a secret
  const params = Object.fromEntries(Object.entries(request.params).map(([name, value]) => [name, mask(value)]))
  const shown = make({ ...request, params }, origin)
  throw invalid(mask('errors' in shown ? shown.errors : made.errors))
}

/** What the inputs of a run refer to. */
export const digestsOf = ({ inputs }: Pick<NewRun, 'inputs'>): string[] => [
  ...new Set(artifactRefsIn(inputs).map(({ digest }) => digest)),
]

/**
 * Refuses, with `validation_failed`, inputs that refer to bytes among the `missing`; frames, which come and go, may be.
 * `place` turns a path in a submission into that of the run at an index.
 */
export function assertStored(
  runs: readonly Pick<NewRun, 'inputs'>[],
  missing: readonly string[],
  place: (path: string, at: number) => string = (path) => path,
): void {
  if (missing.length === 0) return
  const gone = new Set(missing)
  const errors = runs.flatMap(({ inputs }, at) =>
    inputs.flatMap(({ name, value }): ProblemItem[] => {
      const ref = artifactRefsIn(value).find(({ digest, volatile }) => !volatile && gone.has(digest))
      if (!ref) return []
      const message = `input "${name}" refers to ${ref.digest}, which is not stored here: upload it first`
      return [{ path: place(`/params/${name}`, at), code: 'missing_artifact', message }]
    }),
  )
  if (errors.length > 0) throw invalid(errors)
}

/** The queued run as every form of it begins. */
const queuedHead = (run: NewRun): RunHead => ({
  id: run.id,
  flow: run.flow_name,
  status: 'queued',
  draft: run.draft,
  seed: run.seed,
  group_id: run.group_id,
  parent: run.parent,
  idempotency_key: run.idempotency_key,
  external_id: null,
  flow_version: run.flow_version,
  digest: run.digest,
  commit: run.commit,
  created_at: run.created_at,
  started_at: null,
  finished_at: null,
  duration_s: null,
  error: null,
  submitted_by: run.submitted_by,
  origin: 'engine',
  note: '',
  tags: [],
  pinned: false,
  archived: false,
})

/** The run that was claimed with this while it was queued, as a claim of its own would give it. */
export function claimedRun(run: NewRun, { token, started_at }: SubmissionClaim): ClaimedRun {
  const { flow, no_cache, heavy, inputs, document } = run
  const head: RunHead = { ...queuedHead(run), status: 'running', started_at }
  // values of its own: others are those of whoever submitted it, and of the document
  const own = JSON.parse(JSON.stringify(inputs)) as RunInput[]
  return { ...head, ...unasked, flow_id: flow, token, no_cache, heavy: heavy ?? false, inputs: own, document }
}

/** The queued run as lists show it. */
export const queuedSummary = (run: NewRun): RunSummary => ({ ...queuedHead(run), ...unasked })

/** The queued run as the API shows it. */
export function queuedRecord(run: NewRun, secrets: Pick<Secrets, 'mask'>): Run {
  const { no_cache, priority, inputs, document } = run
  const details = {
    no_cache,
    priority,
    inputs: shownInputs([...inputs], secrets),
    result: null,
    artifacts: [],
    document,
  }
  return runRecord({ ...queuedHead(run), ...details }, [], [])
}
