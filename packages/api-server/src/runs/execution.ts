/**
 * One run while this engine executes it.
 *
 * States: *executing* → *ending* (its end is decided and being written) → *over*. `end` decides once: by the outcome,
 * by a cancellation, or by the loss of the lease, whichever comes first. What the graph runtime reports later is dropped.
 */
import {
  type BatchEvent,
  type BatchOutcome,
  documentDigest,
  checkParams,
  type Host,
  type NodeRegistry,
  runBatch,
} from '@flow-service/core'
import { type EngineEvent, type FlowDocument, qualify, timestampOfMs } from '@flow-service/protocol'

import type { Artifacts } from '../artifacts/artifacts.ts'
import type { RunnableFlows } from '../flows/runnable-flows.ts'
import type { Log } from '../process/log.ts'
import type { RunEnd } from './execution-store.ts'
import type { ClaimedRun } from './lease-store.ts'
import { maskedEvent, sparesSecrets } from './masked-event.ts'
import { RunRecorder } from './recorder.ts'
import { storableResult } from './result.ts'
import { paramsOf, secondsBetween, storableText, summaryOf, type SummaryRow } from './run-record.ts'
import { type RunWrites, unstorable } from './run-writes.ts'
import { RunStageCache } from './stages/cache.ts'
import type { EngineStages } from './stages/engine-stages.ts'
import { storedOutputs } from './stored-outputs.ts'
import { WholeLogs } from './whole-logs.ts'

/** Dependencies of an execution. */
export interface ExecutionDeps {
  readonly host: Host
  readonly registry: NodeRegistry
  readonly flows: RunnableFlows
  readonly writes: Pick<RunWrites, 'write'>
  readonly stages: EngineStages
  readonly artifacts: Pick<Artifacts, 'put' | 'known'>
  readonly publishEvent: (event: EngineEvent, atMs: number) => void
  /** Publishes a result in the catalogue of messages. */
  readonly publishMessage: (message: string, value: unknown, run: string) => void
  /** The last value of a message of another flow. */
  readonly lastValue: (message: string) => unknown
  /** Nodes of one run that execute at once. */
  readonly maxParallelNodes: number
  readonly log: Pick<Log, 'error'>
}

/** What a run executes: the document and its inputs. */
interface Work {
  readonly document: FlowDocument
  readonly digest: string | null
  readonly inputs: Record<string, unknown>
}

type Ending = Omit<RunEnd, 'finished_at'>

/** Hears what a run takes of its engine. */
export interface ExecutionListener {
  /** No node executes any more; the end is still to be written. */
  executed(): void
  /** Every node that has begun waits for a worker that is not there, or has no room; or that is over. */
  waits(isWaiting: boolean): void
}

const cancelled: Ending = { status: 'cancelled', result: null, error: null }

/** Executes a claimed run. */
export class Execution {
  readonly claim: ClaimedRun
  readonly #deps: ExecutionDeps
  readonly #abort = new AbortController()
  #recorder: RunRecorder | null = null
  #cache: RunStageCache | null = null
  #digest: string | null
  #outputs: ReadonlyMap<string, unknown> = new Map()
  #end: Promise<SummaryRow | null> | null = null

  constructor(claim: ClaimedRun, deps: ExecutionDeps) {
    this.claim = claim
    this.#deps = deps
    this.#digest = claim.digest
  }

  /** The run as it was claimed. */
  get summary(): SummaryRow {
    return summaryOf(this.claim)
  }

  /** Whether the run's end is decided. */
  get ending(): boolean {
    return this.#end !== null
  }

  /** Executes the run to its end; never rejects. Resolves when no node executes any more and the end is written. */
  async run(listener: ExecutionListener): Promise<void> {
    const ending = await this.#outcome(listener)
    listener.executed()
    if (ending !== null) await this.#finish(ending)
    await this.#end
    this.#cache?.close()
  }

  /** Executes the nodes; null when the run was ended before. */
  async #outcome(listener: ExecutionListener): Promise<Ending | null> {
    try {
      const work = await this.#work()
      if (this.ending) return null
      return 'document' in work ? await this.#execute(work, listener) : work
    } catch (error) {
      this.#deps.log.error({ err: error, run: this.claim.id }, 'a run failed unexpectedly')
      const message = 'the engine failed while executing the run; its log tells more'
      return { status: 'error', result: null, error: { node: null, type: 'internal', message } }
    }
  }

  /** Stops the nodes and ends the run; gives its final state, null when the lease was lost. */
  async cancel(): Promise<SummaryRow | null> {
    this.#abort.abort()
    // the nodes' own ends, which the abort causes in this turn, belong to the record
    await new Promise((resolve) => setImmediate(resolve))
    return this.#finish(cancelled)
  }

  /** Stops the nodes and writes nothing more: another one decides about the run. */
  abandon(): void {
    this.#end ??= Promise.resolve(null)
    this.#recorder?.close()
    this.#abort.abort()
  }

  /** Writes what has gathered so far. */
  async flush(): Promise<void> {
    await this.#recorder?.flush()
  }

  /** The pinned document with the submitted inputs, or the draft with the inputs checked against it again. */
  async #work(): Promise<Work | Ending> {
    const { claim } = this
    const { flows } = this.#deps
    if (claim.document) {
      return { document: underName(claim.flow, claim.document), digest: null, inputs: paramsOf(claim.inputs) }
    }
    const flow = await flows.draftOf(claim.flow_id)
    if (!flow?.document) return failed('flow_deleted', `flow "${claim.flow}" was deleted while the run was queued`)
    const { document } = flow
    const issue = (await flows.issuesOf(document, 'draft')).find(({ severity }) => severity === 'error')
    if (issue) return failed('flow_invalid', `the draft has errors; the first: ${issue.message}`, issue.node)
    const given = Object.fromEntries(
      claim.inputs.filter((input) => !input.default).map(({ name, value }) => [name, value]),
    )
    const checked = checkParams(document, given, claim.seed ?? undefined)
    if ('errors' in checked) {
      const why = checked.errors[0]?.message ?? 'the params do not fit'
      return failed('bad_param', this.#deps.host.secrets.mask(`the draft has changed: ${why}`))
    }
    return { document, digest: documentDigest(document), inputs: paramsOf(checked.inputs) }
  }

  async #execute({ document, digest, inputs }: Work, listener: ExecutionListener): Promise<Ending> {
    const { artifacts, host, registry, stages, writes, publishEvent, maxParallelNodes, lastValue } = this.#deps
    const { id, token, flow_id: flow, no_cache: noCache } = this.claim
    const cache = new RunStageCache({
      stages,
      run: id,
      token,
      flow,
      keep: (entry) => recorder.cache(entry),
      hurry: () => void recorder.flush(),
    })
    this.#cache = cache
    const recorder = new RunRecorder({
      run: id,
      token,
      document,
      draftDigest: digest,
      clock: host.clock,
      writes,
      publish: publishEvent,
      cachedNodeOf: (key) => cache.nodeOf(key),
      onStagesWritten: (keys) => cache.written(keys),
    })
    this.#recorder = recorder
    const logs = this.#wholeLogs(recorder)
    const place = new RunPlace(document, (isWaiting) => listener.waits(isWaiting))
    const execute = host.call.bind(host)
    const outcome = await runBatch(document, {
      host: { ...host, call: (call) => storedOutputs(call, { execute, artifacts }) },
      registry,
      run: id,
      inputs,
      noCache,
      parallel: maxParallelNodes,
      signal: this.#abort.signal,
      cache: sparesSecrets(cache, host.secrets),
      observe(event) {
        const masked = maskedEvent(event, host.secrets)
        place.observe(event)
        logs.observe(masked)
        recorder.observe(masked)
      },
      behind: () => recorder.behind(),
      lastValue,
    })
    await logs.over()
    if (digest !== null) this.#digest = digest
    if (!this.claim.draft) this.#outputs = outputsOf(document, outcome.result ?? {})
    return this.#endingOf(outcome)
  }

  #wholeLogs(recorder: RunRecorder): WholeLogs {
    const { artifacts, log } = this.#deps
    return new WholeLogs({
      run: this.claim.id,
      save: async (chunks, name) =>
        (await artifacts.put(chunks, { name, mediaType: 'text/plain; charset=utf-8', volatile: false })).ref,
      onSaved: (node, ref) => recorder.observe({ kind: 'artifact', node, ref }),
      log,
    })
  }

  async #endingOf(outcome: BatchOutcome): Promise<Ending> {
    const { status, result, error } = this.#deps.host.secrets.mask(outcome)
    return {
      status,
      result:
        result && (await storableResult(result, (data, options) => this.#deps.host.artifacts.save(data, options))),
      error: error && { ...error, type: storableText(error.type), message: storableText(error.message) },
    }
  }

  #finish(ending: Ending): Promise<SummaryRow | null> {
    this.#end ??= this.#write(ending)
    return this.#end
  }

  async #write(ending: Ending): Promise<SummaryRow | null> {
    const { host, writes, publishEvent } = this.#deps
    const { id, token } = this.claim
    const nowMs = host.clock.now()
    const end: RunEnd = { ...ending, finished_at: timestampOfMs(nowMs) }
    const bare = { run: id, token, draft: null, nodes: [], chunks: [], cache: [], artifacts: null, end }
    const written = await (this.#recorder ? this.#recorder.finish(end) : writes.write(bare))
    if (written === 'lost' || written === 'stopped') return null
    const run = this.#summaryOf(written === 'reduced' ? unstorable(end) : end)
    publishEvent({ type: 'run', run }, nowMs)
    if (run.status === 'ok') this.#publishOutputs()
    return run
  }

  #publishOutputs(): void {
    const { publishMessage, flows, log } = this.#deps
    const flow = flows.nameOf(this.claim.flow_id, this.claim.flow)
    for (const [name, value] of this.#outputs) {
      const message = qualify(flow, name)
      try {
        publishMessage(message, value, this.claim.id)
      } catch (error) {
        log.error({ err: error, run: this.claim.id, message }, 'an output of a run could not be published')
      }
    }
  }

  #summaryOf({ status, finished_at, error }: RunEnd): SummaryRow {
    const { summary } = this
    const flow = this.#deps.flows.nameOf(this.claim.flow_id, this.claim.flow)
    const duration_s = secondsBetween(summary.started_at, finished_at)
    return { ...summary, flow, digest: this.#digest, status, finished_at, duration_s, error }
  }
}

const failed = (type: string, message: string, node: string | null = null): Ending => ({
  status: 'error',
  result: null,
  error: { node, type, message },
})

/** The declared outputs that have a value, by the bare message that carries them. */
function outputsOf(document: FlowDocument, result: Record<string, unknown>): ReadonlyMap<string, unknown> {
  const given = document.outputs.filter(({ port }) => (result[port] ?? null) !== null)
  return new Map(given.map(({ name, port }) => [name, result[port]]))
}

/** The document under the name that its flow has now: a pinned document keeps the name it was published under. */
function underName(name: string, document: FlowDocument): FlowDocument {
  if (document.name === name) return document
  const nodes = document.nodes.map((node) => ({
    ...node,
    ports: node.ports.map((port) => ({ ...port, message: qualify(name, port.name) })),
  }))
  return { ...document, name, nodes }
}

/**
 * Whether a run takes a place among those that its engine executes: not while all that it has begun waits for attached
 * workers, of which there may be none for days.
 */
export class RunPlace {
  readonly #elsewhere: ReadonlySet<string>
  readonly #onChange: (isWaiting: boolean) => void
  readonly #begun = new Map<string, 'waits' | 'executes'>()
  #isWaiting = false

  /** `onChange` hears when the run begins to wait, and when that is over. */
  constructor({ nodes }: FlowDocument, onChange: (isWaiting: boolean) => void) {
    this.#elsewhere = new Set(nodes.filter(({ worker }) => worker !== null).map(({ id }) => id))
    this.#onChange = onChange
  }

  observe(event: BatchEvent): void {
    if (event.kind !== 'node' || this.#elsewhere.size === 0) return
    const { node, status, cache, inLine } = event
    // a stage that another run executes waits for the same worker as that
    const waits = status === 'queued' || (status === 'pending' && cache !== undefined)
    if (inLine) this.#begun.delete(node)
    else if (waits && this.#elsewhere.has(node)) this.#begun.set(node, 'waits')
    else if (waits || status === 'running') this.#begun.set(node, 'executes')
    else this.#begun.delete(node)
    const states = new Set(this.#begun.values())
    const isWaiting = states.has('waits') && !states.has('executes')
    if (isWaiting === this.#isWaiting) return
    this.#isWaiting = isWaiting
    this.#onChange(isWaiting)
  }
}
