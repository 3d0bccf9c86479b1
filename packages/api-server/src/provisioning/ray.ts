/**
 * Ray: each worker is a job of its Jobs API, which the dashboard of a cluster has. Ray knows no array of jobs: a request of
 * several workers is as many jobs, whose ids have that of the request.
 * @module
 */
import type { Clock } from '@flow-service/core'
import type { RayCluster } from '@flow-service/protocol'
import * as z from 'zod'

import type { OutgoingFetch } from '../egress/outgoing-fetch.ts'
import type { Environment } from '../process/setting.ts'
import { RayDashboard } from './ray-dashboard.ts'
import { type JobOrder, type ListedJob, type Scheduler, SchedulerError } from './scheduler.ts'
import { lastWords, quoted, workerCommand } from './shell-words.ts'

type RayProfile = RayCluster['profiles'][number]

/** Jobs of workers that have ended are kept for people so long; Ray itself forgets none before its head ends. */
const KEPT_MS = 24 * 60 * 60_000
/** Jobs that are removed at a time. */
const MAX_REMOVED = 20
/** What is not handed in by then is for the next request: nothing else of the provisioner is looked after meanwhile. */
const SUBMIT_MS = 30_000
const MIB = 1024 * 1024

/** What a scheduler is made of. */
export interface RayDeps {
  readonly fetch: OutgoingFetch['fetch']
  readonly clock: Clock
  /** Has the bearer token. */
  readonly env?: Environment
}

const rayJobsSchema = z.array(
  z.object({
    submission_id: z.string().nullish(),
    status: z.string(),
    entrypoint: z.string().nullish(),
    message: z.string().nullish(),
    end_time: z.number().nullish(),
  }),
)

/** A job of Ray: a worker of a request. */
interface WorkerJob {
  /** By which Ray knows it. */
  readonly id: string
  /** Of all jobs of the request. */
  readonly job: string
  readonly request: string
  readonly status: string
  readonly entrypoint: string
  readonly message: string
  readonly endMs: number | null
}

const ours = /^(?<job>service-(?<request>[0-9a-f-]{36}))-\d+$/
const live = new Set(['PENDING', 'RUNNING'])

/** The scheduler behind the dashboard of a cluster. */
export function rayScheduler(
  settings: RayCluster,
  { fetch, clock, env = process.env }: RayDeps,
): Scheduler<RayProfile> {
  const { address, token_env, engine_url } = settings
  const bearer = token_env === null ? null : (env[token_env]?.trim() ?? null)
  const dashboard = new RayDashboard({ address, token: bearer, fetch, clock })
  const jobsNow = async (signal: AbortSignal): Promise<WorkerJob[]> => {
    const parsed = rayJobsSchema.safeParse(await dashboard.request('GET', '/api/jobs/', signal))
    if (!parsed.success) throw dashboard.strange()
    return parsed.data.flatMap(workerJob)
  }
  /** Waiting jobs that were told to stop: Ray keeps them in its queue until they begin, and ends them then. */
  const stopped = new Set<string>()
  return {
    place: address,
    async submit(order, signal) {
      const job = `service-${order.request}`
      const endMs = clock.now() + SUBMIT_MS
      for (let task = 1; task <= order.tasks && (task === 1 || clock.now() < endMs); task += 1) {
        try {
          await dashboard.request('POST', '/api/jobs/', signal, {
            ...rayJob(order, engine_url),
            submission_id: `${job}-${task}`,
          })
        } catch (error) {
          // there are fewer workers then, and the next request hears of it
          if (task > 1) break
          throw error
        }
      }
      return job
    },
    async cancel(jobs, which, signal) {
      const chosen = (await jobsNow(signal)).filter(
        ({ job, status }) => jobs.includes(job) && (which === 'all' ? live.has(status) : status === 'PENDING'),
      )
      for (const { id, status } of chosen) {
        await dashboard.request('POST', `/api/jobs/${id}/stop`, signal)
        if (status === 'PENDING') stopped.add(id)
      }
    },
    async list(signal) {
      const jobs = await jobsNow(signal)
      await removeOld(jobs, dashboard, clock.now(), signal)
      const waiting = new Set(jobs.flatMap(({ id, status }) => (status === 'PENDING' ? id : [])))
      for (const id of stopped) if (!waiting.has(id)) stopped.delete(id)
      return listedOf(jobs.filter(({ id }) => !stopped.has(id)))
    },
    async fate(job, signal) {
      const jobs = await jobsNow(signal).catch(() => [])
      const ended = jobs.filter((each) => each.job === job)
      const failed = ended.find(({ status }) => status === 'FAILED') ?? ended[0]
      return failed === undefined ? `Ray does not know it any more` : fateOf(failed)
    },
  }
}

function workerJob({
  submission_id,
  status,
  entrypoint,
  message,
  end_time,
}: z.infer<typeof rayJobsSchema>[number]): WorkerJob[] {
  const { job, request } = ours.exec(submission_id ?? '')?.groups ?? {}
  if (!submission_id || job === undefined || request === undefined) return []
  const words = { entrypoint: entrypoint ?? '', message: message ?? '' }
  return [{ id: submission_id, job, request, status, ...words, endMs: end_time ?? null }]
}

function listedOf(jobs: readonly WorkerJob[]): ListedJob[] {
  const listed = new Map<string, ListedJob>()
  for (const { request, job, status } of jobs) {
    if (!live.has(status)) continue
    const { tasks, running } = listed.get(request) ?? { tasks: 0, running: 0 }
    listed.set(request, { request, job, tasks: tasks + 1, running: running + Number(status === 'RUNNING') })
  }
  return [...listed.values()]
}

/** A list of all jobs that there ever were takes ever longer. What cannot be removed now is there the next time. */
async function removeOld(
  jobs: readonly WorkerJob[],
  dashboard: RayDashboard,
  nowMs: number,
  signal: AbortSignal,
): Promise<void> {
  const old = jobs.filter(({ status, endMs }) => !live.has(status) && endMs !== null && nowMs - endMs > KEPT_MS)
  try {
    for (const { id } of old.slice(0, MAX_REMOVED)) await dashboard.request('DELETE', `/api/jobs/${id}`, signal)
  } catch (error) {
    if (!(error instanceof SchedulerError)) throw error
  }
}

/** What Ray is handed, but for the id. The token is a variable: command and metadata stand in lists and logs. */
export function rayJob(order: JobOrder<RayProfile>, url: string) {
  const { cpus, gpus, ram_mb, resources, name } = order.profile
  return {
    entrypoint: entrypointOf(order, url),
    entrypoint_num_cpus: cpus,
    entrypoint_num_gpus: gpus,
    entrypoint_memory: ram_mb * MIB,
    entrypoint_resources: resources,
    runtime_env: { env_vars: { SERVICE_WORKER_TOKEN: order.token } },
    metadata: { job_name: `service-${name}` },
  }
}

/**
 * One line, whatever the profile prepares: Ray writes it to the log of the job, of which it shows the last lines. Ray hands
 * its variables on in one more of its own, which node code would see.
 */
function entrypointOf(order: JobOrder<RayProfile>, url: string): string {
  const { profile, minutes } = order
  const limit = minutes === null ? '' : `timeout ${minutes * 60} `
  const lines = ['unset RAY_JOB_CONFIG_JSON_ENV_VAR', 'set -e', ...profile.prerun, `exec ${workerCommand(order, url)}`]
  const script = `'eval "$(printf "%s\\n" "$@")"'`
  return `exec ${limit}bash -c ${script} service-${profile.name} ${lines.map(quoted).join(' ')}`
}

/** The last words of Ray, without what it says to begin with. */
function fateOf({ id, status, message, entrypoint }: WorkerJob): string {
  const [head = '', ...log] = message.replaceAll(`Running entrypoint for job ${id}: ${entrypoint}`, '').split('\n')
  const lines = log.filter((line) => !/ job_manager\.py:\d+ -- /.test(line))
  const printed = lastWords(lines.join('\n'))
  const said =
    printed === '' ? lastWords(head) : `${lastWords(head.replace(/, last available logs.*/, ''))}: ${printed}`
  return `${said || status} (all of it: ray job logs ${id})`
}
