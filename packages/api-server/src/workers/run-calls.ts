/**
 * Calls of runs that outlive their engine (wire decision U23): the run of each hears what happens to it, and calls that a
 * worker has had since before this engine began wait here until the worker comes with them. Calls of which nobody keeps a
 * book live as long as this process.
 *
 * - run-calls.R1 a call that goes on is executed once: by the worker that has it, or, when that comes without it, as one
 *   that never began.
 * - run-calls.R2 a call that waits for its worker ends by its signal, or when its run gives it up, and what comes of it
 *   later is dropped.
 */
import { type CodeCall, CodeError } from '@flow-service/core'
import type { CallMark } from '@flow-service/protocol'

import type { Amounts } from './demand.ts'
import type { AdoptedCalls, KeptCall, KeptCalls } from './kept-calls.ts'
import { WorkerBusy } from './worker-deps.ts'

/** Which worker has a call: the token and the session. */
export interface CallPlace {
  readonly jti: string
  readonly session: string
}

/** One call as its run keeps it. */
export interface CallBook {
  /** It is about to begin, on a worker that can come back, or on one that cannot. Rejects when it may not. */
  begin(place: CallPlace | null): Promise<void>
  /** Its frames up to this one are applied in this turn. */
  applied(seq: number): void
  /** Its worker has said its last word. */
  ended(): void
  /** It was not begun, and is placed again. */
  givenBack(): void
  /** Settles when all of it so far is stored; undefined when it is. */
  safe(): Promise<void> | undefined
}

type Values = Record<string, unknown>

/** A call that its worker may have. */
interface GoingOn {
  /** The last frame that is stored as a whole. */
  readonly seq: number
  /** It has come to wait here. */
  readonly onWaiting: () => void
  waiter: Waiter | null
  /** What became of it before it came to wait. */
  verdict: ((waiter: Pick<Waiter, 'reject'>) => void) | null
}

interface Waiter {
  readonly call: CodeCall
  readonly demand: Amounts
  readonly resolve: (outputs: Values) => void
  readonly reject: (error: unknown) => void
}

/** Makes the runs of a session wait for it here: gives the calls of it that go on, once they do. */
export type FindRuns = (session: string, jti: string, calls: readonly CallMark[]) => Promise<ReadonlySet<string>>

/** Keeps the calls of runs. */
export class RunCalls implements KeptCalls {
  readonly #books = new Map<string, CallBook>()
  readonly #sessions = new Map<string, Set<string>>()
  readonly #sessionOf = new Map<string, string>()
  readonly #goingOn = new Map<string, GoingOn>()
  #findRuns: FindRuns = () => Promise.resolve(new Set())

  /** Who knows the runs of other lives of the engine. */
  foundBy(findRuns: FindRuns): void {
    this.#findRuns = findRuns
  }

  /** Keeps a book of a call from now on, whether it begins or goes on. */
  enter(call: string, book: CallBook, goesOn: Omit<GoingOn, 'waiter' | 'verdict'> | null): void {
    this.#books.set(call, book)
    if (goesOn) this.#goingOn.set(call, { ...goesOn, waiter: null, verdict: null })
  }

  /** The call is settled, and all of it is stored or nobody's. */
  leave(call: string): void {
    this.#books.delete(call)
    this.lost(call)
    this.#goingOn.delete(call)
    const session = this.#sessionOf.get(call)
    this.#sessionOf.delete(call)
    if (session === undefined) return
    const calls = this.#sessions.get(session)
    calls?.delete(call)
    if (calls?.size === 0) this.#sessions.delete(session)
  }

  /** The outputs of a call that goes on, once its worker has come with it; null for any other call. */
  goesOn(call: CodeCall, demandOf: () => Amounts): Promise<Values> | null {
    const going = this.#goingOn.get(call.id)
    if (!going) return null
    return new Promise<Values>((resolve, reject) => {
      const leave = (): void => {
        this.#goingOn.delete(call.id)
        reject(new CodeError('cancelled', 'the call was cancelled', null))
      }
      if (call.signal.aborted) return leave()
      if (going.verdict) {
        this.#goingOn.delete(call.id)
        return going.verdict({ reject })
      }
      call.signal.addEventListener('abort', leave, { once: true })
      going.waiter = { call, demand: demandOf(), resolve, reject }
      going.onWaiting()
    })
  }

  /** Its worker has come without it: it never began there. */
  notBegun(call: string): void {
    this.#settle(call, (waiter) => waiter.reject(new WorkerBusy('the worker has not begun the call')))
  }

  /** Its worker does not come any more. */
  lost(call: string): void {
    const text = 'the worker did not come back with the call after the engine had stopped'
    this.#settle(call, (waiter) => waiter.reject(new CodeError('worker_lost', text, null)))
  }

  begin({ call, jti, session }: KeptCall): Promise<void> | void {
    const book = this.#books.get(call)
    if (!book) return
    this.#sit(call, session)
    return book.begin({ jti, session })
  }

  beginHere(call: string): Promise<void> | undefined {
    return this.#books.get(call)?.begin(null)
  }

  /** A call that was not begun is placed again. */
  givenBack(call: string): void {
    this.#books.get(call)?.givenBack()
  }

  applied(call: string, seq: number): void {
    this.#books.get(call)?.applied(seq)
  }

  safe(session: string): Promise<void> | void {
    const calls = [...(this.#sessions.get(session) ?? [])]
    const waits = calls.flatMap((call) => this.#books.get(call)?.safe() ?? [])
    return waits.length === 0 ? undefined : Promise.all(waits).then(() => undefined)
  }

  ended(call: string): void {
    this.#books.get(call)?.ended()
  }

  async adopt(session: string, jti: string, calls: readonly CallMark[]): Promise<AdoptedCalls> {
    const found = await this.#findRuns(session, jti, calls)
    const resumed = calls.flatMap(({ call }) => {
      const going = this.#goingOn.get(call)
      const waiter = going?.waiter
      if (!going || !waiter || !found.has(call)) return []
      this.#sit(call, session)
      const take: AdoptedCalls['resumed'][number]['take'] = (worker) => {
        this.#goingOn.delete(call)
        worker
          .goOn({ timeout_s: waiter.call.node.timeout }, waiter.call, waiter.demand)
          .then(waiter.resolve, waiter.reject)
      }
      return [{ call, seq: going.seq, take }]
    })
    const known = new Set(resumed.map(({ call }) => call))
    return { resumed, dropped: calls.flatMap(({ call }) => (known.has(call) ? [] : [call])) }
  }

  #sit(call: string, session: string): void {
    const calls = this.#sessions.get(session) ?? new Set()
    this.#sessions.set(session, calls.add(call))
    this.#sessionOf.set(call, session)
  }

  #settle(call: string, verdict: NonNullable<GoingOn['verdict']>): void {
    const going = this.#goingOn.get(call)
    if (!going) return
    if (!going.waiter) {
      going.verdict = verdict
      return
    }
    this.#goingOn.delete(call)
    verdict(going.waiter)
  }
}
