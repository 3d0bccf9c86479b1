import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'

import { VirtualClock } from '@flow-service/core/testing'
import { provisionersFileSchema, type RayCluster } from '@flow-service/protocol'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'

import { rayJob, rayScheduler } from '../../src/provisioning/ray.ts'
import type { JobOrder, SchedulerError } from '../../src/provisioning/scheduler.ts'
import { operatorFetch } from './stub-ray-cluster.ts'
import { StubRay } from './stub-ray.ts'

let stub: StubRay
const outgoing = operatorFetch()
beforeAll(async () => {
  stub = await StubRay.open()
})
afterAll(async () => {
  await outgoing.close()
  await stub[Symbol.asyncDispose]()
})
beforeEach(() => {
  stub.behave(null)
  stub.token = null
  stub.jobs.clear()
  stub.calls.length = 0
})

type Order = JobOrder<RayCluster['profiles'][number]>
const url = 'wss://flows.example.com/api/v1/workers/attach'
const profile = {
  name: 'gpu',
  cpus: 4,
  gpus: 1,
  ram_mb: 16_000,
  labels: ['gpu'],
  prerun: ['if true', 'then export X="1 2"; fi', "printf '%s|' prepared"],
  resources: { 'accelerator_type:A100': 0.001 },
}
const settings = (more: object = {}): RayCluster => {
  const cluster = { type: 'ray', name: 'lab', address: stub.address, engine_url: url, profiles: [profile] }
  const [provisioner] = provisionersFileSchema.parse([{ ...cluster, ...more }])
  return provisioner as RayCluster
}
const order = (more: Partial<Order> = {}): Order => ({
  request: randomUUID(),
  profile: settings().profiles[0] as Order['profile'],
  tasks: 1,
  name: 'lab-gpu-1',
  token: 'eyJ0.token-of.the-worker',
  maxIdleS: 600,
  minutes: null,
  ...more,
})
const never = new AbortController().signal
const on = (more: object = {}, clock = new VirtualClock(Date.now())) =>
  rayScheduler(settings(more), { fetch: outgoing.fetch, clock, env: { RAY_AUTH_TOKEN: 'opens-ray' } })
const fault = (promise: Promise<unknown>): Promise<SchedulerError> =>
  promise.then(
    () => Promise.reject(),
    (error) => error,
  )
const stubJob = (id: string) => {
  const job = stub.jobs.get(id)
  if (job === undefined) throw new Error(`there is no job ${id}`)
  return job
}
const ids = () => [...stub.jobs.keys()]

test('each worker is a job of Ray with the id of the request, and what the profile says', async () => {
  const { request, ...rest } = order({ tasks: 2 })
  expect(await on().submit({ request, ...rest }, never)).toBe(`service-${request}`)
  expect(stub.calls.map(({ method, path }) => `${method} ${path}`)).toEqual(['POST /api/jobs/', 'POST /api/jobs/'])
  expect(JSON.parse(stub.calls[1]?.body ?? '')).toEqual({
    submission_id: `service-${request}-2`,
    entrypoint: expect.stringContaining('exec service-worker --url'),
    entrypoint_num_cpus: 4,
    entrypoint_num_gpus: 1,
    entrypoint_memory: 16_000 * 1024 * 1024,
    entrypoint_resources: { 'accelerator_type:A100': 0.001 },
    runtime_env: { env_vars: { SERVICE_WORKER_TOKEN: 'eyJ0.token-of.the-worker' } },
    metadata: { job_name: 'service-gpu' },
  })
})

test('the command is one line that prepares, hides what Ray tells its jobs, and becomes the worker', () => {
  const { entrypoint, metadata } = rayJob(order({ minutes: 1, maxIdleS: 60 }), url)
  expect(entrypoint).not.toContain('\n')
  expect(entrypoint).toMatch(/^exec timeout 60 bash /)
  expect(entrypoint + JSON.stringify(metadata)).not.toContain('eyJ')
  // a program in its place shows what it gets
  const shown = entrypoint
    .replace('exec service-worker', 'exec printf "%s|"')
    .replace(`'exec printf`, `'printf "$X|\${RAY_JOB_CONFIG_JSON_ENV_VAR-unset}|"' 'exec printf`)
  expect(shown).not.toBe(entrypoint)
  const env = { PATH: process.env['PATH'], RAY_JOB_CONFIG_JSON_ENV_VAR: 'the token' }
  expect(execFileSync('/bin/sh', ['-c', shown], { env }).toString()).toBe(
    `prepared|1 2|unset|--url|${url}|--name|lab-gpu-1|--cpus|4|--gpus|1|--ram-mb|16000|--max-idle|60|`,
  )
})

test('a line of the profile that fails ends the job', () => {
  const failing = { ...order().profile, prerun: ['false'] }
  expect(() => execFileSync('/bin/sh', ['-c', rayJob(order({ profile: failing }), url).entrypoint])).toThrow(
    expect.objectContaining({ status: 1 }),
  )
})

test('jobs of others, and those that are over, are not listed', async () => {
  const scheduler = on()
  const { request, ...rest } = order({ tasks: 3 })
  const job = await scheduler.submit({ request, ...rest }, never)
  const [first = '', second = ''] = ids()
  stub.jobs.set('raysubmit_x', { ...stubJob(first), submission_id: 'raysubmit_x' })
  stub.run(first)
  stub.end(second, 'SUCCEEDED', '')
  expect(await scheduler.list(never)).toEqual([{ request, job, tasks: 2, running: 1 }])
})

test('jobs are cancelled together, or those that have not begun, which Ray does when they begin', async () => {
  const scheduler = on()
  const job = await scheduler.submit(order({ tasks: 2 }), never)
  const other = await scheduler.submit(order(), never)
  const [first = '', second = '', third = ''] = ids()
  stub.run(first)
  await scheduler.cancel([job], 'waiting', never)
  expect(await scheduler.list(never)).toEqual([
    expect.objectContaining({ job, tasks: 1, running: 1 }),
    expect.objectContaining({ job: other, tasks: 1 }),
  ])
  await scheduler.cancel([job, other], 'all', never)
  for (const id of [second, third]) stub.run(id)
  expect([...stub.jobs.values()].map(({ status }) => status)).toEqual(['STOPPED', 'STOPPED', 'STOPPED'])
  expect(await scheduler.list(never)).toEqual([])
})

test('one that was told to stop and executes all the same is listed again', async () => {
  const scheduler = on()
  const job = await scheduler.submit(order(), never)
  await scheduler.cancel([job], 'all', never)
  expect(await scheduler.list(never)).toEqual([])
  const [waiting] = stub.jobs.values()
  if (waiting) waiting.status = 'RUNNING'
  expect(await scheduler.list(never)).toEqual([expect.objectContaining({ job, running: 1 })])
})

test('a day after its end a job is removed from the list of Ray, which forgets none', async () => {
  const clock = new VirtualClock(Date.now())
  const scheduler = on({}, clock)
  await scheduler.submit(order({ tasks: 2 }), never)
  const [first = '', second = ''] = ids()
  stub.end(first, 'STOPPED', '')
  await clock.advance(23 * 3_600_000)
  await scheduler.list(never)
  expect(ids()).toEqual([first, second])
  await clock.advance(2 * 3_600_000)
  await scheduler.list(never)
  expect(ids()).toEqual([second])
})

test('a request of several workers has those that Ray takes', async () => {
  const { request, ...rest } = order({ tasks: 3 })
  const scheduler = rayScheduler(settings(), {
    fetch: async (at, init) => {
      if (stub.jobs.size === 2) stub.behave('refuses', 'no more')
      return outgoing.fetch(at, init)
    },
    clock: new VirtualClock(0),
    env: {},
  })
  const job = await scheduler.submit({ request, ...rest }, never)
  expect(await scheduler.list(never)).toEqual([{ request, job, tasks: 2, running: 0 }])
})

test('the bearer token is that of the variable', async () => {
  stub.token = 'opens-ray'
  await on({ token_env: 'RAY_AUTH_TOKEN' }).list(never)
  expect(stub.calls.map(({ authorization }) => authorization)).toEqual(['Bearer opens-ray'])
  expect((await fault(on().list(never))).message).toBe(
    `${stub.address} answered 401 Unauthorized: Unauthorized: Missing authentication token; let token_env name a variable with its bearer token`,
  )
  stub.token = 'another'
  const { kind, message } = await fault(on({ token_env: 'RAY_AUTH_TOKEN' }).list(never))
  expect([kind, message]).toEqual(['refused', expect.stringMatching(/^(?!.*opens-ray).*403.*has another token$/)])
})

describe('what becomes of a job that ends is told in the words of Ray:', () => {
  const fateOf = async (message: string): Promise<string> => {
    const scheduler = on()
    const job = await scheduler.submit(order(), never)
    const [id = ''] = ids()
    stub.end(id, 'FAILED', message.replaceAll('ID', id).replaceAll('COMMAND', stub.jobs.get(id)?.entrypoint ?? ''))
    return (await scheduler.fate(job, never)).replaceAll(id, 'ID')
  }

  test('the last lines that the job has printed', async () => {
    const log = [
      'Job entrypoint command failed with exit code 3, last available logs (truncated to 20,000 chars):',
      '2026-11-23 20:56:03,874\tINFO job_manager.py:581 -- Runtime env is setting up.',
      'no module \u001b[31mnode\u0007',
      'Running entrypoint for job ID: COMMAND',
      '',
    ]
    expect(await fateOf(log.join('\n'))).toBe(
      'Job entrypoint command failed with exit code 3: no module  [31mnode (all of it: ray job logs ID)',
    )
  })

  test('why it could not begin', async () => {
    expect(await fateOf('Job supervisor actor failed to start within 900 seconds.')).toBe(
      'Job supervisor actor failed to start within 900 seconds. (all of it: ray job logs ID)',
    )
  })

  test('without a token that a line of the profile has printed', async () => {
    expect(await fateOf('failed, last available logs (…):\nSERVICE_WORKER_TOKEN=eyJ0.e30-a.b_c')).toContain(
      'failed: SERVICE_WORKER_TOKEN=*** (all',
    )
  })

  test('that nobody knows it any more, or can be asked', async () => {
    expect(await on().fate('service-x', never)).toBe('Ray does not know it any more')
    stub.behave('unreachable')
    expect(await on().fate('service-x', never)).toBe('Ray does not know it any more')
  })
})

describe('what fails is told in the words of the other side:', () => {
  test('Ray refuses', async () => {
    stub.behave('refuses', 'ValueError: no eyJ0.token-of.the-worker')
    const { kind, message } = await fault(on().submit(order(), never))
    expect([kind, message]).toEqual([
      'refused',
      `${stub.address} answered 400 Bad Request: Traceback (most recent call last):; ValueError: no ***`,
    ])
  })

  test('it is ill, and may have done it', async () => {
    stub.behave('unreachable', 'No available agent to submit job, please try again later.')
    expect(await fault(on().submit(order(), never))).toMatchObject({
      kind: 'unknown',
      message: expect.stringContaining('No available agent'),
    })
  })

  test('nobody listens', async () => {
    const gone = await StubRay.open()
    const { address } = gone
    await gone[Symbol.asyncDispose]()
    const { kind, message } = await fault(on({ address }).list(never))
    expect([kind, message]).toEqual(['unknown', expect.stringMatching(/could not be reached: .*ECONNREFUSED/)])
  })

  test('the answer was lost', async () => {
    stub.behave('loses')
    expect((await fault(on().submit(order(), never))).kind).toBe('unknown')
    expect(stub.jobs.size).toBe(1)
  })

  test('it is no dashboard', async () => {
    expect(await fault(on({ address: `${stub.address}/other/` }).list(never))).toMatchObject({ kind: 'refused' })
    const answers = (body: string) =>
      rayScheduler(settings(), { fetch: async () => new Response(body), clock: new VirtualClock(0), env: {} })
    for (const body of ['<html>', '{}', '[1]'])
      expect((await fault(answers(body).list(never))).message).toContain('give the address of its dashboard')
  })

  test('it answers without an end', async () => {
    const endless = new ReadableStream({ pull: (stream) => stream.enqueue(new Uint8Array(1024 * 1024)) })
    const fetch = async () => new Response(endless)
    const { message } = await fault(
      rayScheduler(settings(), { fetch, clock: new VirtualClock(0), env: {} }).list(never),
    )
    expect(message).toContain('answers more than can be read')
  })

  test('it sends elsewhere', async () => {
    const fetch = async () => new Response('', { status: 302, headers: { location: 'https://evil.example/' } })
    const { kind, message } = await fault(
      rayScheduler(settings(), { fetch, clock: new VirtualClock(0), env: {} }).list(never),
    )
    expect([kind, message]).toEqual(['refused', expect.stringContaining('302; redirects are not followed')])
  })

  test('it does not answer: 30 s later it is given up', async () => {
    stub.behave('hangs')
    const clock = new VirtualClock(0)
    const failed = fault(on({}, clock).submit(order(), never))
    await clock.advance(30_000)
    expect(await failed).toMatchObject({ kind: 'unknown', message: expect.stringContaining('within 30 s') })
  })

  test('the engine stops', async () => {
    stub.behave('hangs')
    const ending = new AbortController()
    const failed = fault(on().submit(order(), ending.signal))
    ending.abort()
    expect((await failed).kind).toBe('unknown')
    expect((await fault(on().list(ending.signal))).kind).toBe('unsent')
  })
})
