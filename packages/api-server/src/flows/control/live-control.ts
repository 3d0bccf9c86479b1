/**
 * What can be asked of an active flow and of its nodes (wire decisions G24, G26, G27).
 * @module
 */
import {
  checkDocument,
  type Host,
  type LiveFlow,
  type NodeRegistry,
  runPrivately,
  StartError,
  type Surroundings,
  TriggerError,
  unrepeatableNodes,
} from '@flow-service/core'
import type {
  FlowDocument,
  FlowMode,
  FlowNode,
  FlowState,
  Issue,
  Json,
  LiveRunResult,
  NodeCancelResult,
  NodeLogs,
  NodeState,
  StepResult,
  TriggerResult,
} from '@flow-service/protocol'

import type { CodeRegistry } from '../../code/registry.ts'
import { invalid, ProblemError } from '../../http/errors.ts'
import type { LiveLogs } from '../../node-logs/live-logs.ts'
import { logPart } from '../../node-logs/log-tail.ts'
import type { Markers } from '../../work/markers.ts'
import type { EngineSurroundings } from '../engine-surroundings.ts'
import type { FlowRows } from '../flow-rows.ts'
import type { LiveFlows } from '../live-flows.ts'
import type { PublishedFlows } from '../published-flows.ts'
import type { PythonIssues } from '../python-issues.ts'
import { assertLive, flowInvalid, isError } from '../refusals.ts'
import type { FlowRow } from '../store.ts'
import { currentContent, publishedContent } from '../stored-content.ts'

type Values = Readonly<Record<string, Json>>

/** What live control takes. */
export interface LiveControlDeps extends EngineSurroundings {
  readonly rows: Pick<FlowRows, 'find' | 'exclusively'>
  readonly live: LiveFlows
  readonly host: Host
  readonly registry: NodeRegistry
  readonly code: Pick<CodeRegistry, 'issues'>
  readonly liveLogs: Pick<LiveLogs, 'read'>
  readonly markers: Pick<Markers, 'clear' | 'of' | 'written'>
  readonly published: Pick<PublishedFlows, 'dtypeOf'>
  readonly pythonIssues: PythonIssues
}

/** Live flows that are run by themselves at the same time. */
const MAX_PRIVATE_RUNS = 8

const tooManyRuns = (): ProblemError =>
  new ProblemError(
    'rate_limited',
    `${MAX_PRIVATE_RUNS} live flows are being run once already: wait until one has ended`,
    {
      retry_after_s: 5,
    },
  )

/**
 * Unknown flows and nodes are refused with `not_found`, batch flows with `wrong_mode`, and what another engine runs with
 * `in_use`.
 */
export class LiveControl {
  readonly #deps: LiveControlDeps
  /** Runs of live flows by themselves that go on. */
  #privateRuns = 0

  constructor(deps: LiveControlDeps) {
    this.#deps = deps
  }

  /** Holds deliveries from now on, also after a restart. Refuses with `not_active`. */
  pause(name: string): Promise<FlowState> {
    return this.#switched(name, (row) => this.#deps.live.pause(row))
  }

  /** Releases what is held, in order. Refuses with `not_active`. */
  resume(name: string): Promise<FlowState> {
    return this.#switched(name, (row) => this.#deps.live.resume(row))
  }

  /** Releases the oldest held delivery. Refuses with `not_paused`. */
  step(name: string): Promise<StepResult> {
    return this.#deps.rows.exclusively(name, async (row) => {
      assertIsLive(row)
      this.#deps.live.assertHere(row)
      const flow = this.#deps.live.running(row)
      if (!flow?.paused) throw new ProblemError('not_paused', `flow "${name}" is not paused; pause it to go by steps`)
      const released = flow.step()
      this.#deps.live.announce(row)
      return { ...this.#state(row), released }
    })
  }

  /** Feeds or triggers a node. Refuses with `not_active`, or `validation_failed` naming the port. */
  async trigger(name: string, node: string, values: Values): Promise<TriggerResult> {
    const flow = await this.#flowOf(name, node)
    if (!flow) throw notActive(name)
    try {
      return { cascade: flow.trigger(node, values) }
    } catch (error) {
      throw asRefusal('/values', error)
    }
  }

  /** Ends what the node executes; a flow that is not active executes nothing. */
  async cancel(name: string, node: string): Promise<NodeCancelResult> {
    const flow = await this.#flowOf(name, node)
    return { cancelled: flow?.cancel(node) ?? 0 }
  }

  /** Clears the node's failure marker, of a flow that is stopped too; resolves when that is committed. */
  async acknowledge(name: string, node: string): Promise<NodeState> {
    const flow = await this.#flowOf(name, node)
    const state = flow?.acknowledge(node) ?? this.#acknowledgeAtRest(name, node)
    await this.#deps.markers.written()
    return state
  }

  #acknowledgeAtRest(flow: string, node: string): NodeState {
    const { host, markers } = this.#deps
    const state = { flow, node, status: 'idle', error: null } as const
    if (markers.of(flow).has(node)) {
      markers.clear(flow, node)
      host.event({ type: 'node', run: null, cached: false, ...state, executions: 0 })
    }
    return { ...state, health: 'ok', message: null }
  }

  /**
   * A part of what the node has printed since the engine started, behind the first `after` bytes. Refuses with
   * `validation_failed` what is behind the end.
   */
  async logs(name: string, node: string, part: { after: number; limit: number }): Promise<NodeLogs> {
    if ((await this.modeOf(name)) === 'batch') {
      throw new ProblemError('wrong_mode', `flow "${name}" is a batch flow: what its nodes print is with its runs`)
    }
    const { row, flow } = await this.#placeOf(name)
    assertHas(row, flow, node)
    const { liveLogs } = this.#deps
    return { flow: name, node, run: null, ...logPart(liveLogs.read(name, node), part), ended: flow === undefined }
  }

  /** How the draft is run: a batch flow as a draft run, a live one by {@link LiveControl.runOnce}. */
  async modeOf(name: string): Promise<FlowMode> {
    return currentContent(await this.#deps.rows.find(name)).document.mode
  }

  /**
   * Runs the draft of a live flow once by itself, until it is quiet or for 30 s. Refuses with `flow_invalid`, with
   * `validation_failed` naming the input, and with `rate_limited` while {@link MAX_PRIVATE_RUNS} go on. Unless it `sends`,
   * a flow with a node whose work must not be done twice is refused with `forbidden`.
   */
  async runOnce(name: string, inputs: Values, { sends = true } = {}): Promise<LiveRunResult> {
    const { host, registry } = this.#deps
    const { document, fault } = currentContent(await this.#deps.rows.find(name))
    const issues = fault ? [fault] : await this.#issues(document)
    if (issues.some(isError)) throw flowInvalid(name, issues)
    if (!sends) this.#assertRepeatable(document)
    if (this.#privateRuns >= MAX_PRIVATE_RUNS) throw tooManyRuns()
    this.#privateRuns++
    const onEnd = (): void => void this.#privateRuns--
    try {
      const { values, nodes, ...result } = await runPrivately({ document, host, registry, inputs, onEnd })
      return { ...result, values: values as LiveRunResult['values'], nodes: [...nodes] }
    } catch (error) {
      if (error instanceof StartError) throw flowInvalid(name, [startFailed(error)])
      throw asRefusal('/inputs', error)
    }
  }

  #assertRepeatable(document: FlowDocument): void {
    const [first] = this.#unrepeatable(document)
    if (!first) return
    const scope = 'flows:publish'
    throw new ProblemError(
      'forbidden',
      `node "${first.id}" of type "${first.type}" would really do its work, which must not be done twice: this takes the scope "${scope}"`,
      { required_scope: scope },
    )
  }

  #unrepeatable(document: FlowDocument): FlowNode[] {
    try {
      return unrepeatableNodes(document, this.#deps)
    } catch (error) {
      throw error instanceof StartError ? flowInvalid(document.name, [startFailed(error)]) : error
    }
  }

  #switched(name: string, change: (row: FlowRow) => Promise<boolean>): Promise<FlowState> {
    return this.#deps.rows.exclusively(name, async (row) => {
      assertIsLive(row)
      if (!(await change(row))) throw notActive(name)
      return this.#state(row)
    })
  }

  async #issues(document: FlowDocument): Promise<Issue[]> {
    const { code, deviceViews: devices, flavors, host, missing, published, pythonIssues, registry } = this.#deps
    const { secrets } = host
    const message = (name: string) => published.dtypeOf(name)
    const around: Surroundings = { message, missing, flavors, secrets, devices }
    const found = [...checkDocument(document, registry, around), ...code.issues(document.name)]
    return [...found, ...(await pythonIssues(document))]
  }

  /** The flow that has the node, while it runs. */
  async #flowOf(name: string, node: string): Promise<LiveFlow | undefined> {
    const { row, flow } = await this.#placeOf(name)
    // one that is being made anew is asked when it is there
    await flow?.ready(node)
    assertHas(row, flow, node)
    return flow
  }

  /** A live flow that no other engine runs, and what runs of it. */
  async #placeOf(name: string): Promise<{ row: FlowRow; flow: LiveFlow | undefined }> {
    const row = await this.#deps.rows.find(name)
    assertIsLive(row)
    this.#deps.live.assertHere(row)
    return { row, flow: this.#deps.live.running(row) }
  }

  #state(row: FlowRow): FlowState {
    const { status, held } = this.#deps.live.state(row)
    return { name: row.name, status, held }
  }
}

function assertIsLive(row: FlowRow): void {
  assertLive(row.name, (publishedContent(row) ?? currentContent(row)).document)
}

function assertHas(row: FlowRow, flow: LiveFlow | undefined, node: string): void {
  const { document } = flow ?? publishedContent(row) ?? currentContent(row)
  if (document.nodes.some(({ id }) => id === node)) return
  throw new ProblemError('not_found', `flow "${row.name}" has no node "${node}"`)
}

const notActive = (name: string): ProblemError =>
  new ProblemError('not_active', `flow "${name}" is not active; start it first`)

const startFailed = ({ node, message }: StartError): Issue => ({
  severity: 'error',
  code: 'start_failed',
  message,
  node,
  path: null,
})

/** A value that a node or input does not take is the caller's mistake. */
function asRefusal(path: string, error: unknown): unknown {
  if (!(error instanceof TriggerError)) return error
  const place = error.port === null ? path : `${path}/${error.port.replaceAll('~', '~0').replaceAll('/', '~1')}`
  return invalid([{ path: place, code: 'bad_value', message: error.message }])
}
