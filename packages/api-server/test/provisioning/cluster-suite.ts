/** What calls and jobs do on every type of provisioner, over a cluster that a test plays the nodes of. */
import { decodeJwt } from 'jose'
import { describe, expect, test } from 'vitest'

import { profileOf, type TestCluster } from './provisioned-engine.ts'
import { jobsOf, useClusters } from './use-clusters.ts'

/** The cases; `open` starts a cluster with an empty queue. */
export function clusterCases(type: string, open: () => Promise<TestCluster>): void {
  const { started } = useClusters(open)

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

    test('gets one also when it has begun to wait before anybody looked, as at the start of an engine', async () => {
      const at = await started({ isWaitedFor: true })
      expect((await at.submitted()).order.tasks).toBe(1)
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

    test('once more after the file was read again is tried again soon', async () => {
      const at = await started()
      await at.cluster.behave('refuses', 'no')
      at.call()
      await at.until(() => at.submits()[3])
      await at.provisioners.reload()
      await at.until(() => at.submits()[5])
      expect((at.submits()[5]?.atMs ?? 0) - (at.submits()[4]?.atMs ?? 0)).toBeLessThan(60_000)
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
}
