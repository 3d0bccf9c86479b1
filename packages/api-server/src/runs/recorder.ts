/**
 * Keeps the record of one executing run: turns what the graph runtime observes into node records, curves and events.
 *
 * - recorder.R1 one write of the run is under way at a time; what happens meanwhile goes with the next one.
 * - recorder.R2 changes are written at most 500 ms after they happened, a full curve at once, and the rest with the
 *   end: what a finished run shows is complete in the commit that finishes it.
 * - recorder.R3 from the moment the end is decided nothing more is taken in.
 * - recorder.R4 at most 20,000 points wait to be written, and those of the frames that are on their way: what emits
 *   more is held back until a write has taken them.
 */
import { type BatchEvent, type Clock, IntervalGate } from '@flow-service/core'
import {
  type ArtifactRef,
  artifactRefsIn,
  type EngineEvent,
  type FlowDocument,
  messagePart,
  timestampOfMs,
} from '@flow-service/protocol'

import { LogTail } from '../node-logs/log-tail.ts'
import { type CurveEnd, type CurveSummary, MetricBuffer, pointValue } from './curves/points.ts'
import type { RunEnd, RunWrite } from './execution-store.ts'
import type { KeptRecord } from './kept-record.ts'
import { type Facts, factsOf, type Listed } from './run-facts.ts'
import { type NodeRow, type RunArtifact, storableText, untouchedNode } from './run-record.ts'
import { type RunWrites, unstorable, type Written } from './run-writes.ts'
import type { CacheEntry } from './stages/store.ts'

/** Dependencies of the recorder, and facts of its run. */
export interface RecorderDeps {
  readonly run: string
  readonly token: string
  readonly document: FlowDocument
  /** Digest of the document when it is a draft, which is stored with the first write. */
  readonly draftDigest: string | null
  readonly clock: Clock
  /** The inputs of the run as lists show them. */
  readonly inputs: Listed['inputs']
  readonly writes: Pick<RunWrites, 'curvesOf' | 'write'>
  readonly publish: (event: EngineEvent, atMs: number) => void
  /** What outlives the engine of it; null of a run that ends with it. */
  readonly kept: KeptRecord | null
  /** The record so far of a run that another engine has begun. */
  readonly left: RecordLeft | null
  /** The node that executed behind a cached stage. */
  readonly cachedNodeOf: (key: string) => string | null
  /** The stages of these flights were written, or could not be. */
  readonly onStagesWritten: (flights: readonly string[]) => void
}

/** A record that goes on. */
export interface RecordLeft {
  readonly nodes: readonly NodeRow[]
  readonly curves: readonly CurveEnd[]
  readonly artifacts: readonly RunArtifact[]
}

type NodeEvent = Extract<BatchEvent, { kind: 'node' }>
type AttemptEvent = Extract<BatchEvent, { kind: 'attempt' }>
type EmitEvent = Extract<BatchEvent, { kind: 'emit' }>

const FLUSH_MS = 500
/** Points that may wait for a write. */
const MAX_WAITING = 20_000

/** Records one run. */
export class RunRecorder {
  readonly #deps: RecorderDeps
  readonly #nodes = new Map<string, NodeRow>()
  readonly #logs = new Map<string, LogTail>()
  readonly #changed = new Set<string>()
  readonly #metrics: MetricBuffer
  readonly #gates = new Map<string, IntervalGate<{ event: EngineEvent; atMs: number }>>()
  readonly #artifacts = new Map<string, RunArtifact>()
  /** Nodes with the bytes that they gave to a port. */
  readonly #given = new Set<string>()
  #newArtifacts = false
  /** The database has refused a part of the record: no end may pass it over. */
  #isReduced = false
  #draftIsNew: boolean
  #cache: CacheEntry[] = []
  /** What lists know of its curves, by message. */
  #curves: Record<string, CurveSummary> = {}
  #newCurves = false
  /** Curves of stages that were taken over, on their way. */
  #taking: Promise<void>[] = []
  #closed = false
  #cancelTimer: (() => void) | null = null
  #room: PromiseWithResolvers<void> | null = null
  #writing: Promise<unknown> = Promise.resolve()
  #next: Promise<void> | null = null

  constructor(deps: RecorderDeps) {
    this.#deps = deps
    this.#draftIsNew = deps.draftDigest !== null
    this.#metrics = new MetricBuffer(deps.left?.curves)
    for (const artifact of deps.left?.artifacts ?? []) this.#note(artifact.node, artifact.port, artifact)
    this.#newArtifacts = false
    for (const row of deps.left?.nodes ?? []) {
      this.#take(row.node, row.cached_from ?? deps.run, row.cached_node ?? row.node)
      const { node, logs: text, log_bytes: bytes, logs_truncated: truncated } = row
      this.#nodes.set(node, row)
      if (bytes > 0) this.#logs.set(node, new LogTail({ text, truncated, bytes }))
    }
  }

  /** Takes in what happened, as it may be shown; and whether it holds the value of a secret that is not shown. */
  observe(event: BatchEvent, hasSecret = false): void {
    if (this.#closed) return
    this.#deps.kept?.observe(event, hasSecret)
    switch (event.kind) {
      case 'node':
        this.#node(event)
        break
      case 'emit':
        this.#emit(event)
        break
      case 'artifact':
        this.#note(event.node, null, event.ref)
        break
      case 'log':
        this.#log(event.node, event.text)
        break
      case 'attempt':
        this.#attempt(event)
    }
    this.#cancelTimer ??= this.#deps.clock.setTimer(FLUSH_MS, () => void this.flush())
  }

  /** While too many points wait to be written: settles when a write takes them (recorder.R4). */
  behind(): Promise<void> | undefined {
    if (this.#closed || this.#metrics.waiting < MAX_WAITING) return undefined
    this.#room ??= Promise.withResolvers()
    void this.flush()
    return this.#room.promise
  }

  /** Keeps a stage's outputs for later runs. */
  cache(entry: CacheEntry): void {
    if (!this.#closed) this.#cache.push(entry)
  }

  /** Writes what has gathered; resolves after the commit. */
  flush(): Promise<void> {
    this.#stopTimer()
    this.#next ??= this.#writing.then(async () => {
      this.#next = null
      if (!this.#closed && this.#hasNews()) await this.#write(null)
    })
    this.#writing = this.#next
    return this.#next
  }

  /** Writes the rest, and takes in nothing more: another engine goes on. */
  leave(): Promise<Written> {
    this.close()
    return this.#writing.then(() => this.#write(null))
  }

  /** Ends the record with everything that has gathered; resolves after the commit. Called once. */
  finish(end: RunEnd): Promise<Written> {
    this.close()
    return this.#writing.then(() => this.#write(this.#isReduced ? unstorable(end) : end))
  }

  /** Takes in nothing more. */
  close(): void {
    this.#closed = true
    this.#deps.kept?.freeze()
    this.#stopTimer()
    this.#makeRoom()
    for (const gate of this.#gates.values()) gate.close()
  }

  #hasNews(): boolean {
    if (this.#deps.kept?.hasNews) return true
    return this.#changed.size > 0 || this.#cache.length > 0 || this.#newArtifacts || this.#metrics.waiting > 0
  }

  #stopTimer(): void {
    this.#cancelTimer?.()
    this.#cancelTimer = null
  }

  #makeRoom(): void {
    this.#room?.resolve()
    this.#room = null
  }

  async #write(end: RunEnd | null): Promise<Written> {
    const { kept, writes, onStagesWritten } = this.#deps
    if (this.#taking.length > 0) await Promise.all(this.#taking.splice(0))
    const write = this.#drain(end)
    const written = await writes.write(write)
    kept?.written(written)
    this.#isReduced ||= written === 'reduced'
    onStagesWritten(write.cache.map(({ flight }) => flight))
    return written === 'held' && this.#isReduced ? 'reduced' : written
  }

  #drain(end: RunEnd | null): RunWrite {
    const { run, token, document, draftDigest, kept } = this.#deps
    const write: RunWrite = {
      run,
      token,
      draft: this.#draftIsNew && draftDigest !== null ? { digest: draftDigest, document } : null,
      nodes: [...this.#changed].map((id) => this.#rowOf(id)),
      facts: this.#facts(end),
      chunks: this.#metrics.drain(),
      cache: this.#cache,
      artifacts: this.#newArtifacts ? [...this.#artifacts.values()] : null,
      kept: kept?.drain(end !== null) ?? null,
      end,
    }
    this.#makeRoom()
    this.#draftIsNew = false
    this.#newArtifacts = false
    this.#changed.clear()
    this.#cache = []
    return write
  }

  #rowOf(id: string): NodeRow {
    const row = this.#nodes.get(id) ?? untouchedNode(id)
    const log = this.#logs.get(id)
    if (!log) return row
    const { text, truncated } = log.read()
    return { ...row, logs: text, logs_truncated: truncated, log_bytes: log.bytes }
  }

  #node(event: NodeEvent): void {
    const { run, document, publish } = this.#deps
    const row = changedRow(this.#nodes.get(event.node) ?? untouchedNode(event.node), event)
    const cachedNode = event.cachedFrom && event.key ? this.#deps.cachedNodeOf(event.key) : null
    this.#nodes.set(event.node, cachedNode === null ? row : { ...row, cached_node: cachedNode })
    if (cachedNode !== null && row.cached_from !== null) this.#take(event.node, row.cached_from, cachedNode)
    this.#changed.add(event.node)
    for (const [port, value] of Object.entries(event.outputs ?? {})) this.#collect(event.node, port, value)
    const { status, cached, error } = row
    const told = { flow: document.name, node: event.node, run, status, cached, error, executions: null }
    publish({ type: 'node', ...told }, event.atMs)
  }

  /** What an execution of a node has drawn belongs to this run, too: one that was taken over, or an earlier part. */
  #take(id: string, owner: string, node: string): void {
    const streams = this.#deps.document.nodes.find((one) => one.id === id)?.ports.filter(({ stream }) => stream) ?? []
    if (streams.length === 0) return
    const names = new Map(streams.map(({ port, name }) => [port, messagePart(name)]))
    const take = async (): Promise<void> => {
      for (const { port, summary } of await this.#deps.writes.curvesOf(owner, node)) {
        const message = names.get(port)
        if (message === undefined) continue
        this.#curves[message] = summary
        this.#newCurves = true
      }
    }
    this.#taking.push(take())
  }

  /** What lists know of the run, where that is new. */
  #facts(end: RunEnd | null): Facts | null {
    const grown = this.#metrics.grown()
    if (!this.#newCurves && Object.keys(grown).length === 0 && !end?.result) return null
    this.#newCurves = false
    Object.assign(this.#curves, grown)
    return factsOf({ inputs: this.#deps.inputs, curves: this.#curves, result: end?.result ?? null })
  }

  #attempt({ node, attempt, startMs, atMs, error }: AttemptEvent): void {
    const row = this.#nodes.get(node) ?? untouchedNode(node)
    const ended = {
      attempt,
      started_at: timestampOfMs(startMs),
      finished_at: timestampOfMs(atMs),
      error: error && { type: storableText(error.type), message: storableText(error.message) },
    }
    // one that goes on after the engine has stopped may end twice
    const before = (row.attempts ?? []).filter((one) => one.attempt !== attempt)
    this.#nodes.set(node, { ...row, attempts: [...before, ended] })
    this.#changed.add(node)
  }

  #emit({ node, port, message, dtype, value, atMs }: EmitEvent): void {
    const { run, document } = this.#deps
    const point = pointValue(dtype, value)
    let step: number | null = null
    if (point !== null) {
      const added = this.#metrics.add({ node, port, message: messagePart(message) }, point, atMs)
      step = added.step
      if (added.full) void this.flush()
    }
    this.#collect(node, port, value)
    const event = { type: 'value', message, value: value as never, flow: document.name, node, port, run, step } as const
    this.#show(node, port, event, atMs)
  }

  /** Shows a value, thinned by the port's interval (G80); what is stored is not thinned. */
  #show(node: string, port: string, event: EngineEvent, atMs: number): void {
    const { clock, document, publish } = this.#deps
    const key = `${node}/${port}`
    let gate = this.#gates.get(key)
    if (!gate) {
      const ports = document.nodes.find(({ id }) => id === node)?.ports
      const intervalS = ports?.find((item) => item.direction === 'output' && item.port === port)?.interval
      if (!intervalS) return publish(event, atMs)
      gate = new IntervalGate(clock, intervalS * 1000, (item) => publish(item.event, item.atMs))
      this.#gates.set(key, gate)
    }
    gate.offer({ event, atMs })
  }

  #log(node: string, output: string): void {
    let tail = this.#logs.get(node)
    if (!tail) {
      tail = new LogTail()
      this.#logs.set(node, tail)
    }
    const { run, document, clock, publish } = this.#deps
    const offset = tail.bytes
    const text = tail.add(output)
    this.#changed.add(node)
    publish({ type: 'log', flow: document.name, node, run, offset, text }, clock.now())
  }

  /** Lists the stored bytes that a node's value refers to; volatile ones are not kept. */
  #collect(node: string, port: string, value: unknown): void {
    for (const ref of artifactRefsIn(value)) this.#note(node, port, ref)
  }

  /** Bytes that the node has stored have no port until it gives them to one. */
  #note(node: string, port: string | null, { digest, name, media_type, size, volatile }: ArtifactRef): void {
    const [bare, key] = [`${node}//${digest}`, `${node}/${port ?? ''}/${digest}`]
    if (volatile || this.#artifacts.has(key)) return
    if (port === null && this.#given.has(bare)) return
    this.#artifacts.delete(bare)
    if (port !== null) this.#given.add(bare)
    this.#artifacts.set(key, { digest, name, media_type, size, volatile: false, node, port })
    this.#newArtifacts = true
  }
}

function changedRow(row: NodeRow, event: NodeEvent): NodeRow {
  const { status, cachedFrom, worker, waitingFor, error } = event
  const at = timestampOfMs(event.atMs)
  const ended = status !== 'pending' && status !== 'queued' && status !== 'running'
  // node code begins when a worker has it for the first time, and not when its turn in the run came
  const isFirst = row.attempts === null || row.attempts.length === 0
  const begins = row.worker === null && ((status === 'queued' && isFirst) || Boolean(worker))
  const startedAt = begins ? null : row.started_at
  return {
    ...row,
    status,
    cached: row.cached || cachedFrom !== undefined,
    cached_from: cachedFrom ?? row.cached_from,
    cache: event.cache ?? row.cache,
    worker: worker ?? row.worker,
    waiting_for: status === 'queued' ? (waitingFor ?? row.waiting_for) : null,
    queued_at:
      status === 'queued' || (status === 'running' && row.queued_at === null) ? (row.queued_at ?? at) : row.queued_at,
    started_at: status === 'running' ? (startedAt ?? at) : startedAt,
    finished_at: ended ? at : null,
    traceback: error ? storableText(error.traceback) : row.traceback,
    error: error ? { type: storableText(error.type), message: storableText(error.message) } : row.error,
  }
}
