/** What every type of provisioner does, over a cluster that a test plays the nodes of. */
import { randomUUID } from 'node:crypto'

import { decodeJwt } from 'jose'
import { describe, expect, onTestFinished, test } from 'vitest'

import type { Database } from '../../src/db/database.ts'
import { useDatabase } from '../use-database.ts'
import { engineWith, profileOf, type TestCluster } from './provisioned-engine.ts'

/** The cases; `open` starts a cluster with an empty queue. */
export function clusterCases(type: string, open: () => Promise<TestCluster>): void {
  let database: Database
  useDatabase((opened) => void (database = opened))
  let names = 0
  type Options = Partial<Parameters<typeof engineWith>[0]>

  /** A cluster, and what engines on it share. */
  async function started(options: Options = {}) {
    const cluster = await open()
    onTestFinished(() => cluster[Symbol.asyncDispose]())
    const name = `c${++names}`
    const shared = { database, cluster, name }
    const engine = await engineWith({ ...shared, ...options })
    return { ...engine, cluster, name, another: (more: Options = {}) => engineWith({ ...shared, ...options, ...more }) }
  }
  const jobsOf = (cluster: TestCluster) => cluster.jobs().then((jobs) => jobs.map(({ job }) => job))

  describe(`a call that waits, on ${type}`, () => {
    test('gets a worker of a job after 2 s, whose name, labels and token are of the request [R145, R608, R636]', async () => {
      const at = await started()
      const fromMs = at.clock.now()
      at.call()
      const { atMs, order, job } = await at.submitted()
      expect(atMs - fromMs).toBeGreaterThanOrEqual(2000)
      expect([order.name, order.tasks, order.maxIdleS]).toEqual([`${at.name}-gpu-1`, 1, 600])
      const { name, labels, iat = 0, exp } = decodeJwt<{ name: string; labels: string[] }>(order.token)
      expect([name, labels, exp]).toEqual([`${at.name}-gpu-1`, ['gpu'], iat + 86_400])
      expect(await at.tokens.list()).toContainEqual(expect.objectContaining({ name, provisioned: true }))
      await at.until(async () => (await at.state())?.job)
      expect(await at.state()).toMatchObject({ state: 'pending', job, requested_at: expect.any(String), error: null })
      expect(at.news).toContainEqual(expect.objectContaining({ action: 'worker.request', level: 'info' }))
    })

    test('is executed by it; the worker is shown with its job, and the request is over with the worker [R138, R574]', async () => {
      const at = await started()
      const { call, done } = at.call()
      const { order, job } = await at.submitted()
      await at.cluster.run(job, 1)
      const worker = at.attachOf(order)
      await expect.poll(() => worker.calls()).toEqual([call.id])
      const startedBy = () => at.pool.list()[0]?.view().provisioned_by
      await expect.poll(startedBy).toEqual({ provisioner: at.name, profile: 'gpu', job })
      expect((await at.state())?.state).toBe('attached')
      void worker.send({ type: 'result', call: call.id, outputs: {} })
      await done
      expect(await at.isLive(order)).toBe(true)
      worker.disconnect()
      await at.cluster.end(job)
      await at.until(async () => (await at.state())?.state === 'idle')
      expect([await at.isLive(order), await at.state()]).toEqual([false, expect.objectContaining({ job: null })])
      expect(at.submits()).toHaveLength(1)
    })

    test('shares the one job of its profile with others that wait [R610]', async () => {
      const at = await started()
      at.call()
      at.call()
      await at.until(() => at.submits()[0])
      await at.pass(20_000)
      expect(at.submits().map(({ order }) => order?.tasks)).toEqual([1])
      expect(await at.cluster.jobs()).toHaveLength(1)
    })

    test.each([
      ['prefers a worker', { worker: 'gpu', worker_policy: 'prefer' }, {}],
      ['asks for a label that no profile has', { worker: 'tpu' }, {}],
      ['asks for more than a profile has', { worker: 'gpu' }, { cpus: 5 }],
    ])('gets none when it %s', async (_, node, resources) => {
      const at = await started()
      at.call(node, resources)
      await at.pass(10_000)
      expect(at.operations).toEqual([])
    })

    test('gets none while a worker that suits is attached, be it busy or not', async () => {
      const at = await started()
      at.attach({ name: 'own', labels: ['gpu'] })
      at.call()
      at.call()
      await at.pass(10_000)
      expect(at.operations).toEqual([])
    })

    test('gets one when the attached worker is too small for it', async () => {
      const at = await started()
      at.attach({ name: 'own', labels: ['gpu'], resources: { cpus: 1, gpus: 0, ram_mb: 10 } })
      at.call({ worker: 'gpu' }, { gpus: 1 })
      expect((await at.submitted()).order.profile.name).toBe('gpu')
    })

    test('takes the smallest profile that covers it', async () => {
      const profiles = [
        profileOf({ name: 'large', cpus: 64, gpus: 8 }),
        profileOf({ name: 'small', cpus: 1, gpus: 0 }),
        profileOf({ name: 'middle', cpus: 8, gpus: 1 }),
      ]
      const at = await started({ profiles })
      at.call({ worker: 'gpu' }, { cpus: 2 })
      await at.until(() => at.submits()[0])
      at.call()
      await at.until(() => at.submits()[1])
      expect(at.submits().map(({ order }) => order?.profile.name)).toEqual(['middle', 'small'])
    })

    test('takes the next larger profile while the job of the smallest has come to nothing', async () => {
      const at = await started({ profiles: [profileOf(), profileOf({ name: 'large', gpus: 8 })] })
      await at.cluster.behave('refuses', 'no')
      at.call()
      await at.until(() => at.submits()[1])
      expect(at.submits().map(({ order }) => order?.profile.name)).toEqual(['gpu', 'large'])
    })

    test('and 99 others get one job of as many workers as the profile may have, and the rest when some have left [U21]', async () => {
      const at = await started({ profiles: [profileOf({ max_workers: 4 })] })
      for (let each = 0; each < 100; each += 1) at.call()
      const { order, job } = await at.submitted()
      expect([order.tasks, (await at.cluster.jobs())[0]?.tasks.length]).toEqual([4, 4])
      await at.cluster.run(job, 1, 2, 3, 4)
      const workers = [1, 2, 3, 4].map(() => at.attachOf(order))
      await expect.poll(() => workers.flatMap((worker) => worker.calls())).toHaveLength(4)
      await at.pass(60_000)
      expect(at.submits()).toHaveLength(1)
      workers[0]?.disconnect()
      workers[1]?.disconnect()
      await at.cluster.end(`${job}/1`)
      await at.cluster.end(`${job}/2`)
      await at.until(() => at.submits()[1])
      expect(at.submits()[1]?.order?.tasks).toBe(2)
    })
  })

  describe(`a job on ${type} that nobody needs any more`, () => {
    test('is cancelled when no call has waited for half a minute, and its token counts no more', async () => {
      const at = await started()
      const { cancel } = at.call()
      const { order, job, atMs } = await at.submitted()
      cancel()
      await at.until(() => at.cancelled().length)
      expect(at.clock.now() - atMs).toBeGreaterThanOrEqual(20_000)
      expect([at.cancelled(), await jobsOf(at.cluster), await at.isLive(order)]).toEqual([[job], [], false])
      await at.until(async () => (await at.state())?.state === 'idle')
    })

    test('is kept as long as a call waits', async () => {
      const at = await started({ settings: { provision_timeout_s: 0 } })
      at.call()
      await at.until(() => at.submits()[0])
      await at.pass(300_000)
      expect([at.cancelled(), at.submits().length]).toEqual([[], 1])
    })

    test('loses the tasks that have not begun, and not those that have', async () => {
      const at = await started({ profiles: [profileOf({ max_workers: 3 })] })
      const calls = [at.call(), at.call(), at.call()]
      const { order, job } = await at.submitted()
      await at.cluster.run(job, 1)
      const worker = at.attachOf(order)
      await expect.poll(() => worker.calls()).toHaveLength(1)
      for (const { cancel } of calls.slice(1)) cancel()
      await at.until(async () => (await at.cluster.jobs())[0]?.tasks.length === 1)
      expect((await at.cluster.jobs())[0]?.tasks).toEqual(['RUNNING'])
    })

    test('is cancelled when the engine stops; attached workers stay [R612]', async () => {
      const at = await started({ profiles: [profileOf(), profileOf({ name: 'cpu', labels: ['cpu'], gpus: 0 })] })
      at.call()
      const { order, job: kept } = await at.submitted()
      await at.cluster.run(kept, 1)
      at.attachOf(order)
      await at.until(async () => (await at.state())?.state === 'attached')
      at.call({ worker: 'cpu' })
      const { order: pending, job } = await at.submitted(1)
      await at.close()
      expect([at.cancelled(), await jobsOf(at.cluster)]).toEqual([[job], [kept]])
      expect([await at.isLive(order), await at.isLive(pending)]).toEqual([true, false])
      expect((await at.state('cpu'))?.state).toBe('idle')
    })
  })

  describe(`a job on ${type} that comes to nothing`, () => {
    test('is cancelled when no worker has attached in time, and not tried again at once [R611]', async () => {
      const at = await started({ settings: { provision_timeout_s: 60 } })
      at.call()
      const { order, job, atMs: firstMs } = await at.submitted()
      await at.until(() => at.cancelled().length)
      expect(at.clock.now() - firstMs).toBeGreaterThanOrEqual(60_000)
      expect([at.cancelled(), await at.isLive(order)]).toEqual([[job], false])
      expect(await at.state()).toMatchObject({
        state: 'failed',
        error: expect.stringContaining('attached within 60 s'),
      })
      expect(at.news).toContainEqual(expect.objectContaining({ action: 'worker.request_failed', level: 'warning' }))
      const cancelMs = at.operations.find(({ what }) => what === 'cancel')?.atMs ?? 0
      await at.until(() => at.submits()[1])
      expect((at.submits()[1]?.atMs ?? 0) - cancelMs).toBeGreaterThanOrEqual(30_000)
    })

    test('without a limit of time is waited for [R143]', async () => {
      const at = await started({ settings: { provision_timeout_s: 0 } })
      at.call()
      await at.until(() => at.submits()[0])
      await at.pass(2_000_000)
      expect([at.cancelled(), (await at.state())?.state]).toEqual([[], 'pending'])
    })

    test('because the cluster refuses is told in its words, and tried ever more rarely', async () => {
      const at = await started()
      await at.cluster.behave('refuses', 'Batch job submission failed: Invalid account')
      at.call()
      await at.until(() => at.submits()[3])
      const times = at.submits().map(({ atMs }) => atMs)
      const waits = times.slice(1).map((atMs, before) => atMs - (times[before] ?? 0))
      expect(waits.map((wait) => [30, 60, 120].findLast((s) => wait >= s * 1000))).toEqual([30, 60, 120])
      expect(await at.state()).toMatchObject({
        state: 'failed',
        job: null,
        error: expect.stringContaining('Invalid account'),
      })
      expect(at.cancelled()).toEqual([])
      const live = (await at.tokens.list()).filter((token) => token.name.startsWith(`${at.name}-`) && !token.revoked_at)
      expect(live).toEqual([])
      await at.cluster.behave(null)
      await at.until(async () => (await at.state())?.state === 'pending')
    })

    test('is tried at once when the file is read again', async () => {
      const at = await started()
      await at.cluster.behave('refuses', 'no')
      at.call()
      await at.until(() => at.submits()[4])
      await at.cluster.behave(null)
      const reloadMs = at.clock.now()
      await at.provisioners.reload()
      await at.until(() => at.submits()[5])
      expect((at.submits()[5]?.atMs ?? 0) - reloadMs).toBeLessThan(60_000)
    })

    test('because it has ended before its worker attached is noticed', async () => {
      const at = await started()
      at.call()
      const { order, job } = await at.submitted()
      await at.cluster.end(job)
      await at.until(async () => (await at.state())?.state === 'failed')
      expect((await at.state())?.error).toContain(`job ${job} has ended before its worker attached`)
      expect(await at.isLive(order)).toBe(false)
    })

    test('after its worker attached makes room for the next one', async () => {
      const at = await started()
      at.call()
      const { order, job } = await at.submitted()
      await at.cluster.run(job, 1)
      const worker = at.attachOf(order)
      await at.until(async () => (await at.state())?.state === 'attached')
      await at.cluster.end(job)
      worker.disconnect()
      at.call()
      await at.until(() => at.submits()[1])
      expect([at.submits()[1]?.order?.name, await at.isLive(order)]).toEqual([`${at.name}-gpu-2`, false])
    })
  })

  describe(`no job is left behind on ${type}`, () => {
    test('when the cluster takes it and its answer is lost', async () => {
      const at = await started()
      await at.cluster.behave('loses')
      at.call()
      await at.until(() => at.submits()[0])
      expect([(await jobsOf(at.cluster)).length, await at.isLive(at.submits()[0]?.order)]).toEqual([1, false])
      expect((await at.state())?.state).toBe('failed')
      await at.cluster.behave(null)
      await at.until(() => at.submits()[1])
      expect(at.operations.map(({ what }) => what)).toEqual(['submit', 'list', 'cancel', 'submit'])
      expect(await jobsOf(at.cluster)).toHaveLength(1)
    })

    test('when the cluster cannot be reached while it should be cancelled', async () => {
      const at = await started()
      const { cancel } = at.call()
      await at.until(() => at.submits()[0])
      await at.cluster.behave('unreachable', 'Connection refused')
      cancel()
      await at.until(() => at.operations.filter(({ what }) => what !== 'submit').length > 3)
      expect((await at.provisioners.list())[0]?.error).toContain('Connection refused')
      expect(await at.isLive(at.submits()[0]?.order)).toBe(false)
      await at.cluster.behave(null)
      await at.until(async () => (await jobsOf(at.cluster)).length === 0)
      await at.until(async () => (await at.provisioners.list())[0]?.error === null)
    })

    test('when the engine was killed before it knew the job: the next life takes it up while a call waits [T87]', async () => {
      const first = await started()
      await first.cluster.behave('loses')
      first.call()
      await first.until(() => first.submits()[0])
      await database.sql`
        update provision_request set state = 'submitting', error = null, failures = 0, retry_at = null
        where provisioner = ${first.name}`
      first.crash()
      await first.cluster.behave(null)
      const second = await first.another({ startMs: first.clock.now() })
      second.call()
      const [job] = await jobsOf(first.cluster)
      await second.until(async () => (await second.state())?.job === job)
      expect([(await second.state())?.state, second.submits(), second.cancelled()]).toEqual(['pending', [], []])
    })

    test('when the engine was killed: the next life cancels what no call waits for', async () => {
      const first = await started()
      first.call()
      await first.until(async () => (await first.state())?.job)
      first.crash()
      const second = await first.another({ startMs: first.clock.now() })
      await second.until(async () => (await jobsOf(first.cluster)).length === 0)
      expect([second.submits(), await second.isLive(first.submits()[0]?.order)]).toEqual([[], false])
    })

    test('when the engine was killed before the cluster had the job: nothing is', async () => {
      const first = await started()
      await first.cluster.behave('refuses', 'no')
      first.call()
      await first.until(async () => (await first.state())?.state === 'failed')
      await database.sql`
        update provision_request set state = 'submitting', error = null, failures = 0, retry_at = null
        where provisioner = ${first.name}`
      first.crash()
      await first.cluster.behave(null)
      const second = await first.another({ startMs: first.clock.now() })
      await second.until(async () => (await second.state())?.state === 'idle')
      expect(second.submits()).toEqual([])
      second.call()
      await second.until(() => second.submits()[0])
    })

    test('when the engine stops while the cluster cannot be reached: the next life cancels it', async () => {
      const first = await started()
      first.call()
      await first.until(async () => (await first.state())?.job)
      await first.cluster.behave('unreachable', 'Connection refused')
      await first.close()
      expect(await first.isLive(first.submits()[0]?.order)).toBe(false)
      await first.cluster.behave(null)
      const second = await first.another({ startMs: first.clock.now() })
      await second.until(async () => (await jobsOf(first.cluster)).length === 0)
      await second.until(async () => (await second.state())?.state === 'idle')
    })
  })

  describe(`two engines on one database and ${type}`, () => {
    const inContact = async (): Promise<string> => {
      const id = randomUUID()
      await database.sql`insert into engine (id, name, version) values (${id}, 'host/1', '1')`
      return id
    }
    const lose = (id: string) => database.sql`update engine set contact_at = now() - interval '1 h' where id = ${id}`

    test('ask for one job of a profile, and either notices its worker', async () => {
      const one = await started({ engine: await inContact() })
      const two = await one.another({ engine: await inContact() })
      one.call()
      two.call()
      await Promise.all([one, two].map((at) => at.until(async () => (await at.state())?.job)))
      await Promise.all([one, two].map((at) => at.pass(20_000)))
      const submits = [...one.submits(), ...two.submits()]
      expect([submits.length, (await jobsOf(one.cluster)).length]).toEqual([1, 1])
      const other = one.submits().length === 0 ? one : two
      other.attachOf(submits[0]?.order)
      await one.until(async () => (await one.state())?.state === 'attached')
      expect((await two.state())?.state).toBe('attached')
    })

    test('look after the jobs of each other when one is lost', async () => {
      const id = await inContact()
      const one = await started({ engine: id })
      const two = await one.another({ engine: await inContact() })
      one.call()
      await one.until(async () => (await one.state())?.job)
      one.crash()
      await two.pass(60_000)
      expect(await jobsOf(one.cluster)).toHaveLength(1)
      await lose(id)
      await two.until(async () => (await jobsOf(one.cluster)).length === 0)
    })
  })

  describe(`a file that was read again, on ${type}`, () => {
    test('ends pending jobs of a profile that is gone, and leaves attached workers alone [U21]', async () => {
      const cpu = profileOf({ name: 'cpu', labels: ['cpu'], gpus: 0 })
      const at = await started({ profiles: [profileOf(), cpu] })
      at.call()
      const { order, job: kept } = await at.submitted()
      await at.cluster.run(kept, 1)
      at.attachOf(order)
      await at.until(async () => (await at.state())?.state === 'attached')
      at.call({ worker: 'cpu' })
      await at.until(async () => (await at.state('cpu'))?.job)
      at.rewrite({ profiles: [profileOf({ name: 'new' })] })
      expect((await at.provisioners.reload())[0]?.profiles.map(({ name, state }) => [name, state])).toEqual([
        ['new', 'idle'],
      ])
      expect([await jobsOf(at.cluster), await at.isLive(order)]).toEqual([[kept], true])
    })

    test('keeps pending jobs of profiles that stay', async () => {
      const at = await started()
      at.call()
      await at.until(async () => (await at.state())?.job)
      at.rewrite({ max_idle_s: 5 })
      await at.provisioners.reload()
      await at.pass(60_000)
      expect([(await at.state())?.state, at.cancelled(), at.submits().length]).toEqual(['pending', [], 1])
    })

    test('and cannot be used changes nothing', async () => {
      const at = await started()
      at.rewrite({ profiles: [] })
      await expect(at.provisioners.reload()).rejects.toMatchObject({ code: 'validation_failed' })
      at.call()
      await at.until(() => at.submits()[0])
    })
  })
}
