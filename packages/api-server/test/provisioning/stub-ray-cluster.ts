/** A cluster behind the stub of a Ray dashboard, which is reached as in production. */
import { AddressRules } from '../../src/egress/address-rules.ts'
import { createDialer } from '../../src/egress/dialer.ts'
import { createOutgoingFetch } from '../../src/egress/outgoing-fetch.ts'
import { rayScheduler } from '../../src/provisioning/ray.ts'
import type { TestCluster } from './provisioned-engine.ts'
import { StubRay } from './stub-ray.ts'

/** Requests of an engine in production to what its operator has written down. */
export const operatorFetch = () =>
  createOutgoingFetch(
    createDialer({ rules: new AddressRules({ isProduction: true, allow: [] }).ofOperator, who: 'provisioners' }),
  )

/** One without jobs. */
export async function stubRayCluster(): Promise<TestCluster & { readonly stub: StubRay }> {
  const stub = await StubRay.open()
  const outgoing = operatorFetch()
  const tasksOf = (job: string) => [...stub.jobs.values()].filter(({ submission_id: id }) => id.startsWith(`${job}-`))
  return {
    stub,
    settings: {
      type: 'ray',
      address: stub.address,
      engine_url: 'wss://flows.example.com/api/v1/workers/attach',
    },
    schedulerOf(provisioner, clock) {
      if (provisioner.type !== 'ray') throw new Error(`${provisioner.type} is no Ray cluster`)
      return rayScheduler(provisioner, { fetch: outgoing.fetch, clock, env: {} })
    },
    async jobs() {
      const waiting = [...stub.jobs.values()].filter(
        ({ status, stopping }) => ['PENDING', 'RUNNING'].includes(status) && !stopping,
      )
      const byJob = Map.groupBy(waiting, ({ submission_id: id }) => id.replace(/-\d+$/, ''))
      return [...byJob].map(([job, tasks]) => {
        return { job, request: job.replace('service-', ''), tasks: tasks.map(({ status }) => status) }
      })
    },
    async run(job, ...tasks) {
      for (const task of tasks) stub.run(`${job}-${task}`)
    },
    async end(job) {
      const [all = '', task] = job.split('/')
      const ended = task === undefined ? tasksOf(all) : [{ submission_id: `${all}-${task}` }]
      for (const { submission_id: id } of ended) stub.end(id, 'FAILED', `${DIED}\nno such module`)
    },
    behave: async (how, words) => stub.behave(how, words),
    async [Symbol.asyncDispose]() {
      await outgoing.close()
      await stub[Symbol.asyncDispose]()
    },
  }
}

const DIED = 'Job entrypoint command failed with exit code 1, last available logs (truncated to 20,000 chars):'
