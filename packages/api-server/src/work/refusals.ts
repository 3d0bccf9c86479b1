/**
 * Why work is not kept: what `work.ts` rejects with. Who reads it: the sender of a request to a durable webhook, and core,
 * which goes by `mayBeKept`.
 * @module
 */
import type { UnkeptError } from '@flow-service/core'

import { ProblemError } from '../http/errors.ts'
import type { WorkRow } from './store.ts'

/** It can never be stored (work.W6). */
export const unkept = ({ flow, node }: WorkRow, reason: string): Error =>
  new Error(`the work of node "${node}" of flow "${flow}" cannot be kept: ${reason}`)

/** Another engine has deleted it a moment ago: what comes to its nodes from outside finds no flow. */
export const noFlow = (flow: string): ProblemError =>
  new ProblemError('not_found', `there is no flow "${flow}" any more, so that nothing is kept for it`)

/** A commit has taken too long; it goes on (work.W4). */
export class Uncommitted extends ProblemError implements UnkeptError {
  readonly mayBeKept = true

  constructor(seconds: number) {
    super('unavailable', `the database has committed nothing for ${seconds} s; try again later`)
  }
}

/**
 * Another engine has the flow. What came is not lost: its sender hears that it was not taken, or that nobody here can know
 * (work.W12).
 */
export class LostFlow extends ProblemError implements UnkeptError {
  readonly mayBeKept: boolean

  constructor(flow: string, { mayBeKept }: { readonly mayBeKept: boolean }) {
    const advice = mayBeKept
      ? 'while this was being kept: it may have been taken; look before you try again'
      : 'meanwhile; try again'
    super('unavailable', `flow "${flow}" has gone to another engine ${advice}`, { retry_after_s: 1 })
    this.mayBeKept = mayBeKept
  }
}
