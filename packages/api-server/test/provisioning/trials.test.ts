import { decodeJwt } from 'jose'
import { expect, onTestFinished, test } from 'vitest'

import type { Database } from '../../src/db/database.ts'
import { Trials } from '../../src/provisioning/trials.ts'
import { quiet, useDatabase } from '../use-database.ts'
import { engineWith } from './provisioned-engine.ts'
import { stubCluster } from './stub-cluster.ts'

let database: Database
useDatabase((opened) => void (database = opened))
let names = 0

/** An engine that tests the profile `gpu` on a cluster. */
async function begun(settings: object = {}) {
  const cluster = await stubCluster()
  const { stub } = cluster
  onTestFinished(() => cluster[Symbol.asyncDispose]())
  const name = `trial${++names}`
  const at = await engineWith({ database, cluster, name, settings })
  const { provisioners, tokens, pool, clock } = at
  const trials = new Trials({ provisioners, tokens, pool, clock, log: quiet })
  onTestFinished(() => trials.close())
  const ended = async (id: string) => {
    await at.until(() => trials.read(id).state !== 'running')
    const { state, steps } = trials.read(id)
    return { state, steps: steps.map(({ step, ok }) => `${step} ${ok}`), last: steps.findLast(({ ok }) => !ok)?.detail }
  }
  return { ...at, stub, name, trials, ended }
}

test('a test goes the whole way, and leaves no job and no token', async () => {
  const at = await begun()
  const id = at.trials.begin(at.name, 'gpu')
  expect(at.trials.begin(at.name, 'gpu')).toBe(id)
  const { order, job } = await at.submitted()
  expect([order.tasks, order.minutes, order.maxIdleS]).toEqual([1, 1, 60])
  expect((await at.stub.calls()).find(({ argv }) => argv.includes('sbatch'))?.argv.at(-1)).toBe('--time=1')
  // no call of a flow finds it
  expect(decodeJwt<{ labels: string[] }>(order.token).labels).toEqual([])
  await at.until(() => at.operations.filter(({ what }) => what === 'list').length > 2)
  await at.stub.run(job, 1)
  await at.until(() => at.trials.read(id).steps.some(({ step }) => step === 'running'))
  const worker = at.attachOf(order)
  await at.until(() => worker.calls()[0])
  expect(worker.frames.at(-1)).toMatchObject({ type: 'call', kind: 'code', source: expect.stringContaining('run') })
  void worker.send({ type: 'result', call: worker.calls()[0] ?? '', outputs: {} })
  const steps = ['ssh', 'submit', 'running', 'attached', 'called', 'cancelled'].map((step) => `${step} true`)
  expect(await at.ended(id)).toEqual({ state: 'ok', steps, last: undefined })
  expect([await at.stub.jobs(), await at.isLive(order)]).toEqual([[], false])
})

test('a cluster that cannot be reached ends it at once', async () => {
  const at = await begun()
  await at.stub.behave('unreachable', 'Permission denied (publickey).')
  const { state, steps, last } = await at.ended(at.trials.begin(at.name, 'gpu'))
  expect([state, steps, last]).toEqual(['failed', ['ssh false'], 'Permission denied (publickey).'])
})

test('a cluster that refuses is told in its words', async () => {
  const at = await begun()
  await at.stub.behave('refuses', 'Invalid account')
  const { state, steps, last } = await at.ended(at.trials.begin(at.name, 'gpu'))
  expect([state, steps, last]).toEqual(['failed', ['ssh true', 'submit false', 'cancelled true'], 'Invalid account'])
  expect(await at.isLive(at.submits()[0]?.order)).toBe(false)
})

test('a job that ends before its worker attached is told where to look', async () => {
  const at = await begun()
  const id = at.trials.begin(at.name, 'gpu')
  const { job } = await at.submitted()
  await at.stub.run(job, 1)
  await at.until(() => at.trials.read(id).steps.some(({ step }) => step === 'running'))
  await at.stub.end(job)
  const { state, steps, last } = await at.ended(id)
  expect([state, steps.slice(-2), last]).toEqual([
    'failed',
    ['attached false', 'cancelled true'],
    expect.stringContaining(`slurm-${job}_1.out on ann@login`),
  ])
})

test('a job that waits for too long is cancelled', async () => {
  const at = await begun({ provision_timeout_s: 20 })
  const id = at.trials.begin(at.name, 'gpu')
  await at.submitted()
  const { state, last } = await at.ended(id)
  expect([state, last, await at.stub.jobs()]).toEqual(['failed', expect.stringContaining('still waits'), []])
})

test('an engine that stops cancels the job of a test', async () => {
  const at = await begun()
  const id = at.trials.begin(at.name, 'gpu')
  const { order } = await at.submitted()
  await at.trials.close()
  expect([at.trials.read(id).state, await at.stub.jobs(), await at.isLive(order)]).toEqual(['failed', [], false])
})

test('what there is not is refused by what there is', async () => {
  const at = await begun()
  expect(() => at.trials.begin('nobody', 'gpu')).toThrow(`there is ${at.name} gpu`)
  expect(() => at.trials.read('6f0c6c6e-1111-4111-8111-111111111111')).toThrow('there is no test')
})
