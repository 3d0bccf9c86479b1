import { decodeJwt } from 'jose'
import { describe, expect, onTestFinished, test } from 'vitest'

import type { Database } from '../../src/db/database.ts'
import { usual } from '../../src/provisioning/timings.ts'
import { Trials } from '../../src/provisioning/trials.ts'
import { quiet, useDatabase } from '../use-database.ts'
import { engineWith } from './provisioned-engine.ts'
import { stubCluster } from './stub-cluster.ts'
import { stubRayCluster } from './stub-ray-cluster.ts'
import { jobsOf } from './use-clusters.ts'

let database: Database
useDatabase((opened) => void (database = opened))
let names = 0

const types = [
  {
    type: 'batch_scheduler',
    open: stubCluster,
    fate: (job: string) => `what it printed, such as slurm-${job}_1.out on ann@login, tells why`,
  },
  {
    type: 'ray',
    open: stubRayCluster,
    fate: (job: string) =>
      `Job entrypoint command failed with exit code 1: no such module (all of it: ray job logs ${job}-1)`,
  },
]

describe.each(types)('of type $type', ({ open, fate }) => {
  /** An engine that tests the profile `gpu` on a cluster. */
  async function begun(settings: object = {}) {
    const cluster = await open()
    onTestFinished(() => cluster[Symbol.asyncDispose]())
    const name = `trial${++names}`
    const at = await engineWith({ database, cluster, name, settings })
    const { provisioners, tokens, pool, clock } = at
    const trials = new Trials({ provisioners, tokens, pool, clock, log: quiet, timings: usual })
    onTestFinished(() => trials.close())
    const ended = async (id: string) => {
      await at.until(() => trials.read(id).state !== 'running')
      const { state, steps } = trials.read(id)
      return {
        state,
        steps: steps.map(({ step, ok }) => `${step} ${ok}`),
        last: steps.findLast(({ ok }) => !ok)?.detail,
      }
    }
    return { ...at, cluster, name, trials, ended }
  }

  test('a test goes the whole way, and leaves no job and no token', async () => {
    const at = await begun()
    const id = at.trials.begin(at.name, 'gpu')
    expect(at.trials.begin(at.name, 'gpu')).toBe(id)
    const { order, job } = await at.submitted()
    expect([order.tasks, order.minutes, order.maxIdleS]).toEqual([1, 1, 60])
    // no call of a flow finds it
    expect(decodeJwt<{ labels: string[] }>(order.token).labels).toEqual([])
    await at.until(() => at.operations.filter(({ what }) => what === 'list').length > 2)
    await at.cluster.run(job, 1)
    await at.until(() => at.trials.read(id).steps.some(({ step }) => step === 'running'))
    const worker = at.attachOf(order)
    await at.until(() => worker.calls()[0])
    expect(worker.frames.at(-1)).toMatchObject({ type: 'call', kind: 'code', source: expect.stringContaining('run') })
    void worker.send({ type: 'result', call: worker.calls()[0] ?? '', outputs: {} })
    const steps = ['ssh', 'submit', 'running', 'attached', 'called', 'cancelled'].map((step) => `${step} true`)
    expect(await at.ended(id)).toEqual({ state: 'ok', steps, last: undefined })
    expect([await jobsOf(at.cluster), await at.isLive(order)]).toEqual([[], false])
  })

  test('a cluster that cannot be reached ends it at once', async () => {
    const at = await begun()
    await at.cluster.behave('unreachable', 'Permission denied.')
    const { state, steps, last } = await at.ended(at.trials.begin(at.name, 'gpu'))
    expect([state, steps, last]).toEqual(['failed', ['ssh false'], expect.stringContaining('Permission denied.')])
  })

  test('a cluster that refuses is told in its words', async () => {
    const at = await begun()
    await at.cluster.behave('refuses', 'Invalid account')
    const { state, steps, last } = await at.ended(at.trials.begin(at.name, 'gpu'))
    expect([state, steps, last]).toEqual([
      'failed',
      ['ssh true', 'submit false', 'cancelled true'],
      expect.stringContaining('Invalid account'),
    ])
    expect(await at.isLive(at.submits()[0]?.order)).toBe(false)
  })

  test('a job that ends before its worker attached is told where to look', async () => {
    const at = await begun()
    const id = at.trials.begin(at.name, 'gpu')
    const { job } = await at.submitted()
    await at.cluster.run(job, 1)
    await at.until(() => at.trials.read(id).steps.some(({ step }) => step === 'running'))
    await at.cluster.end(job)
    const { state, steps, last } = await at.ended(id)
    expect([state, steps.slice(-2), last]).toEqual([
      'failed',
      ['attached false', 'cancelled true'],
      expect.stringContaining(`job ${job} has ended before its worker attached: ${fate(job)}`),
    ])
  })

  test('a job that waits for too long is cancelled', async () => {
    const at = await begun({ provision_timeout_s: 20 })
    const id = at.trials.begin(at.name, 'gpu')
    await at.submitted()
    const { state, last } = await at.ended(id)
    expect([state, last, await jobsOf(at.cluster)]).toEqual(['failed', expect.stringContaining('still waits'), []])
  })

  test('the job of a test is cancelled although the cluster is away for a moment, or has lost its answer', async () => {
    const at = await begun({ provision_timeout_s: 20 })
    const away = at.trials.begin(at.name, 'gpu')
    await at.submitted()
    await at.until(() => at.trials.read(away).steps.some(({ step }) => step === 'submit'))
    await at.cluster.behave('unreachable', 'no route')
    await at.until(() => at.trials.read(away).steps.some(({ ok }) => !ok))
    await at.pass(10_000)
    await at.cluster.behave(null)
    expect([(await at.ended(away)).steps.at(-1), await jobsOf(at.cluster)]).toEqual(['cancelled true', []])

    await at.cluster.behave('loses')
    const { steps } = await at.ended(at.trials.begin(at.name, 'gpu'))
    expect([steps.at(-1), await jobsOf(at.cluster)]).toEqual(['cancelled true', []])
  })

  test('an engine that stops cancels the job of a test', async () => {
    const at = await begun()
    const id = at.trials.begin(at.name, 'gpu')
    const { order } = await at.submitted()
    await at.trials.close()
    expect([at.trials.read(id).state, await jobsOf(at.cluster), await at.isLive(order)]).toEqual(['failed', [], false])
  })

  test('what there is not is refused by what there is', async () => {
    const at = await begun()
    expect(() => at.trials.begin('nobody', 'gpu')).toThrow(`there is ${at.name} gpu`)
    expect(() => at.trials.read('6f0c6c6e-1111-4111-8111-111111111111')).toThrow('there is no test')
  })
})
