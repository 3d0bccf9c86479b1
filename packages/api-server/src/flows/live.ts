/**
 * The live flows of this engine: what the database wishes, and what the runtime does (wire decisions G18, G24).
 *
 * A live flow is *stopped*, *active*, *paused*, or *failed*: wished to be one of the former two, but it could not be
 * started.
 * - live.V1 the wish is stored before anything happens: a crash in between ends in what was wished.
 * - live.V2 starts, stops and pauses of one flow never overlap ({@link LiveFlows.exclusive}).
 * - live.V3 a stop gives up what waits, and a replacement what nobody takes any more; the end of the engine keeps it all.
 * - live.V4 a flow that runs is replaced in place, and a new content is stored once its nodes have started: one that does
 *   not start leaves flow and row as they were. Where it is stored already the old one goes on, with an issue that says so.
 */
import { type LiveFlow, type LiveRuntime, StartError, type StartOptions } from '@flow-service/core'
import type { FlowDocument, FlowStatus, Issue, NodeState } from '@flow-service/protocol'

import type { Database } from '../db/database.ts'
import { isOutage } from '../db/outage.ts'
import type { EventBus } from '../events/event-bus.ts'
import type { CurrentValues } from '../messages/current-values.ts'
import type { Log } from '../process/log.ts'
import type { LiveWork } from '../work/work.ts'
import type { FarStates } from './far-states.ts'
import type { FarValues } from './far-values.ts'
import type { AnnounceOptions, LiveFlows, Replacement } from './live-flows.ts'
import { type LiveState, liveStateOf, startFailed } from './live-state.ts'
import type { Placed, Placement } from './placement.ts'
import { flowInvalid, isError } from './refusals.ts'
import { createFlowStore, type FlowHead, type FlowRow, type FlowStore } from './store.ts'
import { publishedContent, type ReadContent } from './stored-content.ts'

/** What live flows are made of. */
export interface LiveFlowsDeps {
  readonly runtime: LiveRuntime
  readonly database: Pick<Database, 'sql'>
  /** What messages carry, initial values of other flows among it. */
  readonly values: Pick<CurrentValues, 'get'>
  readonly events: Pick<EventBus, 'follow' | 'publish'>
  /** Kept work: what a flow holds or has given up is committed before anybody is told. */
  readonly work: Pick<LiveWork, 'written'>
  /** What is wrong with a document now; errors keep it from being started. */
  readonly check: (document: FlowDocument) => readonly Issue[]
  /** The published content of a flow. */
  readonly published: (name: string) => FlowDocument | undefined
  readonly placement: Placement
  /** Values of flows that other engines run; null where there is one engine alone. */
  readonly farValues: Pick<FarValues, 'before'> | null
  /** How flows are that other engines run. */
  readonly farStates: Pick<FarStates, 'of'> | null
  readonly log: Pick<Log, 'warn'>
}

/** How long what executes has when its flow goes to another engine, in milliseconds. */
const LEAVING_MS = 1_500

/** Live flows on a runtime. */
export const createLiveFlows = (deps: LiveFlowsDeps): LiveFlows => new RuntimeFlows(deps)

class RuntimeFlows implements LiveFlows {
  readonly #deps: LiveFlowsDeps
  readonly #store: FlowStore
  /** Why flows are failed, by the flow's id. */
  readonly #failures = new Map<string, Issue>()
  /** Why flows go on with what they executed before, by the flow's id. */
  readonly #outdated = new Map<string, Issue>()
  /** What flows that are being moved were before, by the flow's id. */
  readonly #moving = new Map<string, FlowStatus>()
  /** The latest change of each flow that is not over. */
  readonly #changes = new Map<string, Promise<unknown>>()

  constructor(deps: LiveFlowsDeps) {
    this.#deps = deps
    this.#store = createFlowStore(deps.database.sql)
  }

  state(row: FlowHead): LiveState {
    const { id, name } = row
    const flow = this.running(row)
    const failure = this.#failures.get(id)
    const moving = this.#moving.get(id)
    const elsewhere = flow || moving ? null : this.#deps.placement.shown(row, failure !== undefined)
    const known = { failure, outdated: this.#outdated.get(id), moving }
    return elsewhere ?? liveStateOf(row, flow, this.nodeStates(name), known)
  }

  states(flows: readonly Placed[]): (readonly [name: string, state: LiveState])[] {
    return flows.flatMap(({ id, name }) => {
      const flow = this.running({ name })
      const known = { failure: undefined, outdated: this.#outdated.get(id), moving: this.#moving.get(id) }
      return flow ? [[name, liveStateOf({ published_mode: 'live' }, flow, flow.nodeStates(), known)] as const] : []
    })
  }

  nodeStates(name: string): readonly NodeState[] {
    const { farStates, published, runtime } = this.#deps
    const states = runtime.get(name)?.nodeStates() ?? farStates?.of(name)?.nodeStates
    if (states) return states
    const document = published(name)
    return document?.mode === 'live' ? runtime.failedNodes(document) : []
  }

  announce(row: FlowRow, { status, isFollowed = false }: AnnounceOptions = {}): void {
    const [found, { name, version }] = [this.state(row), row]
    const event = { type: 'flow', name, status: status ?? found.status, held: found.held, version } as const
    this.#deps.events[isFollowed ? 'follow' : 'publish'](event)
  }

  exclusive<T>(id: string, change: () => Promise<T>): Promise<T> {
    const before = this.#changes.get(id) ?? Promise.resolve()
    const mine = before.then(change, change)
    this.#changes.set(id, mine)
    const forget = (): void => {
      if (this.#changes.get(id) === mine) this.#changes.delete(id)
    }
    mine.then(forget, forget)
    return mine
  }

  running({ name }: Pick<FlowHead, 'name'>): LiveFlow | undefined {
    return this.#deps.runtime.get(name)
  }

  assertHere(row: FlowHead): void {
    this.#deps.placement.assertHere(row)
  }

  failed(): number {
    return this.#failures.size
  }

  async replace({
    row,
    next,
    commit,
    unchecked = false,
    ...options
  }: Replacement): Promise<Awaited<ReturnType<LiveFlows['replace']>>> {
    const flow = this.running(row)
    const content = publishedContent(next)
    if (content?.document.mode === 'live' && flow) {
      let made = next
      const store = async (rebuilt: readonly string[]): Promise<void> => void (made = await commit(rebuilt))
      try {
        if (unchecked) this.#assertSound(content.document, content.fault)
        await this.#deps.farValues?.before(content.document)
        const rebuilt = await flow.rebuild(content.document, { ...options, values: this.#values(), commit: store })
        this.#outdated.delete(row.id)
        return { row: made, rebuilt }
      } catch (error) {
        throw this.#refusal(row, error, content.document)
      } finally {
        this.announce(made)
      }
    }
    if (content?.document.mode === 'live' && this.#failures.has(row.id)) {
      return await this.#replaceFailed(next, content.document, commit)
    }
    const made = await commit([])
    if (flow) await this.stop(made)
    else this.announce(made)
    return { row: made, rebuilt: [] }
  }

  async start(row: FlowRow): Promise<boolean> {
    if (this.running(row)) return true
    await this.#deps.placement.take(row, 'active')
    const isActive = await this.#build({ ...row, wished: 'active' })
    this.announce(row)
    return isActive
  }

  async stop(row: FlowRow): Promise<void> {
    this.assertHere(row)
    await this.#store.wish(row.id, 'stopped')
    await this.#end(row, { keeps: false, keepsPlace: false })
    this.announce({ ...row, wished: 'stopped' })
  }

  pause(row: FlowRow): Promise<boolean> {
    return this.#switch(row, 'paused', (flow) => flow.pause())
  }

  resume(row: FlowRow): Promise<boolean> {
    return this.#switch(row, 'active', (flow) => flow.resume())
  }

  end(row: Placed, { keepsPlace = false } = {}): Promise<boolean> {
    return this.#end(row, { keeps: true, keepsPlace })
  }

  async revive(row: FlowRow): Promise<void> {
    const taken = await this.#deps.placement.takeFree([row])
    if (taken.has(row.id)) await this.#build(row)
    this.announce(row)
  }

  async move(row: FlowRow, commit: () => Promise<FlowRow>): Promise<FlowRow> {
    const after = this.running(row)
    this.#moving.set(row.id, this.state(row).status)
    let moved = row
    try {
      const isWanted = await this.#end(row, { keeps: true, keepsPlace: true })
      try {
        moved = await commit()
      } finally {
        const taken = isWanted ? await this.#deps.placement.takeFree([moved]) : null
        if (taken?.has(row.id)) await this.#build(moved, { deferred: true, after })
      }
    } finally {
      this.#moving.delete(row.id)
    }
    return moved
  }

  takeUp(row: FlowRow): void {
    this.running(row)?.takeUp()
    this.announce(row)
  }

  async rebuild(row: FlowRow, options: Parameters<LiveFlow['rebuild']>[1] = {}): Promise<readonly string[]> {
    const flow = this.running(row)
    const content = publishedContent(row)
    if (flow && content?.document.mode === 'live')
      return this.#follow(row, content, () => flow.rebuild(content.document, { ...options, values: this.#values() }))
    if (await this.#end(row, { keeps: true, keepsPlace: true })) await this.revive(row)
    else this.announce(row)
    return this.running(row)?.document.nodes.map(({ id }) => id) ?? []
  }

  async restore(isMissing: (name: string) => boolean): Promise<void> {
    const rows = (await this.#store.wished()).filter(({ name }) => !isMissing(name))
    await Promise.all(rows.map((row) => this.exclusive(row.id, () => this.#build(row, { deferred: true }))))
    this.#takeAllUp(rows)
  }

  async begin(rows: readonly FlowRow[]): Promise<readonly string[]> {
    const failed: FlowRow[] = []
    const begun = rows.map(async (row) => {
      try {
        return await this.exclusive(row.id, () => this.#beginOne(row.id))
      } catch (error) {
        failed.push(row)
        this.#deps.log.warn({ err: error, flow: row.name }, 'a live flow could not be started; it is taken again')
        return { row: null, isRefused: false }
      }
    })
    const ended = await Promise.all(begun)
    this.#takeAllUp(ended.flatMap(({ row }) => row ?? []))
    if (failed.length > 0) await this.leave(failed)
    return rows.flatMap(({ id }, at) => (ended[at]?.isRefused === true ? [id] : []))
  }

  /** Starts a flow as it is now: since it was taken, somebody may have stopped, renamed or started it, or taken it in turn. */
  async #beginOne(id: string): Promise<{ readonly row: FlowRow | null; readonly isRefused: boolean }> {
    const row = await this.#store.byId(id)
    if (row === null || this.running(row) || !this.#deps.placement.isMine(row)) return { row, isRefused: false }
    if (row.wished !== 'stopped') return { row, isRefused: !(await this.#build(row, { deferred: true })) }
    await this.#deps.placement.release([row])
    return { row, isRefused: false }
  }

  /** Delivers what flows have left once all of them have started: what one has left may be read by another. */
  #takeAllUp(rows: readonly FlowRow[]): void {
    for (const row of rows) this.running(row)?.takeUp()
    for (const row of rows) this.announce(row)
  }

  async leave(flows: readonly Placed[]): Promise<void> {
    const ended = flows.map((row) =>
      this.exclusive(row.id, async () => {
        await this.running(row)?.stop({ keep: true, graceMs: LEAVING_MS })
        this.#failures.delete(row.id)
      }),
    )
    await Promise.all(ended)
    await Promise.all(flows.map((row) => this.#committed(row)))
    await this.#deps.placement.release(flows, true)
  }

  async lose(flows: readonly Placed[]): Promise<void> {
    await Promise.all(flows.flatMap((row) => this.running(row)?.stop({ keep: true, graceMs: 0 }) ?? []))
    await this.#deps.placement.lose(flows)
  }

  /** Replaces what a flow executes by what is stored; what does not start leaves it as it is, and why is kept. */
  async #follow(row: FlowRow, { document, fault }: ReadContent, replace: () => Promise<readonly string[]>) {
    try {
      this.#assertSound(document, fault)
      await this.#deps.farValues?.before(document)
      const rebuilt = await replace()
      this.#outdated.delete(row.id)
      return rebuilt
    } catch (error) {
      ;(this.running(row) ? this.#outdated : this.#failures).set(row.id, startFailed(error, document))
      this.#deps.log.warn({ err: error, flow: row.name }, 'a live flow could not be rebuilt')
      return []
    } finally {
      this.announce(row)
    }
  }

  /** Starts the new content of a flow that is failed, once it is stored. */
  async #replaceFailed(
    next: FlowRow,
    document: FlowDocument,
    commit: Replacement['commit'],
  ): Promise<Awaited<ReturnType<LiveFlows['replace']>>> {
    const rebuilt = document.nodes.map(({ id }) => id)
    let made = next
    const store = async (): Promise<void> => void (made = await commit(rebuilt))
    await this.#deps.placement.take(next, next.wished)
    try {
      await this.#deps.farValues?.before(document)
      const options = { values: this.#values(), paused: next.wished === 'paused', commit: store }
      await this.#deps.runtime.start(document, options)
      this.#failures.delete(next.id)
      return { row: made, rebuilt }
    } catch (error) {
      await this.#deps.placement.release([next])
      throw error instanceof StartError ? flowInvalid(next.name, [startFailed(error, document)]) : error
    } finally {
      this.announce(made)
    }
  }

  /** What a failed replacement is refused with. A flow that did not even go back is failed. */
  #refusal(row: FlowRow, error: unknown, document: FlowDocument): unknown {
    const issue = startFailed(error, document)
    if (!this.running(row)) {
      this.#failures.set(row.id, issue)
      this.#deps.log.warn({ err: error, flow: row.name }, 'a live flow could not be started again')
    }
    return error instanceof StartError ? flowInvalid(row.name, [issue]) : error
  }

  #values(): { get(message: string): unknown } {
    return { get: (message) => this.#deps.values.get(message)?.value }
  }

  #assertSound(document: FlowDocument, fault: Issue | null): void {
    const error = fault ?? this.#deps.check(document).find(isError)
    if (error) throw new StartError(error.node, error.message)
  }

  /** Starts a flow; false, and why is kept, when it cannot be started. Rejects where that is the database: other engines may reach it. */
  async #build(row: FlowRow, options: Pick<StartOptions, 'after' | 'deferred'> = {}): Promise<boolean> {
    const { log, placement, runtime } = this.#deps
    const content = publishedContent(row)
    if (content === null || content.document.mode === 'batch') {
      await placement.release([row])
      return true
    }
    const { document, fault } = content
    this.#failures.delete(row.id)
    try {
      this.#assertSound(document, fault)
      await this.#deps.farValues?.before(document)
      await runtime.start(document, { ...options, values: this.#values(), paused: row.wished === 'paused' })
      return true
    } catch (error) {
      const isAway = placement.engine !== null && !(error instanceof StartError) && isOutage(error)
      if (!isAway) this.#failures.set(row.id, startFailed(error, document))
      log.warn({ err: error, flow: row.name }, 'a live flow could not be started')
      await placement.release([row], isAway)
      if (isAway) throw error
      return false
    }
  }

  async #end(row: Placed, { keeps, keepsPlace }: { keeps: boolean; keepsPlace: boolean }): Promise<boolean> {
    const flow = this.running(row)
    const hasFailed = this.#failures.delete(row.id)
    this.#outdated.delete(row.id)
    await flow?.stop({ keep: keeps })
    if (flow) {
      await this.#committed(row)
      if (!keepsPlace) await this.#deps.placement.release([row])
    }
    return flow !== undefined || hasFailed
  }

  /** A change of a flow that runs; false when it does not. */
  async #switch(row: FlowRow, wished: FlowRow['wished'], act: (flow: LiveFlow) => void): Promise<boolean> {
    this.assertHere(row)
    const flow = this.running(row)
    if (!flow) return false
    await this.#store.wish(row.id, wished)
    act(flow)
    await this.#committed(row)
    this.announce(row)
    return true
  }

  async #committed({ name }: Placed): Promise<void> {
    try {
      await this.#deps.work.written()
    } catch (error) {
      this.#deps.log.warn({ err: error, flow: name }, 'what a live flow keeps is not committed yet')
    }
  }
}
