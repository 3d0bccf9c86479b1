/** That every type of provisioner leaves no job behind, whatever becomes of engines, clusters and the file of provisioners. */
import { randomUUID } from 'node:crypto'

import { describe, expect, onTestFinished, test } from 'vitest'

import { live, lose } from '../engines/living.ts'
import { profileOf, type TestCluster } from './provisioned-engine.ts'
import { jobsOf, useClusters } from './use-clusters.ts'

/** The cases; `open` starts a cluster with an empty queue. */
export function recoveryCases(type: string, open: () => Promise<TestCluster>): void {
  const { database, started } = useClusters(open)
  /** Has a job handed in for a call, and its worker attach. */
  const attached = async (at: Awaited<ReturnType<typeof started>>) => {
    at.call()
    const { order, job } = await at.submitted()
    await at.cluster.run(job, 1)
    const worker = at.attachOf(order)
    await at.until(async () => (await at.state())?.state === 'attached')
    return { order, job, worker }
  }
  /** Of the last request of a provisioner. */
  const stateOf = async (name: string): Promise<string | undefined> => {
    const rows = await database().sql<{ state: string }[]>`
      select state from provision_request where provisioner = ${name} order by requested_at desc limit 1`
    return rows[0]?.state
  }

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

    test('when the cluster refuses to cancel it, which is told', async () => {
      const at = await started()
      const { cancel } = at.call()
      await at.until(() => at.submits()[0])
      await at.cluster.behave('denies', 'Invalid credential')
      cancel()
      await at.until(() => at.operations.filter(({ what }) => what !== 'submit').length > 3)
      expect((await at.provisioners.list())[0]?.error).toContain('Invalid credential')
      await at.cluster.behave(null)
      await at.until(async () => (await jobsOf(at.cluster)).length === 0)
      await at.until(async () => (await at.provisioners.list())[0]?.error === null)
    })

    test('when its request was over before it was handed in', async () => {
      const at = await started()
      const { cancel } = at.call()
      await at.cluster.behave('late')
      await at.comesTo('submit')
      await database().sql`update provision_request set state = 'ended' where provisioner = ${at.name}`
      cancel()
      await at.cluster.behave(null)
      await expect.poll(() => jobsOf(at.cluster)).toHaveLength(1)
      await at.until(async () => (await jobsOf(at.cluster)).length === 0)
    })

    test('when the engine was killed before it knew the job: the next life takes it up while a call waits [U21]', async () => {
      const first = await started()
      await first.cluster.behave('loses')
      first.call()
      await first.until(() => first.submits()[0])
      await database().sql`
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
      await database().sql`
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

  describe(`a provisioner on ${type} that has another cluster now`, () => {
    test('asks there for its workers, and says of which jobs at the one before it cannot hear', async () => {
      const first = await started()
      first.call()
      const { order, job } = await first.submitted()
      await first.until(async () => (await first.state())?.job)
      first.crash()
      const other = await open()
      onTestFinished(() => other[Symbol.asyncDispose]())
      const settings = type === 'batch_scheduler' ? { login: 'ann@elsewhere' } : {}
      const second = await first.another({ cluster: other, settings, startMs: first.clock.now() })
      expect([await first.isLive(order), await stateOf(first.name)]).toEqual([false, 'ended'])
      expect(second.news).toMatchObject([
        {
          action: 'worker.request_cancelled',
          level: 'warning',
          detail: { job, reason: expect.stringContaining('end the job there, its worker is not let in') },
        },
      ])
      second.call()
      await second.until(async () => (await second.state())?.job)
      await second.pass(60_000)
      expect([second.cancelled(), (await jobsOf(first.cluster)).length, (await jobsOf(other)).length]).toEqual([
        [],
        1,
        1,
      ])
    })

    test('leaves attached workers alone', async () => {
      const first = await started()
      const { order } = await attached(first)
      first.crash()
      const second = await first.another({ name: `${first.name}-new`, startMs: first.clock.now() })
      await second.pass(60_000)
      expect([await first.isLive(order), await stateOf(first.name), second.news]).toEqual([true, 'attached', []])
    })
  })

  describe(`an engine on ${type} that is killed`, () => {
    type Engine = Awaited<ReturnType<typeof started>>
    const begins = async (at: Engine) => {
      const { order, job } = await at.submitted()
      await at.cluster.run(job, 1)
      return order
    }
    /** How it comes there, with a call that waits. */
    const steps: [string, (at: Engine, hangUp: () => void) => Promise<unknown>][] = [
      [
        'before it hears of its job',
        async (at) => {
          await at.cluster.behave('late')
          await at.comesTo('submit')
        },
      ],
      [
        'before it looks for a job whose answer was lost',
        async (at) => {
          await at.cluster.behave('loses')
          await at.until(async () => (await at.state())?.state === 'failed')
        },
      ],
      ['while its job waits', (at) => at.until(async () => (await at.state())?.job)],
      ['before the worker of its job attaches', begins],
      [
        'while a worker is attached',
        async (at) => {
          at.attachOf(await begins(at))
          await at.until(async () => (await at.state())?.state === 'attached')
        },
      ],
      [
        'while it cancels its job',
        async (at, hangUp) => {
          await at.until(async () => (await at.state())?.job)
          await at.cluster.behave('late')
          hangUp()
          await at.comesTo('cancel')
        },
      ],
    ]

    /** The next life; what the one before has begun comes to its end. */
    const afterDeath = async (step: (typeof steps)[number][1]) => {
      const first = await started()
      await step(first, first.call().cancel)
      first.crash()
      await first.cluster.behave(null)
      await expect.poll(() => first.underWay()).toBe(null)
      return { first, next: await first.another({ startMs: first.clock.now() }) }
    }
    const liveTokens = async ({ name, tokens }: Engine) =>
      (await tokens.list()).filter((token) => token.name.startsWith(`${name}-`) && token.revoked_at === null)

    test.each(steps)('%s leaves nothing behind when nobody waits any more', async (name, step) => {
      const { first, next } = await afterDeath(step)
      // its worker has nothing to do, and leaves
      if (name.includes('attached')) for (const job of await jobsOf(first.cluster)) await first.cluster.end(job)
      await next.until(async () => (await jobsOf(first.cluster)).length === 0)
      await next.until(async () => (await liveTokens(first)).length === 0)
      await next.pass(60_000)
      expect([await jobsOf(first.cluster), next.submits(), (await next.state())?.job]).toEqual([[], [], null])
    })

    test.each(steps)('%s has one job in the end when a call waits', async (name, step) => {
      const { first, next } = await afterDeath(step)
      next.call()
      const isGivenUp = name.includes('lost') || name.includes('cancels')
      await next.until(() => next.submits().length === (isGivenUp ? 1 : 0))
      await next.until(async () => (await next.state())?.job)
      await next.pass(60_000)
      expect(await jobsOf(first.cluster)).toContain((await next.state())?.job)
    })

    test.each([true, false])(
      'is survived by what hands its job in, which is found later; a call waits: %s',
      async (waits) => {
        const first = await started()
        first.call()
        await first.cluster.behave('late')
        await first.comesTo('submit')
        first.crash()
        const next = await first.another({ startMs: first.clock.now() })
        if (waits) next.call()
        await next.pass(20_000)
        expect([next.operations.length > 0, next.submits(), await jobsOf(first.cluster)]).toEqual([true, [], []])
        await first.cluster.behave(null)
        await expect.poll(() => jobsOf(first.cluster)).toHaveLength(1)
        const [job] = await jobsOf(first.cluster)
        await next.until(async () => (await next.state())?.job === job)
        await next.pass(120_000)
        expect([next.submits(), await jobsOf(first.cluster)]).toEqual([[], waits ? [job] : []])
        expect(await liveTokens(first)).toHaveLength(waits ? 1 : 0)
      },
    )
  })

  describe(`two engines on one database and ${type}`, () => {
    const inContact = async (): Promise<string> => {
      const id = randomUUID()
      await live(database().sql, id)
      return id
    }
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
      await lose(database().sql, id)
      await two.until(async () => (await jobsOf(one.cluster)).length === 0)
    })
  })

  describe(`a file that was read again, on ${type}`, () => {
    test('ends pending jobs of a profile that is gone, and leaves attached workers alone [U21]', async () => {
      const cpu = profileOf({ name: 'cpu', labels: ['cpu'], gpus: 0 })
      const at = await started({ profiles: [profileOf(), cpu] })
      const { order, job: kept } = await attached(at)
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

    test('ends the jobs of a provisioner that is gone, also when the cluster comes back after that', async () => {
      const at = await started()
      at.call()
      await at.until(async () => (await at.state())?.job)
      await at.cluster.behave('unreachable', 'Connection refused')
      at.empty()
      expect(await at.provisioners.reload()).toEqual([])
      expect([(await jobsOf(at.cluster)).length, await at.isLive(at.submits()[0]?.order)]).toEqual([1, false])
      await at.cluster.behave(null)
      await at.until(async () => (await jobsOf(at.cluster)).length === 0)
      expect(await stateOf(at.name)).toBe('ended')
    })

    test('looks after the attached workers of a provisioner that is gone until they have left', async () => {
      const at = await started()
      const { order, job, worker } = await attached(at)
      at.empty()
      await at.provisioners.reload()
      await at.pass(60_000)
      expect([await jobsOf(at.cluster), await at.isLive(order)]).toEqual([[job], true])
      worker.disconnect()
      await at.cluster.end(job)
      await at.until(async () => (await stateOf(at.name)) === 'ended')
      expect(await at.isLive(order)).toBe(false)
    })

    test('takes up what is left of a provisioner that is named again', async () => {
      const at = await started()
      const { order, job, worker } = await attached(at)
      at.empty()
      await at.provisioners.reload()
      at.rewrite({})
      await at.provisioners.reload()
      expect(await at.state()).toMatchObject({ state: 'attached', job })
      await at.cluster.end(job)
      worker.disconnect()
      await at.until(async () => (await at.state())?.state === 'idle')
      expect([at.cancelled(), await at.isLive(order)]).toEqual([[], false])
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
