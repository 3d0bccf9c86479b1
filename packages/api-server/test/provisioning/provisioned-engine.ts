/** Engines with provisioners, each with a pool, a dispatcher and a clock of its own, over a cluster of a test. */
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Clock, CodeCall, CodeError } from '@flow-service/core'
import { VirtualClock } from '@flow-service/core/testing'
import type { Provisioner } from '@flow-service/protocol'
import { decodeJwt } from 'jose'
import { expect, onTestFinished } from 'vitest'

import type { Database } from '../../src/db/database.ts'
import type { NewsEntry } from '../../src/events/event-log.ts'
import { Attachments } from '../../src/provisioning/attachments.ts'
import { provisionersFile } from '../../src/provisioning/provisioners-file.ts'
import { Provisioners } from '../../src/provisioning/provisioners.ts'
import type { JobOrder, Scheduler } from '../../src/provisioning/scheduler.ts'
import { usual } from '../../src/provisioning/timings.ts'
import { WorkerTokens } from '../../src/workers/tokens.ts'
import { quiet } from '../use-database.ts'
import { codeCall } from '../workers/code-call.ts'
import { type PuppetWorker, setup } from '../workers/puppet-pool.ts'

/** A cluster that a test plays the nodes of. */
export interface TestCluster extends AsyncDisposable {
  /** Type, address and so on of a provisioner on it. */
  readonly settings: object
  schedulerOf(provisioner: Provisioner, clock: Clock): Scheduler
  /** What is in its queue. */
  jobs(): Promise<readonly { readonly job: string; readonly request: string; readonly tasks: readonly string[] }[]>
  /** Tasks of a job begin. */
  run(job: string, ...tasks: readonly number[]): Promise<void>
  /** A job ends by itself. */
  end(job: string): Promise<void>
  /**
   * How it behaves from now on; `null` is well again. `refuses` takes no job, `denies` refuses everything, `loses` takes a
   * job and does not say so, `late` hands in and cancels when it is well again.
   */
  behave(how: 'refuses' | 'denies' | 'unreachable' | 'late' | 'loses' | null, words?: string): Promise<void>
}

/** What was asked of a scheduler. */
export interface Operation {
  readonly what: 'submit' | 'cancel' | 'list'
  readonly atMs: number
  readonly order: JobOrder | null
  /** Job of an order, jobs to cancel. */
  readonly jobs: readonly string[]
}

const { privateKey, publicKey } = generateKeyPairSync('ed25519')

/** A profile; `gpu` unless named otherwise. */
export const profileOf = (more: object = {}) => ({
  name: 'gpu',
  cpus: 4,
  gpus: 1,
  ram_mb: 16_000,
  labels: ['gpu'],
  ...more,
})

interface EngineOptions {
  readonly database: Database
  readonly cluster: TestCluster
  /** Name of the provisioner, which no other test has. */
  readonly name: string
  readonly profiles?: readonly object[]
  readonly settings?: object
  readonly engine?: string | null
  readonly startMs?: number
  /** A call waits before the engine asks for workers. */
  readonly isWaitedFor?: boolean
}

/** Starts an engine. It is closed at the end of the test, unless it has crashed. */
export async function engineWith(options: EngineOptions) {
  const { database, cluster, name, profiles = [profileOf()], settings = {}, engine = null, startMs = 1e12 } = options
  const dataDir = mkdtempSync(join(tmpdir(), 'provisioned-'))
  const write = (more: object): void =>
    writeFileSync(
      provisionersFile(dataDir),
      JSON.stringify([{ ...cluster.settings, name, profiles, ...settings, ...more }]),
    )
  write({})
  const clock = new VirtualClock(startMs)
  const { pool, dispatcher, attach } = setup({ clock })
  const tokens = new WorkerTokens({ key: { privateKey, publicKey }, database })
  const stopped = new AbortController()
  const watched = watch(clock, stopped.signal, (provisioner) => cluster.schedulerOf(provisioner, clock))
  const attachments = new Attachments({ pool, database, clock, log: quiet })
  const news: NewsEntry[] = []
  const report = (entry: NewsEntry): void => void news.push(entry)
  const { schedulerOf } = watched
  const path = provisionersFile(dataDir)
  const nouns = { attachments, clock, database, dispatcher, pool, tokens }
  const provisioners = new Provisioners({ ...nouns, path, engine, log: quiet, report, schedulerOf, timings: usual })
  /** A call that waits for a worker. */
  const call = (node: object = { worker: 'gpu' }, resources: object = {}) => {
    const made = codeCall({ node: node as Partial<CodeCall['node']>, resources })
    const done = dispatcher.call(made).catch((error: unknown) => error as CodeError)
    return { call: made, done, cancel: () => made.record.cancel() }
  }
  await provisioners.load()
  attachments.open()
  if (options.isWaitedFor) call()
  await provisioners.open()
  let isClosed = false
  const close = async (): Promise<void> => {
    if (isClosed || stopped.signal.aborted) return
    isClosed = true
    await provisioners.close()
    await attachments.close()
  }
  onTestFinished(async () => {
    await close()
    rmSync(dataDir, { recursive: true, force: true })
  })
  const state = async (profile = 'gpu') =>
    (await provisioners.list())[0]?.profiles.find((each) => each.name === profile)
  /** Lets time pass until something is so; not while a look or a command is under way, which take time of the machine. */
  const until = (holds: () => unknown, stepMs = 1000): Promise<void> =>
    expect
      .poll(
        async () => {
          if (watched.underWay() === null) await clock.advance(stepMs)
          await provisioners.settled()
          return Boolean(await holds())
        },
        { interval: 5 },
      )
      .toBe(true)
  const submits = () => watched.operations.filter(({ what }) => what === 'submit')
  return {
    clock,
    pool,
    provisioners,
    tokens,
    news,
    operations: watched.operations,
    submits,
    /** The job that is handed in first, or as the one of a place. */
    async submitted(place = 0) {
      await until(() => submits()[place])
      const { order, jobs, atMs } = submits()[place] as Operation & { readonly order: JobOrder }
      return { order, job: jobs[0] ?? '', atMs }
    },
    /** What a scheduler is at; null when it has answered all. */
    underWay: watched.underWay,
    /** Lets time pass until a scheduler is at something that takes long. */
    comesTo: (what: Operation['what']): Promise<void> =>
      expect
        .poll(
          async () => {
            if (watched.underWay() === null) await clock.advance(1000)
            return watched.underWay()
          },
          { interval: 5 },
        )
        .toBe(what),
    cancelled: () => watched.operations.flatMap(({ what, jobs }) => (what === 'cancel' ? jobs : [])),
    state,
    until,
    /** Lets so much time pass. */
    pass: (ms: number) => {
      const endMs = clock.now() + ms
      return until(() => clock.now() >= endMs, Math.min(Math.max(1000, ms / 100), 10_000))
    },
    close,
    /** Is killed: nothing of it happens any more. What a scheduler is at goes on, and the answer is lost. */
    crash: () => stopped.abort(),
    rewrite: write,
    /** The file names no provisioner any more. */
    empty: () => writeFileSync(path, '[]'),
    call,
    /** A worker that anybody started. */
    attach,
    /** A worker of a job that was submitted. */
    attachOf: (order: JobOrder | null | undefined): PuppetWorker => {
      if (!order) throw new Error('nothing was submitted')
      const { jti = '', ...claims } = decodeJwt<{ name: string; labels: string[] }>(order.token)
      const { cpus, gpus, ram_mb } = order.profile
      return attach({ ...claims, resources: { cpus, gpus, ram_mb } }, { jti })
    },
    isLive: (order: JobOrder | null | undefined) =>
      tokens.verify(order?.token ?? '').then(
        () => true,
        () => false,
      ),
  }
}

/** Notes what is asked of schedulers, and which answers are outstanding. */
function watch(clock: Clock, killed: AbortSignal, made: (provisioner: Provisioner) => Scheduler) {
  const operations: Operation[] = []
  const underWay: Operation['what'][] = []
  const noted = async <T>(what: Operation['what'], order: JobOrder | null, act: () => Promise<T>): Promise<T> => {
    const atMs = clock.now()
    underWay.push(what)
    try {
      const result = await act()
      operations.push({ what, atMs, order, jobs: typeof result === 'string' ? [result] : [] })
      return result
    } catch (error) {
      operations.push({ what, atMs, order, jobs: [] })
      throw error
    } finally {
      underWay.splice(underWay.indexOf(what), 1)
      if (killed.aborted) await new Promise(() => {})
    }
  }
  const schedulerOf = (provisioner: Provisioner): Scheduler => {
    const scheduler = made(provisioner)
    return {
      place: scheduler.place,
      fate: (job, signal) => scheduler.fate(job, signal),
      submit: (order, signal) => noted('submit', order, () => scheduler.submit(order, signal)),
      list: (signal) => noted('list', null, () => scheduler.list(signal)),
      async cancel(jobs, which, signal) {
        await noted('cancel', null, () => scheduler.cancel(jobs, which, signal))
        operations.push({ ...(operations.pop() as Operation), jobs })
      },
    }
  }
  return { operations, schedulerOf, underWay: () => underWay[0] ?? null }
}
