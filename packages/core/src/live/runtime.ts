/**
 * Runs live flows.
 * @module
 */
import { type Dtype, type FlowDocument, flowPart, type NodeState } from '@flow-service/protocol'

import { conform } from '../conform.ts'
import type { FarDelivery, FarHost } from '../far-host.ts'
import { declaredMessages } from '../graph.ts'
import type { CascadeBeginning, CascadeId, Host, ValueSource, WorkNotes } from '../host.ts'
import { StartError } from '../node-life.ts'
import type { NodeRegistry } from '../registry.ts'
import { Bus } from './bus.ts'
import { Work, WorkCause } from './cascade.ts'
import { Cascades, type RunningCascade } from './cascades.ts'
import { contentDigest, formOf, typingOf } from './equal-nodes.ts'
import type { FlowStats } from './execution-stats.ts'
import { FarReader } from './far-reader.ts'
import type { LiveFlow, StartOptions } from './flow.ts'
import type { KnownMessages } from './node-home.ts'
import { nothingKept } from './nothing-kept.ts'
import { RunningFlow } from './running-flow.ts'

/** A message as values from outside come to it; made once, for each of them. */
interface Outside {
  readonly dtype: Dtype
  /** How errors call it. */
  readonly subject: string
  readonly beginning: CascadeBeginning
  readonly source: ValueSource
}

/** Who a value from outside is credited to; nobody unless given. */
interface Credit {
  /** A run. */
  readonly run?: string
  /** An output of a node of the flow. */
  readonly place?: { readonly node: string; readonly port: string }
}

/** What became of a value from outside. */
interface Published {
  readonly atMs: number
  /** The id of the cascade; null when nothing reads the value. */
  readonly cascade: string | null
}

/** Of a value that is read; hardly anybody asks for the id. */
class ReadPublication implements Published {
  readonly atMs: number
  readonly #cascade: CascadeId

  constructor(atMs: number, cascade: CascadeId) {
    this.atMs = atMs
    this.#cascade = cascade
  }

  get cascade(): string {
    return this.#cascade.id
  }
}

/** A flow from the beginning of its start to the end of its stop. */
interface Entry {
  readonly flow: RunningFlow
  /** Of its declared messages, by qualified name. */
  dtypes: ReadonlyMap<string, Dtype>
  /** Settles when the start is over; never rejects. */
  readonly settled: Promise<unknown>
}

/** Stopped flows whose counts are kept for a host that asks seldom or never. */
const MAX_PAST_STATS = 1_000

/** The live flows of one engine. Their messages reach each other. */
export class LiveRuntime {
  readonly #host: Host
  readonly #registry: NodeRegistry
  readonly #messages: KnownMessages | undefined
  readonly #bus: Bus
  readonly #cascades: Cascades
  readonly #flows = new Map<string, Entry>()
  /** Messages of these flows that values from outside have come to; found anew when a flow comes or goes. */
  readonly #known = new Map<string, Outside>()
  /** Flows that have taken up what an earlier engine had left: later starts are no attempts (flow-work.K5). */
  readonly #tried = new Set<string>()
  readonly #readsListeners = new Set<(flow: string) => void>()
  /** Of flows that have stopped, until it is asked for. */
  #pastStats: FlowStats[] = []

  /**
   * `messages` tells what published flows declare: values for anything else of another flow are dropped. Without it they
   * reach whoever reads them.
   */
  constructor(host: Host, registry: NodeRegistry, messages?: KnownMessages) {
    this.#host = host
    this.#registry = registry
    this.#messages = messages
    this.#bus = new Bus(host)
    this.#cascades = new Cascades(host)
  }

  /**
   * Builds and starts a checked document, whose publications begin once every node has started. Rejects with a
   * {@link StartError} when a node does not start within 10 s, or the flow runs already, and with what `commit` rejects
   * with.
   */
  async start(document: FlowDocument, options: StartOptions = {}): Promise<LiveFlow> {
    const { name } = document
    if (this.#flows.has(name)) throw new StartError(null, `flow "${name}" runs already; stop it first`)
    const deps = {
      host: this.#host,
      registry: this.#registry,
      bus: this.#bus,
      cascades: this.#cascades,
      isPrivate: false,
      isFirst: !this.#tried.has(name),
      messages: this.#messages,
    }
    const flow = new RunningFlow(document, deps, (next) => {
      this.#known.clear()
      const entry = this.#flows.get(name)
      if (next === null) {
        this.#flows.delete(name)
        this.#pastStats = [...this.#pastStats, flow.stats.take(name) ?? []].flat().slice(-MAX_PAST_STATS)
        this.#tellReads(name)
      } else if (entry !== undefined) entry.dtypes = dtypesOf(next)
    })
    const started = flow.start(options)
    this.#flows.set(name, { flow, dtypes: dtypesOf(document), settled: started.catch(() => {}) })
    this.#known.clear()
    await started
    this.#tellReads(name)
    if (options.paused !== true) this.#tried.add(name)
    return flow
  }

  /** The flow of a name while it is active. */
  get(name: string): LiveFlow | undefined {
    const flow = this.#flows.get(name)?.flow
    return flow?.active === true ? flow : undefined
  }

  /** The nodes of a flow that does not run which have a failure marker, in the order of its document. */
  failedNodes(document: FlowDocument): NodeState[] {
    const { name: flow, nodes } = document
    const markers = this.#host.markers.of(flow)
    return nodes.flatMap((node): NodeState[] => {
      const marker = markers.get(node.id)
      if (marker === undefined) return []
      const typing = typingOf(this.#registry.get(node.type), this.#registry)
      const content = contentDigest(formOf(node, document, this.#host), typing)
      if (content !== marker.content) return []
      return [{ flow, node: node.id, status: 'failed', health: 'ok', message: null, error: marker.error }]
    })
  }

  /**
   * Publishes a value from outside, under a qualified name, and records it also when nothing reads it; then the
   * cascade is null. `by` credits it to the run whose output it is, or to an output of a node. Throws a DtypeViolation for
   * a value off the dtype that an active flow declares; for messages of other flows the host has to know the dtype.
   */
  publish(message: string, value: unknown, by: Credit = {}): Published {
    const { beginning, dtype, source, subject } = credited(this.#outside(message), by)
    const sent = conform(dtype, value, subject)
    const cascade = this.#cascades.begin(beginning)
    const atMs = cascade.startedMs
    const read = this.#bus.publishOutside(source, sent, cascade, atMs)
    cascade.leave()
    return read ? new ReadPublication(atMs, cascade) : { atMs, cascade: null }
  }

  /** Whether a node of an active flow that is not paused reads a message, by its qualified name. */
  isRead(message: string): boolean {
    return this.#bus.isRead(message)
  }

  /** Whether messages reach the nodes of a flow here: from the end of its start to the end of its stop. */
  reads(name: string): boolean {
    return this.#flows.get(name)?.flow.reads === true
  }

  /** Calls back when {@link reads} has changed for a flow: at its end, before another message is published. The result ends that. */
  onReads(listener: (name: string) => void): () => void {
    this.#readsListeners.add(listener)
    return () => void this.#readsListeners.delete(listener)
  }

  /** A reader in another engine, which reads nothing yet. */
  farReader(host: FarHost): FarReader {
    return new FarReader(this.#bus, host)
  }

  /**
   * Delivers values that a flow of another engine has published, together, to an active flow of this one. With `kept` each
   * reader keeps its delivery: it is asked for, and not committed yet; what the readers have noted in an earlier life of the
   * publisher counts.
   */
  deliverFar(flow: string, { values, executions }: FarDelivery, kept: WorkNotes | null): void {
    const [first] = values
    if (first === undefined) return
    const cascade = this.#cascades.begin(this.#outside(first.message).beginning)
    cascade.executions = executions
    const work = kept && new Work(nothingKept, { ...kept, id: '', isShared: false })
    this.#bus.deliverFar(values, flow, work ? new WorkCause(cascade, work, 0, { isApart: true }) : cascade)
    cascade.leave()
  }

  #tellReads(name: string): void {
    for (const listener of this.#readsListeners) listener(name)
  }

  #outside(message: string): Outside {
    const known = this.#known.get(message)
    if (known !== undefined) return known
    const dtype = this.#flows.get(flowPart(message))?.dtypes.get(message)
    const place = outsideOf(message, dtype ?? 'any')
    if (dtype !== undefined) this.#known.set(message, place)
    return place
  }

  /** What the flows have executed since the last call. */
  takeStats(): FlowStats[] {
    const past = this.#pastStats
    this.#pastStats = []
    return [...past, ...[...this.#flows].flatMap(([name, { flow }]) => flow.stats.take(name) ?? [])]
  }

  /** The cascades that are not over, oldest first. */
  running(): RunningCascade[] {
    return this.#cascades.running()
  }

  /** Stops every flow; what waits is kept. */
  async close(): Promise<void> {
    const entries = [...this.#flows.values()]
    await Promise.all(entries.map(({ settled }) => settled))
    const left = entries.filter(({ flow }) => this.#flows.get(flow.name)?.flow === flow)
    await Promise.all(left.map(({ flow }) => flow.close()))
  }
}

const dtypesOf = (document: FlowDocument): ReadonlyMap<string, Dtype> =>
  new Map(declaredMessages(document).map((message) => [message.name, message.dtype]))

function outsideOf(message: string, dtype: Dtype): Outside {
  const flow = flowPart(message)
  return {
    dtype,
    subject: `message "${message}"`,
    beginning: { flow, origin: { kind: 'publish', node: null, message }, run: null },
    source: { message, flow, node: null, port: null, memo: undefined },
  }
}

/** The same for the output of a run or of a node that does not run. */
function credited(outside: Outside, { run, place }: Credit): Outside {
  const { beginning, source } = outside
  const { origin } = beginning
  if (run !== undefined)
    return {
      ...outside,
      beginning: { ...beginning, origin: { ...origin, kind: 'run' }, run },
      source: { ...source, run },
    }
  if (place === undefined) return outside
  const reading = { ...beginning, origin: { ...origin, kind: 'reading', node: place.node } as const }
  return { ...outside, beginning: reading, source: { ...source, ...place } }
}
