/** A cluster behind the stub of `ssh`. */
import { slurmScheduler } from '../../src/provisioning/slurm.ts'
import type { TestCluster } from './provisioned-engine.ts'
import { StubSsh } from './stub-ssh.ts'

/** One with an empty queue. */
export async function stubCluster(): Promise<TestCluster & { readonly stub: StubSsh }> {
  const stub = await StubSsh.open()
  return {
    stub,
    settings: {
      type: 'batch_scheduler',
      login: 'ann@login',
      engine_url: 'wss://flows.example.com/api/v1/workers/attach',
    },
    schedulerOf(provisioner, clock) {
      if (provisioner.type !== 'batch_scheduler') throw new Error(`${provisioner.type} is no batch scheduler`)
      return slurmScheduler(provisioner, clock, stub.env)
    },
    jobs: () => stub.jobs(),
    run: (job, ...tasks) => stub.run(job, ...tasks),
    end: (job) => stub.end(job),
    behave: (how, words) => stub.behave(how, words),
    [Symbol.asyncDispose]: () => stub[Symbol.asyncDispose](),
  }
}
