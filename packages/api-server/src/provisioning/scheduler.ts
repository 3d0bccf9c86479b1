/**
 * What a scheduler of jobs does for a provisioner. A type of provisioner is one file that makes this of its settings; the
 * life of requests, their tokens and their rows are the same for all (`requests.ts`).
 * @module
 */
import type { ProvisionerProfile } from '@flow-service/protocol'

/** A job of tasks that are alike: each of them starts one worker. */
export interface JobOrder<P extends ProvisionerProfile = ProvisionerProfile> {
  /** Id of the request, which the job carries: {@link Scheduler.list} finds it by that. */
  readonly request: string
  readonly profile: P
  /** At least 1. */
  readonly tasks: number
  /** Name of its workers, for lists of the scheduler. */
  readonly name: string
  /** What its workers sign in with. It stands in no argument of a program. */
  readonly token: string
  /** Seconds without a call after which a worker ends; 0 is never. */
  readonly maxIdleS: number
  /** Ends it after so many minutes; null leaves that to the profile. */
  readonly minutes: number | null
}

/** A job that is in the queue or executes. */
export interface ListedJob {
  readonly request: string
  readonly job: string
  /** Tasks that have not ended. */
  readonly tasks: number
  /** Those of them that execute. */
  readonly running: number
}

/**
 * Rejects with a {@link SchedulerError} alone. `signal` gives an attempt up. It is handed profiles of its own provisioner.
 */
export interface Scheduler<P extends ProvisionerProfile = ProvisionerProfile> {
  /** Where it is, as people write it. Two schedulers of the same place look at the same jobs, and may end them. */
  readonly place: string
  /** Hands a job in; its id. */
  submit(order: JobOrder<P>, signal: AbortSignal): Promise<string>
  /** Ends jobs; with `waiting` alone those of their tasks that have not begun. */
  cancel(jobs: readonly string[], which: 'all' | 'waiting', signal: AbortSignal): Promise<void>
  /** The jobs of requests of ours, and of others who use the same account. */
  list(signal: AbortSignal): Promise<readonly ListedJob[]>
  /** Why a job has ended by itself, or where that is written; the end of a sentence. Does not reject. */
  fate(job: string, signal: AbortSignal): Promise<string>
}

/** Why nothing came of what was under way when its signal was aborted. */
export const GIVEN_UP = 'the engine stops, or has read provisioners.json again'

/**
 * Why a scheduler did not do it, in words for people.
 *
 * - `refused`: it was asked, and has said no.
 * - `unsent`: it was never asked.
 * - `unknown`: it could not be reached, or its answer was lost: what was asked may be done all the same.
 */
export class SchedulerError extends Error {
  readonly kind: 'refused' | 'unsent' | 'unknown'

  constructor(kind: SchedulerError['kind'], message: string) {
    super(message)
    this.kind = kind
  }
}
