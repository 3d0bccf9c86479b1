/**
 * When the state of a live node is told (T5). A node may change its state ten thousand times a second, and nobody reads
 * that.
 *
 * - node-pace.P1 A state that lasts for 50 ms is told. Failing, and the end of a failure, are told at once.
 * - node-pace.P2 What else happens, executions and states that were shorter, is told together: once a second at most, with
 *   the number of executions that began since the node was last told of, and with the state in which it is.
 * - node-pace.P3 Whoever has seen a state that was not told, because they asked, hears of the node after that.
 * - node-pace.P4 The last state is always told; at the stop of the flow at once.
 * - node-pace.P5 While nobody watches, executions are not counted, and what changes is told at once: only those hear of
 *   it who wait for failures.
 * @module
 */
import type { Cancel } from '@flow-service/connector-sdk'
import type { NodeState } from '@flow-service/protocol'

import type { Host } from '../host.ts'

/** The node whose state is told. */
interface Pacing {
  state(): NodeState
}

/** What is told of a node. */
export interface NodeNews {
  readonly state: NodeState
  /** How many executions have begun since the last news of the node. */
  readonly executions: number
}

const LASTING_MS = 50
const PAUSE_MS = 1000

/** One object a node of a flow, over all rebuilds of the flow. */
export class NodePace {
  readonly #host: Pick<Host, 'clock' | 'isWatched'>
  readonly #tell: (news: NodeNews) => void
  #node: Pacing | null = null
  /** Null until the node has reported a change. */
  #current: NodeState | null = null
  #sinceMs = 0
  #told: NodeState | null = null
  #toldMs = -Infinity
  #executions = 0
  /** The node has changed or executed since it was last told of. */
  #isNews = false
  #timer: { readonly dueMs: number; readonly cancel: Cancel } | null = null
  #isClosed = false

  constructor(host: Pick<Host, 'clock' | 'isWatched'>, tell: (news: NodeNews) => void) {
    this.#host = host
    this.#tell = tell
  }

  /** An execution begins, while somebody watches (node-pace.P5). */
  executed(node: Pacing): void {
    if (++this.#executions === 1) this.#happened(node)
  }

  /** The state of the node may be another. */
  changed(node: Pacing): void {
    const state = node.state()
    const before = this.#current
    if (before !== null && isSame(before, state)) return
    const nowMs = this.#host.clock.now()
    // its timer may be late
    if (this.#lasts(nowMs)) this.#say(before!, nowMs)
    this.#current = state
    this.#sinceMs = nowMs
    // the first change to idle is the end of a failure of an earlier life
    const hadFailed = before === null ? state.status === 'idle' : before.status === 'failed'
    if (hadFailed === (state.status === 'failed')) this.#happened(node)
    else this.#say(state, nowMs)
  }

  /** Tells what is left to tell, and waits for nothing any more. */
  close(): void {
    this.#isClosed = true
    this.#timer?.cancel()
    this.#timer = null
    this.#flush()
  }

  #happened(node: Pacing): void {
    this.#node = node
    this.#isNews = true
    if (this.#isClosed || !this.#host.isWatched()) this.#flush()
    else this.#wait()
  }

  #flush(): void {
    if (this.#isNews && this.#node !== null) this.#say(this.#node.state(), this.#host.clock.now())
  }

  /** Whether the state is one that should have been told by now. */
  #lasts(nowMs: number): boolean {
    return this.#isUntold() && nowMs - this.#sinceMs >= LASTING_MS
  }

  #isUntold(): boolean {
    return this.#current !== null && (this.#told === null || !isSame(this.#current, this.#told))
  }

  #wait(): void {
    const nowMs = this.#host.clock.now()
    const restMs = Math.max(this.#toldMs + PAUSE_MS, nowMs + LASTING_MS)
    const dueMs = this.#isUntold() ? Math.min(this.#sinceMs + LASTING_MS, restMs) : restMs
    if (this.#timer !== null) {
      if (this.#timer.dueMs <= dueMs) return
      this.#timer.cancel()
    }
    this.#timer = { dueMs, cancel: this.#host.clock.setTimer(dueMs - nowMs, this.#due) }
  }

  readonly #due = (): void => {
    this.#timer = null
    const nowMs = this.#host.clock.now()
    if (this.#lasts(nowMs)) this.#say(this.#current!, nowMs)
    else if (nowMs >= this.#toldMs + PAUSE_MS) this.#flush()
    if (this.#isNews) this.#wait()
  }

  #say(state: NodeState, nowMs: number): void {
    const executions = this.#executions
    this.#executions = 0
    this.#isNews = false
    this.#told = state
    this.#toldMs = nowMs
    this.#tell({ state, executions })
  }
}

const isSame = (a: NodeState, b: NodeState): boolean =>
  a.status === b.status && a.error?.type === b.error?.type && a.error?.message === b.error?.message
