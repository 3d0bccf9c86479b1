/**
 * Slurm, and what has its commands: `sbatch`, `squeue` and `scancel` on a login node (wire decisions G57, U21).
 * @module
 */
import type { Clock } from '@flow-service/core'
import type { BatchScheduler } from '@flow-service/protocol'

import type { Environment } from '../process/setting.ts'
import { type JobOrder, type ListedJob, type Scheduler, SchedulerError } from './scheduler.ts'
import { quoted, workerCommand } from './shell-words.ts'
import { Ssh } from './ssh.ts'

type SlurmProfile = BatchScheduler['profiles'][number]

/** States of tasks that end, or have ended, and are in the list of the queue for a moment. */
const ends = /^(?:BOOT_FAIL|CANCELLED|COMPLET|DEADLINE|FAILED|NODE_FAIL|OUT_OF_MEMORY|PREEMPTED|TIMEOUT)/
const listed = /^(?<job>\d+)(?:_\S+)?\|service:(?<request>[0-9a-f-]{36})(?:\|(?<state>\w+))?$/

/** The scheduler behind a login. */
export function slurmScheduler(settings: BatchScheduler, clock: Clock, env?: Environment): Scheduler<SlurmProfile> {
  const { login, ssh_key: key, submit_command, cancel_command, list_command } = settings
  const ssh = new Ssh({ login, key, clock, ...(env === undefined ? {} : { env }) })
  return {
    place: login,
    async submit(order, signal) {
      const limit = order.minutes === null ? [] : [`--time=${order.minutes}`]
      const words = [...submit_command, '--parsable', ...order.profile.submit_args, ...limit]
      const answer = await ssh.run(words, jobScript(order, settings.engine_url), signal).catch(asUnknown)
      // a login may print what it likes before
      const job = /^(\d+)(?:;\S*)?\s*$/.exec(answer.trimEnd().split('\n').at(-1) ?? '')?.[1]
      if (job !== undefined) return job
      throw new SchedulerError('unknown', `${submit_command.join(' ')} on ${login} printed no id of a job`)
    },
    async cancel(jobs, which, signal) {
      await ssh.run([...cancel_command, ...(which === 'all' ? [] : ['--state=PENDING']), ...jobs], '', signal)
    },
    async list(signal) {
      // each task has a line
      return jobsOf(await ssh.run([...list_command, '--me', '-h', '-r', '-o', '%i|%k|%T'], '', signal))
    },
    fate: async (job) => `what it printed, such as slurm-${job}_1.out on ${login}, tells why`,
  }
}

/** What `sbatch` says when it has lost the controller: the job may be in the queue all the same. */
const lost = /timed out|unable to contact|communication|zero bytes|connection (?:refused|reset)/i

function asUnknown(error: SchedulerError): never {
  throw error.kind === 'refused' && lost.test(error.message) ? new SchedulerError('unknown', error.message) : error
}

function jobsOf(answer: string): ListedJob[] {
  const jobs = new Map<string, ListedJob>()
  for (const line of answer.split('\n')) {
    const { job = '', request = '', state = '' } = listed.exec(line.trim())?.groups ?? {}
    if (request === '' || ends.test(state)) continue
    const { tasks, running } = jobs.get(request) ?? { tasks: 0, running: 0 }
    jobs.set(request, { request, job, tasks: tasks + 1, running: running + Number(state === 'RUNNING') })
  }
  return [...jobs.values()]
}

/** What each task executes. It installs nothing: the program of a worker is there, or a line of the profile fetches it. */
export function jobScript(order: JobOrder, url: string): string {
  const { request, profile, tasks, token } = order
  return [
    '#!/bin/bash',
    `#SBATCH --job-name=service-${profile.name}`,
    `#SBATCH --comment=service:${request}`,
    `#SBATCH --array=1-${tasks}`,
    `export SERVICE_WORKER_TOKEN=${quoted(token)}`,
    'set -e',
    ...profile.prerun,
    `exec ${workerCommand(order, url)}`,
    '',
  ].join('\n')
}
