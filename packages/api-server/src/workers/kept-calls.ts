/**
 * What is kept of batch calls on workers that can come back to them (wire decision U23), told by `worker-session.ts` as it
 * happens. {@link callsInMemory} lets calls outlive a broken link; for them to outlive the engine, `run-calls.ts` has their
 * runs keep them.
 *
 * - kept-calls.K1 `begin` of a call has settled before its worker hears of the call.
 * - kept-calls.K2 a frame is acknowledged after a `safe` has settled that was asked later than the frame was applied: until
 *   then the worker has it still.
 * - kept-calls.K3 `ended` is the last word of a call: no frame of it is applied after that.
 * @module
 */
import type { CallFrame, CallMark } from '@flow-service/protocol'

import type { AttachedWorker } from './attached-worker.ts'

/** A batch call, the token of the worker that it is given to, and the session in which it is. */
export interface KeptCall extends Pick<CallFrame, 'call' | 'attempt' | 'flow' | 'node' | 'run'> {
  readonly jti: string
  readonly session: string
}

/** Calls of a session of which this engine process knows nothing. */
export interface AdoptedCalls {
  /** Those that go on. `take` is called once their worker is attached, and enters the call there by `AttachedWorker.goOn`. */
  readonly resumed: readonly (CallMark & { take(worker: AttachedWorker): void })[]
  /** Those that the worker ends. */
  readonly dropped: readonly string[]
}

/** Where calls are kept. */
export interface KeptCalls {
  /** A call is about to be given to a worker. When this rejects it is not, and fails with the error. */
  begin(call: KeptCall): void | Promise<void>
  /** A batch call is about to begin on a worker that cannot come back to it. As {@link begin}. */
  beginHere(call: string): void | Promise<void>
  /** The frames of a call up to this one are applied, the last of them in this turn. */
  applied(call: string, seq: number): void
  /** Settles when all that has been applied in a session so far is durable; nothing when it is. */
  safe(session: string): void | Promise<void>
  /** The call is over, or nobody waits for it any more and it was given up. */
  ended(call: string): void
  /** A worker asks for a session that is not in memory. Never rejects. */
  adopt(session: string, jti: string, calls: readonly CallMark[]): AdoptedCalls | Promise<AdoptedCalls>
}

/** Calls that live as long as this process: all that is applied is safe, and of other sessions nothing is known. */
export const callsInMemory: KeptCalls = {
  begin() {},
  beginHere() {},
  applied() {},
  safe() {},
  ended() {},
  adopt: (_session, _jti, calls) => ({ resumed: [], dropped: calls.map(({ call }) => call) }),
}
