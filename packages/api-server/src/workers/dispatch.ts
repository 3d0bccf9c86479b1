/**
 * Executes node code on workers: waits for a place, sends the call, hands back its outputs.
 *
 * - dispatch.D1 a place goes to the run, or live flow, that has the fewest of its kind, and within one to the call that
 *   came first, as far as a worker that suits them has room: no run waits for the end of another.
 * - dispatch.D2 a call that waits leaves the line when it is cancelled and never reaches a worker.
 * - dispatch.D3 a live node stays on the worker that has its warm process until it is released or the worker is gone.
 * - dispatch.D4 a call that a worker has not begun (attached-worker.A6) is placed again, at its old place in the line.
 * - dispatch.D5 a call of a run that goes on is not placed: the worker that has it comes with it, or without, and then it
 *   begins as any other.
 */
import { type CodeCall, CodeError, type LoadBytes } from '@flow-service/core'
import type { CodeEntry } from '@flow-service/protocol'

import type { AttachedWorker } from './attached-worker.ts'
import { callFrame } from './call-frame.ts'
import { demandOf, describeDemand } from './demand.ts'
import type { Flavors } from './flavors.ts'
import { LiveHomes } from './live-homes.ts'
import type { Wish, WorkerPool } from './pool.ts'
import type { RunCalls } from './run-calls.ts'
import { WorkerBusy } from './worker-deps.ts'

type Values = Record<string, unknown>

/** What the dispatcher needs of the engine. */
export interface DispatchDeps {
  readonly pool: WorkerPool
  /** Text of a `code` node's bundle; rejects when the bytes are gone. */
  readonly bundleOf: (entry: CodeEntry) => Promise<string>
  /** Executes nodes of flow objects that run in the engine's process; null for all others. */
  readonly inProcess: (call: CodeCall) => Promise<Values> | null
  /** Bytes of inputs that are stored; none unless given. */
  readonly load?: LoadBytes
  readonly flavors: Pick<Flavors, 'get' | 'onChange'>
  /** Whether nodes have no timeout, whatever they say. */
  readonly isUntimed?: boolean
  /** Calls that a worker has had since before this engine began; none unless given. */
  readonly runCalls?: Pick<RunCalls, 'goesOn' | 'givenBack'>
}

interface Waiter {
  readonly call: CodeCall
  /** Its place among those that came. */
  readonly arrival: number
  readonly take: (worker: AttachedWorker) => void
}

/** A call that waits for a worker. */
export interface WaitingCall {
  readonly call: CodeCall
  readonly wish: Wish
}

/** Runs node code; what `Host.call` and `Host.release` of core ask for. */
export interface Dispatcher {
  /** Outputs by port, as the code returned them. Rejects with a {@link CodeError}, or with what `onEmit` threw. */
  call(call: CodeCall): Promise<Values>
  /** Ends the warm process of a live node wherever it is. */
  release(flow: string, node: string): void
  /** The calls that wait now. */
  waiting(): WaitingCall[]
  /** Calls back whenever a call begins to wait; the result ends that. */
  onWait(listener: (call: CodeCall) => void): () => void
}

/** A dispatcher over a pool. */
export function createDispatcher(deps: DispatchDeps): Dispatcher {
  const { pool, bundleOf, inProcess, flavors, runCalls, load, isUntimed = false } = deps
  const line = new Set<Waiter>()
  const listeners = new Set<(call: CodeCall) => void>()
  let arrivals = 0
  const homes = new LiveHomes(pool)
  const wishOf = (call: CodeCall): Wish => wishFor(call, flavors, homes)
  const look = (): void => {
    if (line.size === 0) return
    for (const waiter of inTurn(line, pool)) {
      const worker = pool.choose(wishOf(waiter.call))
      if (!worker) continue
      line.delete(waiter)
      waiter.take(worker)
    }
  }
  pool.onChange(look)
  // one that has become smaller may let calls go that wait
  flavors.onChange(look)

  /** Runs `start` on a worker as soon as there is a place, in the same turn in which it was found. */
  const placed = <T>(
    call: CodeCall,
    start: (worker: AttachedWorker) => Promise<T>,
    arrival = (arrivals += 1),
  ): Promise<T> => {
    const wish = wishOf(call)
    const worker = pool.choose(wish)
    const begin = (on: AttachedWorker): Promise<T> =>
      start(on).catch(
        unlessBusy(call, () => {
          runCalls?.givenBack(call.id)
          return placed(call, start, arrival)
        }),
      )
    if (worker) return begin(worker)
    call.onPlace({ waitingFor: describe(wish) })
    return new Promise<T>((resolve, reject) => {
      const leave = (): void => {
        line.delete(waiter)
        reject(cancelled())
      }
      const waiter: Waiter = {
        call,
        arrival,
        take(free) {
          call.signal.removeEventListener('abort', leave)
          begin(free).then(resolve, reject)
        },
      }
      line.add(waiter)
      call.signal.addEventListener('abort', leave, { once: true })
      for (const listener of listeners) listener(call)
    })
  }

  const begun = async (call: CodeCall): Promise<Values> => {
    if (call.signal.aborted) throw cancelled()
    const own = inProcess(call)
    if (own) return own
    const bundle = call.node.entry === null ? null : await bundleOf(call.node.entry)
    if (call.signal.aborted) throw cancelled()
    const timed = callFrame(call, bundle)
    const frame = isUntimed ? { ...timed, timeout_s: null } : timed
    return placed(call, (worker) => {
      const start = () => worker.run(frame, call, demandOf(call.document, flavors), load)
      return frame.mode === 'live' ? homes.begin(frame, worker, start) : start()
    })
  }

  return {
    call: (call) =>
      runCalls?.goesOn(call, () => demandOf(call.document, flavors))?.catch(unlessBusy(call, () => begun(call))) ??
      begun(call),
    release: (flow, node) => homes.release({ flow, node }),
    waiting: () => [...line].map(({ call }) => ({ call, wish: wishOf(call) })),
    onWait(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

const wishFor = ({ document, node }: CodeCall, flavors: Pick<Flavors, 'get'>, homes: LiveHomes): Wish => ({
  worker: node.worker,
  policy: node.worker_policy,
  demand: demandOf(document, flavors),
  python: node.entry === null ? (document.resources.python ?? null) : null,
  home: homes.of({ flow: document.name, node: node.id }),
})

/** What is done about a call that its worker has not begun; other errors pass. */
const unlessBusy =
  <T>({ signal }: CodeCall, again: () => Promise<T>) =>
  (error: unknown): Promise<T> => {
    if (!(error instanceof WorkerBusy)) throw error
    if (signal.aborted) throw cancelled()
    return again()
  }

/** Those that wait, the next one first (dispatch.D1). */
function inTurn(line: ReadonlySet<Waiter>, pool: Pick<WorkerPool, 'list'>): Waiter[] {
  const taken = new Map<string, number>()
  const take = (call: CodeCall): number => {
    const key = keyOf(call.run ?? call.document.name, call.node.worker ?? '')
    const before = taken.get(key) ?? 0
    taken.set(key, before + 1)
    return before
  }
  for (const call of pool.list().flatMap(({ calls }) => calls)) take(call)
  return [...line]
    .toSorted((a, b) => a.arrival - b.arrival)
    .map((waiter) => ({ waiter, before: take(waiter.call) }))
    .toSorted((a, b) => a.before - b.before)
    .map(({ waiter }) => waiter)
}

/** No name holds a line break. */
const keyOf = (first: string, second: string): string => `${first}\n${second}`

function describe({ worker, demand, python }: Wish): string {
  const amounts = describeDemand(demand)
  if (worker !== null && python !== null) return `${worker} with Python "${python}"`
  return worker ?? (amounts === '' ? 'process' : `process with ${amounts} free`)
}

const cancelled = (): CodeError => new CodeError('cancelled', 'the call was cancelled', null)
