/**
 * How much of one worker is free: what it has, without what the calls of this engine take of it and what it says that those
 * of other engines do.
 * @module
 */
import type { HelloFrame, SharedFrame } from '@flow-service/protocol'

import { type Amounts, covers, remainder } from './demand.ts'

/** The places and the resources of a worker. */
export class WorkerRoom {
  readonly #hello: Pick<HelloFrame, 'parallel' | 'resources'>
  /** What calls of other engines take. */
  #elsewhere: Pick<SharedFrame, 'calls' | 'resources'> = { calls: 0, resources: { cpus: 0, gpus: 0, ram_mb: 0 } }
  /** Demands of calls that it has given back since it told of other engines last. */
  #refused: Amounts[] = []

  constructor(hello: Pick<HelloFrame, 'parallel' | 'resources'>) {
    this.#hello = hello
  }

  /** What there is, in use or not. */
  get total(): Amounts {
    return amountsOf(this.#hello.resources)
  }

  /** What calls with these demands leave of it, and those of other engines. */
  free(demands: readonly Amounts[]): Amounts {
    return remainder(this.total, [amountsOf(this.#elsewhere.resources), ...demands])
  }

  /** Whether a call with this demand can start beside those. */
  isEnough(demand: Amounts, beside: readonly Amounts[]): boolean {
    if (this.#refused.some((refused) => covers(demand, refused))) return false
    return beside.length + this.#elsewhere.calls < this.#hello.parallel && covers(this.free(beside), demand)
  }

  /** The worker tells what calls of other engines take. */
  shared(elsewhere: SharedFrame): void {
    this.#elsewhere = elsewhere
    this.#refused = []
  }

  /** The worker had no place for a call with this demand (attached-worker.A6). */
  refused(demand: Amounts): void {
    this.#refused.push(demand)
  }
}

const amountsOf = ({ cpus, gpus, ram_mb }: HelloFrame['resources']): Amounts => ({ cpus, gpus, ramMb: ram_mb })
