import { randomUUID } from 'node:crypto'

import { VirtualClock } from '@flow-service/core/testing'
import { type BatchScheduler, provisionersFileSchema } from '@flow-service/protocol'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'

import type { JobOrder, SchedulerError } from '../../src/provisioning/scheduler.ts'
import { jobScript, slurmScheduler } from '../../src/provisioning/slurm.ts'
import { StubSsh } from './stub-ssh.ts'

let stub: StubSsh
beforeAll(async () => {
  stub = await StubSsh.open()
})
afterAll(() => stub[Symbol.asyncDispose]())
beforeEach(() => stub.behave(null))

const url = 'wss://flows.example.com/api/v1/workers/attach'
const profile = {
  name: 'gpu',
  cpus: 4,
  gpus: 1,
  ram_mb: 16_000,
  labels: ['gpu'],
  submit_args: ['--partition=main', '-c', '4', '--constraint=a&b $(id) \'x\' "y"'],
  prerun: ['module load node', 'export X="1 2"'],
}
const settings = (more: object = {}): BatchScheduler => {
  const cluster = { type: 'batch_scheduler', name: 'uni', login: 'ann@login', engine_url: url, profiles: [profile] }
  const [provisioner] = provisionersFileSchema.parse([{ ...cluster, ...more }])
  return provisioner as BatchScheduler
}
type Order = JobOrder<BatchScheduler['profiles'][number]>
const order = (more: Partial<Order> = {}): Order => ({
  request: randomUUID(),
  profile: settings().profiles[0] as Order['profile'],
  tasks: 3,
  name: 'uni-gpu-1',
  token: 'eyJ.token-of.the-worker',
  maxIdleS: 600,
  minutes: null,
  ...more,
})
const never = new AbortController().signal
const on = (more: object = {}, clock = new VirtualClock(0)) => slurmScheduler(settings(more), clock, stub.env)
const lastCall = async () => (await stub.calls()).at(-1)
const fault = (promise: Promise<unknown>): Promise<SchedulerError> =>
  promise.then(
    () => Promise.reject(),
    (error) => error,
  )

test('a job goes to sbatch by the ssh of the machine, its script over standard input [R139, R140, R146, R608]', async () => {
  const job = await on({ ssh_key: '/keys/uni' }).submit(order(), never)
  expect(job).toMatch(/^\d+$/)
  const { argv = [], stdin = '' } = (await lastCall()) ?? {}
  expect(argv).toEqual([
    '-o',
    'BatchMode=yes',
    '-i',
    '/keys/uni',
    '--',
    'ann@login',
    'sbatch',
    '--parsable',
    '--partition=main',
    '-c',
    '4',
    `'--constraint=a&b $(id) '\\''x'\\'' "y"'`,
  ])
  expect(stdin).toBe(jobScript(order({ request: (await stub.jobs())[0]?.request ?? '' }), url))
})

test('without a key, ssh chooses', async () => {
  await on().list(never)
  expect((await lastCall())?.argv.slice(0, 4)).toEqual(['-o', 'BatchMode=yes', '--', 'ann@login'])
})

test('the script names its request, prepares, and becomes the worker; it installs nothing [R141, R142, R147, R609]', () => {
  const script = jobScript(order({ request: 'r', maxIdleS: 0 }), url)
  expect(script.split('\n')).toEqual([
    '#!/bin/bash',
    '#SBATCH --job-name=service-gpu',
    '#SBATCH --comment=service:r',
    '#SBATCH --array=1-3',
    'export SERVICE_WORKER_TOKEN=eyJ.token-of.the-worker',
    'set -e',
    'module load node',
    'export X="1 2"',
    `exec service-worker --url ${url} --name uni-gpu-1 --cpus 4 --gpus 1 --ram-mb 16000 --max-idle 0`,
    '',
  ])
  expect(script).not.toMatch(/\b(?:pip|npm|npx|apt|conda)\b/)
})

test('the token is in no argument and no variable of ssh [T88]', async () => {
  await on().submit(order(), never)
  const { argv = [], env = '', stdin = '' } = (await lastCall()) ?? {}
  expect(stdin).toContain('eyJ.token-of.the-worker')
  expect([...argv, env].join('\n')).not.toContain('eyJ')
})

test('ssh does not see the credentials of the engine, and finds the agent of keys [T88]', async () => {
  const env = { ...stub.env, SERVICE_SECRET_KEY: 'hidden', SSH_AUTH_SOCK: '/run/agent' }
  await slurmScheduler(settings(), new VirtualClock(0), env).list(never)
  const seen = (await lastCall())?.env ?? ''
  expect([seen.includes('hidden'), seen.includes('SSH_AUTH_SOCK=/run/agent')]).toEqual([false, true])
})

test('jobs are listed by the requests in their comments, task by task [U21]', async () => {
  const scheduler = on()
  const request = randomUUID()
  const job = await scheduler.submit(order({ request }), never)
  await stub.run(job, 2)
  expect(await scheduler.list(never)).toContainEqual({ request, job, tasks: 3, running: 1 })
  expect((await lastCall())?.argv.slice(4)).toEqual(['squeue', '--me', '-h', '-r', '-o', "'%i|%k|%T'"])
})

test('jobs are cancelled together, or those of their tasks that have not begun', async () => {
  const scheduler = on()
  const job = await scheduler.submit(order(), never)
  await stub.run(job, 1)
  await scheduler.cancel([job], 'waiting', never)
  expect((await stub.jobs()).find((each) => each.job === job)?.tasks).toEqual(['RUNNING'])
  const other = await scheduler.submit(order(), never)
  await scheduler.cancel([job, other], 'all', never)
  expect((await lastCall())?.argv.slice(4)).toEqual(['scancel', job, other])
  expect((await stub.jobs()).map((each) => each.job)).not.toContain(job)
})

test('other programs may take the place of the three [G57]', async () => {
  const scheduler = on({ submit_command: ['/opt/slurm/bin/sbatch', '-M', 'a b'], cancel_command: ['/opt/scancel'] })
  const job = await scheduler.submit(order({ minutes: 1 }), never)
  expect((await lastCall())?.argv.slice(4, 8)).toEqual(['/opt/slurm/bin/sbatch', '-M', "'a b'", '--parsable'])
  expect((await lastCall())?.argv.at(-1)).toBe('--time=1')
  await scheduler.cancel([job], 'all', never)
  expect((await lastCall())?.argv.slice(4)).toEqual(['/opt/scancel', job])
})

describe('what fails is told in the words of the other side:', () => {
  test('the cluster refuses', async () => {
    await stub.behave('refuses', 'sbatch: error: Batch job submission failed: \u001b[31mInvalid account\u0007')
    const { kind, message } = await fault(on().submit(order(), never))
    expect([kind, message]).toEqual(['refused', 'sbatch: error: Batch job submission failed:  [31mInvalid account'])
  })

  test.each([
    'sbatch: error: Batch job submission failed: Socket timed out on send/recv operation',
    'sbatch: error: Unable to contact slurm controller (connect failure)',
  ])('it may have taken the job: %s', async (words) => {
    await stub.behave('refuses', words)
    expect(await fault(on().submit(order(), never))).toMatchObject({ kind: 'unknown', message: words })
  })

  test('without the token, should a wrapper have printed it [T88]', async () => {
    await stub.behave('refuses', `${'x'.repeat(400)} eyJ0.token-of.the-worker${'y'.repeat(90)}`)
    expect((await fault(on().submit(order(), never))).message).not.toContain('token-of')
  })

  test('it has no such program', async () => {
    const { kind, message } = await fault(on({ submit_command: ['qsub'] }).submit(order(), never))
    expect([kind, message]).toEqual(['refused', 'qsub: command not found'])
  })

  test('it cannot be reached', async () => {
    await stub.behave('unreachable', 'ann@login: Permission denied (publickey).')
    const { kind, message } = await fault(on().submit(order(), never))
    expect([kind, message]).toEqual(['unknown', 'ann@login: Permission denied (publickey).'])
  })

  test('its answer holds no job', async () => {
    const { kind, message } = await fault(on({ submit_command: ['squeue'] }).submit(order(), never))
    expect([kind, message]).toEqual(['unknown', 'squeue on ann@login printed no id of a job'])
  })

  test('there is no ssh', async () => {
    const scheduler = slurmScheduler(settings(), new VirtualClock(0), { PATH: '/nowhere' })
    const { kind, message } = await fault(scheduler.submit(order(), never))
    expect([kind, message]).toEqual(['unsent', 'there is no program "ssh" on the PATH of the engine'])
  })

  test('it does not answer: ssh is ended after 30 s', async () => {
    await stub.behave('hangs')
    const clock = new VirtualClock(0)
    const failed = fault(on({}, clock).submit(order(), never))
    await clock.advance(30_000)
    expect(await failed).toMatchObject({ kind: 'unknown', message: 'ssh to ann@login did not end within 30 s' })
  })

  test('the engine stops', async () => {
    await stub.behave('hangs')
    const ending = new AbortController()
    const failed = fault(on().submit(order(), ending.signal))
    ending.abort()
    expect((await failed).kind).toBe('unknown')
    expect((await fault(on().list(ending.signal))).kind).toBe('unsent')
  })
})
