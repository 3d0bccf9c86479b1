/**
 * Tests of profiles, which somebody asks for: a job of one minute goes the whole way, from `ssh` to a call that its worker
 * executes, and each step is told. They are in the memory of the engine that makes them. Their workers have no label, so that
 * no other call finds them.
 * @module
 */
import type { Clock, CodeCall } from '@flow-service/core'
import {
  flowDocumentInputSchema,
  type FlowNode,
  normalizeDocument,
  type ProvisionerTest,
  timestampOfMs,
} from '@flow-service/protocol'

import { ProblemError } from '../http/errors.ts'
import type { Log } from '../process/log.ts'
import { newId } from '../process/new-id.ts'
import type { AttachedWorker } from '../workers/attached-worker.ts'
import { callFrame } from '../workers/call-frame.ts'
import type { WorkerPool } from '../workers/pool.ts'
import type { WorkerTokens } from '../workers/tokens.ts'
import type { FoundProfile, Provisioners } from './provisioners.ts'
import { type Scheduler, SchedulerError } from './scheduler.ts'
import type { Timings } from './timings.ts'

/** A job without a limit of time may wait this long. */
const PATIENCE_S = 900
/** Tests that are kept. */
const MAX_KEPT = 20
/** Milliseconds to cancel the job once the engine stops. */
const CLOSING_MS = 5_000

type Step = ProvisionerTest['steps'][number]

/** What tests are made of. */
export interface TrialsDeps {
  readonly provisioners: Pick<Provisioners, 'find'>
  readonly tokens: Pick<WorkerTokens, 'provision' | 'revoke'>
  readonly pool: Pick<WorkerPool, 'list'>
  readonly clock: Clock
  readonly timings: Pick<Timings, 'trialMs' | 'lostMs'>
  readonly log: Pick<Log, 'error'>
}

interface Trial {
  readonly id: string
  /** Of the provisioner and the profile. */
  readonly of: string
  readonly steps: Step[]
  state: ProvisionerTest['state']
}

/** A job of a test, and how its worker signs in. */
interface TrialJob {
  readonly request: string
  readonly job: string
  readonly jti: string
}

/** What is to be cancelled. */
interface TrialRest {
  readonly request: string
  /** Null when none is known. */
  readonly job: string | null
  /** An answer was lost: a job may be in the queue yet. */
  readonly mayTurnUp: boolean
}

/** The tests of an engine. */
export class Trials {
  readonly #deps: TrialsDeps
  readonly #ending = new AbortController()
  readonly #running = new Set<Promise<void>>()
  #kept: readonly Trial[] = []

  constructor(deps: TrialsDeps) {
    this.#deps = deps
  }

  /** Begins a test, or names the one of the profile that is under way; its id. Refuses with `not_found`. */
  begin(name: string, profile: string): string {
    const found = this.#deps.provisioners.find(name, profile)
    const of = `${name} ${profile}`
    const underWay = this.#kept.find((trial) => trial.of === of && trial.state === 'running')
    if (underWay) return underWay.id
    const trial: Trial = { id: newId(), of, steps: [], state: 'running' }
    const ended = this.#kept.filter(({ state }) => state !== 'running')
    const forgotten = new Set(ended.slice(0, Math.max(0, this.#kept.length - MAX_KEPT + 1)))
    this.#kept = [...this.#kept.filter((each) => !forgotten.has(each)), trial]
    const running = this.#run(trial, found).finally(() => this.#running.delete(running))
    this.#running.add(running)
    return trial.id
  }

  /** Refuses with `not_found`. */
  read(id: string): ProvisionerTest {
    const trial = this.#kept.find((each) => each.id === id)
    if (trial) return { state: trial.state, steps: [...trial.steps] }
    throw new ProblemError(
      'not_found',
      `there is no test "${id}" of this engine: begin one, it keeps the last ${MAX_KEPT}`,
    )
  }

  /** Gives up what is under way, and cancels its jobs. */
  async close(): Promise<void> {
    this.#ending.abort()
    await Promise.all(this.#running)
  }

  async #run(trial: Trial, found: FoundProfile): Promise<void> {
    const isWell = await this.#steps(trial, found).catch((error: unknown) => {
      this.#deps.log.error({ err: error }, 'a test of a provisioner failed')
      return false
    })
    trial.state = isWell ? 'ok' : 'failed'
  }

  async #steps(trial: Trial, found: FoundProfile): Promise<boolean> {
    const { scheduler } = found
    const { signal } = this.#ending
    const isReached = await this.#step(trial, 'ssh', async () => {
      const jobs = await scheduler.list(signal)
      return [`${scheduler.place} answers; ${jobs.length} of our jobs are in its queue`, jobs] as const
    })
    if (!isReached) return false
    const made = await this.#mint(trial, found)
    try {
      const { request } = made
      let mayTurnUp = false
      const job = await this.#step(trial, 'submit', async () => {
        const submitted = await scheduler.submit(made.order, signal).catch((error: SchedulerError) => {
          mayTurnUp = error.kind === 'unknown'
          throw error
        })
        return [`job ${submitted}`, submitted] as const
      })
      const isWell = job !== null && (await this.#worker(trial, found, { ...made, job }))
      return (await this.#cancelled(trial, scheduler, { request, job, mayTurnUp })) && isWell
    } finally {
      await this.#deps.tokens.revoke(made.jti, async () => {})
    }
  }

  async #mint(trial: Trial, { provisioner, profile }: FoundProfile) {
    const name = `${provisioner.name}-${profile.name}-${trial.id.slice(-6)}`
    const { token, jti } = await this.#deps.tokens.provision({ name, labels: [] }, async () => {})
    return {
      request: trial.id,
      jti,
      order: { request: trial.id, profile, tasks: 1, name, token, maxIdleS: 60, minutes: 1 },
    }
  }

  /** From the queue to a call. */
  async #worker(trial: Trial, found: FoundProfile, job: TrialJob): Promise<boolean> {
    const begins = await this.#step(trial, 'running', () => this.#until(found, job, (running) => running))
    if (begins === null) return false
    const worker = await this.#step(trial, 'attached', () => this.#until(found, job, () => false))
    if (!worker?.worker) return false
    const { worker: attached } = worker
    const called = await this.#step(trial, 'called', async () => {
      const call = trialCall(this.#ending.signal)
      await attached.run(callFrame(call, trialBundle), call, { cpus: 0, gpus: 0, ramMb: 0 })
      return [`${attached.hello.name} has executed a call`, true] as const
    })
    return called !== null
  }

  /** Resolves when the job executes, if that is enough, or its worker has attached. */
  async #until(
    { provisioner, scheduler }: FoundProfile,
    { request, job, jti }: TrialJob,
    isEnough: (running: boolean) => boolean,
  ) {
    const { clock, pool } = this.#deps
    const endMs = clock.now() + (provisioner.provision_timeout_s || PATIENCE_S) * 1000
    for (;;) {
      const worker = pool.list().find((each) => each.jti === jti)
      if (worker) return [`its worker has attached as ${worker.hello.name}`, { worker }] as const
      const listed = (await scheduler.list(this.#ending.signal)).find((each) => each.request === request)
      if (!listed)
        throw new SchedulerError(
          'refused',
          `job ${job} has ended before its worker attached: ${await scheduler.fate(job, this.#ending.signal)}`,
        )
      if (isEnough(listed.running > 0))
        return [`job ${job} executes`, { worker: null as AttachedWorker | null }] as const
      if (clock.now() >= endMs) throw new SchedulerError('refused', `job ${job} still waits in the queue`)
      await this.#pause()
    }
  }

  /** Tries for as long as a job may turn up, and shortly once the engine stops. */
  async #cancelled(trial: Trial, scheduler: Scheduler, { request, job, mayTurnUp }: TrialRest): Promise<boolean> {
    const { clock, timings } = this.#deps
    const endMs = clock.now() + timings.lostMs
    const isLast = (): boolean => this.#ending.signal.aborted || clock.now() >= endMs
    const [signal, done] = this.#closing()
    const isCancelled = await this.#step(trial, 'cancelled', async () => {
      for (;;) {
        try {
          const listed = (await scheduler.list(signal)).find((each) => each.request === request)
          if (listed) await scheduler.cancel([listed.job], 'all', signal)
          if (listed || job !== null) return ['nothing of the job is left', true] as const
          if (!mayTurnUp || isLast()) return ['there is no job to cancel', true] as const
        } catch (error) {
          if (isLast()) throw error
        }
        // the engine may stop meanwhile, and there is one more try then
        await this.#pause().catch(() => {})
      }
    })
    done()
    return isCancelled !== null && job !== null
  }

  /** A signal that gives up shortly after the engine stops, and what ends it. */
  #closing(): readonly [AbortSignal, () => void] {
    const { signal: ending } = this.#ending
    const late = new AbortController()
    let timer: NodeJS.Timeout | undefined
    const hurry = (): void => void (timer = setTimeout(() => late.abort(), CLOSING_MS))
    if (ending.aborted) hurry()
    else ending.addEventListener('abort', hurry, { once: true })
    const done = (): void => {
      clearTimeout(timer)
      ending.removeEventListener('abort', hurry)
    }
    return [late.signal, done]
  }

  /** Tells how a step has ended; null when it failed. */
  async #step<T>(trial: Trial, step: Step['step'], act: () => Promise<readonly [string, T]>): Promise<T | null> {
    const tell = (ok: boolean, detail: string): void => {
      trial.steps.push({ step, ok, detail, at: timestampOfMs(this.#deps.clock.now()) })
    }
    try {
      const [detail, result] = await act()
      tell(true, detail)
      return result
    } catch (error) {
      tell(false, (error as Error).message)
      return null
    }
  }

  async #pause(): Promise<void> {
    const { clock, timings } = this.#deps
    const { signal } = this.#ending
    const { promise, resolve } = Promise.withResolvers<void>()
    const cancel = clock.setTimer(timings.trialMs, resolve)
    const stop = (): void => resolve()
    signal.addEventListener('abort', stop)
    await promise
    cancel()
    signal.removeEventListener('abort', stop)
    if (signal.aborted) throw new SchedulerError('unsent', 'the engine stops')
  }
}

/** Code that needs no more than Node.js, and does nothing. */
const trialBundle = `export const run = { kind: 'stage', id: 'test', initials: {}, run: () => ({}) }`

function trialCall(signal: AbortSignal): CodeCall {
  const input = flowDocumentInputSchema.parse({
    mode: 'batch',
    nodes: [{ id: 'test', type: 'python', source: '', timeout: 30 }],
  })
  const document = normalizeDocument('test', input)
  const ignored = (): void => {}
  const hears = { onEmit: ignored, onLog: ignored, onPlace: ignored }
  return {
    ...hears,
    document,
    node: document.nodes[0] as FlowNode,
    id: newId(),
    run: null,
    inputs: {},
    attempt: 1,
    seed: '',
    signal,
  }
}
