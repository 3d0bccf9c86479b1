/**
 * One run while this engine executes it.
 *
 * States: *executing* → *ending* (its end is decided and being written) → *over*. `end` decides once: by the outcome,
 * by a cancellation, or by the loss of the lease, whichever comes first. What the graph runtime reports later is dropped.
 */
import {
  type BatchOutcome,
  type CodeCall,
  documentDigest,
  checkParams,
  type Host,
  LeftBehind,
  type NodeRegistry,
  runBatch,
} from '@flow-service/core'
import { type EngineEvent, type FlowDocument, qualify, timestampOfMs, type RunHead } from '@flow-service/protocol'

import type { Artifacts } from '../artifacts/artifacts.ts'
import type { RunnableFlows } from '../flows/runnable-flows.ts'
import type { Log } from '../process/log.ts'
import type { RunCalls } from '../workers/run-calls.ts'
import { emptyWrite, type RunEnd } from './execution-store.ts'
import { canBeKept, KeptRun, type LeftRun, recordLeft } from './kept-run.ts'
import type { ClaimedRun } from './lease-store.ts'
import { hasNoSecret, hidesSecret, maskedEvent, sparesSecrets } from './masked-event.ts'
import { RunRecorder } from './recorder.ts'
import { storableResult } from './result.ts'
import { maskedInputs } from './run-facts.ts'
import { outputsOf, publishOutputs } from './run-outputs.ts'
import { RunPlace } from './run-place.ts'
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
  readonly writes: Pick<RunWrites, 'curvesOf' | 'write'>
  readonly stages: EngineStages
  readonly artifacts: Pick<Artifacts, 'put' | 'known'>
  readonly publishEvent: (event: EngineEvent, atMs: number) => void
  /** Publishes a result in the catalogue of messages. */
  readonly publishMessage: (message: string, value: unknown, run: string) => void
  /** The last value of a message of another flow. */
  readonly lastValue: (message: string) => unknown
  /** Nodes of one run that execute at once. */
  readonly maxParallelNodes: number
  /** Who hears of calls on workers, where runs outlive their engine; null where they do not. */
  readonly calls: RunCalls | null
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
  readonly #left: LeftRun | null
  readonly #abort = new AbortController()
  readonly #begun = Promise.withResolvers<void>()
  readonly #over = Promise.withResolvers<void>()
  #kept: KeptRun | null = null
  #isLeft = false
  #said: Partial<RunHead> = {}
  #recorder: RunRecorder | null = null
  #cache: RunStageCache | null = null
  #digest: string | null
  #outputs: ReadonlyMap<string, unknown> = new Map()
  #end: Promise<SummaryRow | null> | null = null

  /** `left` is what another engine has done of the run. */
  constructor(claim: ClaimedRun, deps: ExecutionDeps, left: LeftRun | null = null) {
    this.claim = claim
    this.#deps = deps
    this.#left = left
    this.#digest = claim.digest
  }

  /** The run as it was claimed, with what people say about it now. */
  get summary(): SummaryRow {
    return { ...summaryOf(this.claim), ...this.#said }
  }

  /** What people say about the run has changed. */
  annotated({ note, tags, pinned, archived }: RunHead): void {
    this.#said = { note, tags, pinned, archived }
  }

  /** Whether the run's end is decided. */
  get ending(): boolean {
    return this.#end !== null
  }

  /** Settles when all calls that go on wait for their workers; at once for a run that began here. */
  get arrived(): Promise<void> {
    return this.#begun.promise.then(() => this.#kept?.arrived)
  }

  /** Settles when it has ended, and its end is written. */
  get over(): Promise<void> {
    return this.#over.promise
  }

  /** Calls that go on and whose workers have not come are lost. */
  endWaiting(): void {
    this.#kept?.endWaiting()
  }

  /** Executes the run to its end; never rejects. Resolves when no node executes any more and the end is written. */
  async run(listener: ExecutionListener): Promise<void> {
    const ending = await this.#outcome(listener)
    this.#begun.resolve()
    this.#kept?.over()
    listener.executed()
    if (ending !== null) await this.#finish(ending)
    await this.#end
    this.#cache?.close()
    if (!this.#isLeft) this.#kept?.forget()
    this.#over.resolve()
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
    if (!this.#isLeft) this.#kept?.record.close()
    this.#abort.abort()
  }

  /**
   * Leaves the run to the next engine, when all that executes of it is with workers that keep it: writes what has
   * gathered. False for a run that cannot be left.
   */
  async leave(): Promise<boolean> {
    if (this.ending || this.#recorder === null || !this.#kept?.record.goesOn) return false
    this.#end = Promise.resolve(null)
    this.#isLeft = true
    const written = this.#recorder.leave()
    this.#abort.abort(new LeftBehind())
    await written
    return true
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
      const document = underName(claim.flow, claim.document)
      return claim.draft ? this.#drafted(document, null) : { document, digest: null, inputs: paramsOf(claim.inputs) }
    }
    const flow = await flows.draftOf(claim.flow_id)
    if (!flow?.document) return failed('flow_deleted', `flow "${claim.flow}" was deleted while the run was queued`)
    const { document } = flow
    const issue = (await flows.issuesOf(document, 'draft')).find(({ severity }) => severity === 'error')
    if (issue) return failed('flow_invalid', `the draft has errors; the first: ${issue.message}`, issue.node)
    return this.#drafted(document, documentDigest(document))
  }

  /** A draft with the inputs as they fit it. `digest` is null when it is stored already. */
  #drafted(document: FlowDocument, digest: string | null): Work | Ending {
    const { claim } = this
    const given = Object.fromEntries(
      claim.inputs.filter((input) => !input.default).map(({ name, value }) => [name, value]),
    )
    const checked = checkParams(document, given, claim.seed ?? undefined)
    if ('errors' in checked) {
      const why = checked.errors[0]?.message ?? 'the params do not fit'
      return failed('bad_param', this.#deps.host.secrets.mask(`the draft has changed: ${why}`))
    }
    return { document, digest, inputs: paramsOf(checked.inputs) }
  }

  async #execute(work: Work, listener: ExecutionListener): Promise<Ending> {
    const { document, digest, inputs } = work
    const { id: run } = this.claim
    const { artifacts, host, registry, maxParallelNodes, lastValue } = this.#deps
    const { secrets } = host
    const kept = this.#keptRun(document)
    const { cache, recorder } = this.#recordOf(work, kept)
    const logs = this.#wholeLogs(recorder)
    const place = new RunPlace(document, (isWaiting) => listener.waits(isWaiting))
    const execute = host.call.bind(host)
    const call = (code: CodeCall) => {
      const watched = cache.watched(kept?.call(code) ?? code)
      return storedOutputs({ ...watched, storesOutputs: hasNoSecret(code, secrets) }, { execute, artifacts })
    }
    const running = runBatch(document, {
      host: { ...host, call },
      registry,
      run,
      inputs,
      noCache: this.claim.no_cache,
      parallel: maxParallelNodes,
      signal: this.#abort.signal,
      cache: sparesSecrets(cache, secrets),
      ...(kept && { earlier: kept.earlier, beginning: kept.beginning.bind(kept) }),
      observe(event) {
        const masked = maskedEvent(event, secrets)
        place.observe(event)
        logs.observe(masked)
        recorder.observe(masked, hidesSecret(event, masked))
        if (masked.kind === 'node' && masked.error)
          host.nodeFailed?.({ flow: document.name, node: masked.node, run, ...masked.error })
        kept?.observe(event)
      },
      behind: () => recorder.behind(),
      lastValue: kept ? kept.lastValue.bind(kept) : lastValue,
    })
    this.#begun.resolve()
    const outcome = await running
    await logs.over()
    if (digest !== null) this.#digest = digest
    if (!this.claim.draft) this.#outputs = outputsOf(document, outcome.result ?? {})
    return this.#endingOf(outcome)
  }

  /** Null for a run that ends with its engine. */
  #keptRun(document: FlowDocument): KeptRun | null {
    const { calls, host, lastValue } = this.#deps
    if (calls === null || !canBeKept(document)) return null
    this.#kept = new KeptRun({
      document,
      calls,
      left: this.#left,
      newId: () => host.newId(),
      secrets: host.secrets,
      lastValue,
      flush: () => this.flush(),
      signal: this.#abort.signal,
    })
    return this.#kept
  }

  #recordOf({ document, digest }: Work, kept: KeptRun | null): { cache: RunStageCache; recorder: RunRecorder } {
    const { host, stages, writes, publishEvent } = this.#deps
    const { id, token, flow_id: flow } = this.claim
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
      inputs: maskedInputs(this.claim.inputs, host.secrets),
      writes,
      publish: publishEvent,
      kept: kept?.record ?? null,
      left: this.#left && recordLeft(this.#left),
      cachedNodeOf: (key) => cache.nodeOf(key),
      onStagesWritten: (flights) => cache.written(flights),
    })
    this.#recorder = recorder
    return { cache, recorder }
  }

  #wholeLogs(recorder: RunRecorder): WholeLogs {
    const { artifacts, log } = this.#deps
    const logs = new WholeLogs({
      run: this.claim.id,
      save: async (chunks, name) =>
        (await artifacts.put(chunks, { name, mediaType: 'text/plain; charset=utf-8', volatile: false })).ref,
      onSaved: (node, ref) => recorder.observe({ kind: 'artifact', node, ref }),
      log,
    })
    const going = new Set(this.#left?.calls.map(({ node }) => node))
    for (const { node, logs: text, log_bytes: bytes } of this.#left?.nodes ?? []) {
      if (going.has(node)) logs.goesOn(node, text, bytes)
    }
    return logs
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
    const bare = { ...emptyWrite, run: id, token, end }
    const written = await (this.#recorder ? this.#recorder.finish(end) : writes.write(bare))
    if (written === 'lost' || written === 'stopped') return null
    const run = this.#summaryOf(written === 'reduced' ? unstorable(end) : end)
    publishEvent({ type: 'run', run }, nowMs)
    if (run.status === 'ok') {
      const { publishMessage, log } = this.#deps
      await publishOutputs(this.#outputs, { run: id, flow: run.flow, publishMessage, host, log })
    }
    return run
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

/** The document under the name that its flow has now: a pinned document keeps the name it was published under. */
function underName(name: string, document: FlowDocument): FlowDocument {
  if (document.name === name) return document
  const nodes = document.nodes.map((node) => ({
    ...node,
    ports: node.ports.map((port) => ({ ...port, message: qualify(name, port.name) })),
  }))
  return { ...document, name, nodes }
}
