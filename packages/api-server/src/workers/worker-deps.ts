/**
 * What an attached worker needs of its engine, and what it says of a call that has not begun.
 * @module
 */
import type { Clock, CodeCall } from '@flow-service/core'
import type { HelloFrame } from '@flow-service/protocol'
import type { EngineTransport } from '@flow-service/worker-agent'

import type { WorkerPrincipal } from '../http/principal.ts'

/** A call was not begun, and is to be placed again. */
export class WorkerBusy extends Error {
  override readonly name = 'WorkerBusy'
}

/** A worker's identity, and the functions of the pool that it calls. */
export interface WorkerDeps {
  readonly id: string
  readonly hello: HelloFrame
  /** Whose token it is; null for the agent in the engine's own process. */
  readonly token: WorkerPrincipal | null
  readonly clock: Clock
  /** A slot has become free, or the worker is gone. */
  readonly onChange: () => void
  /** A result came that nobody waits for: its call is over or cancelled, or there never was one. */
  readonly onDropped: () => void
  /** Nothing was heard of it for so many seconds, and so many calls have failed. */
  readonly onSilent: (seconds: number, calls: number) => void
  /** A call that was given up is lost: the worker goes on with it. */
  readonly onLost: (call: CodeCall) => void
  /** No frame of a call counts any more. */
  readonly onEnd?: (call: string) => void
}

/** How frames reach a worker. */
export type WorkerLink = Pick<EngineTransport, 'isOpen' | 'send'>
