/** Workers that the engine starts itself, on a real Slurm behind a real `ssh`, as processes of a real engine and a real worker. */
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { BatchScheduler } from '@flow-service/protocol'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'

import { runService } from './cli-process.ts'
import { freePort } from './components/free-port.ts'
import { hasSlurm, type SlurmCluster, startSlurm } from './components/slurm.ts'
import { publishFlow, pythonFlow } from './documents.ts'
import { DataDirectory, type EngineProcess } from './engine-process.ts'

/** A job of the cluster and the engine's looks at it take seconds each. */
const PATIENCE = { timeout: 200_000, interval: 200 }

describe.skipIf(!hasSlurm())('a provisioner', { timeout: 600_000 }, () => {
  let cluster: SlurmCluster
  beforeAll(async () => {
    cluster = await startSlurm({ cpus: 4 })
    // no npm there, and no Node: a program beside the worker's file stands for that of the cluster
    const program = (name: string): string => join(cluster.directory, 'bin', name)
    const bundled = await runService(['worker', 'bundle', '--out', program('service-worker')], { cwd: tmpdir() })
    if (bundled.code !== 0) throw new Error(bundled.err)
    copyFileSync(process.execPath, program('node'))
    writeFileSync(program('sbatch-without-answer'), '#!/bin/sh\nsbatch "$@" >/dev/null && exec sleep 600\n', {
      mode: 0o755,
    })
    mkdirSync(join(cluster.directory, 'shared'))
    chmodSync(join(cluster.directory, 'shared'), 0o777)
  })
  afterAll(() => cluster.stop())

  type Profile = Partial<BatchScheduler['profiles'][number]>

  /** An engine with one profile, whose name is also the label. It ends with the test. */
  async function provisioned(name: string, profile: Profile = {}, settings: Partial<BatchScheduler> = {}) {
    const directory = new DataDirectory()
    onTestFinished(() => directory[Symbol.dispose]())
    const port = await freePort()
    const at = (folder: string): string => join(cluster.directory, folder)
    const write = (more: Profile = profile): void =>
      writeFileSync(
        join(directory.path, 'provisioners.json'),
        JSON.stringify([
          {
            type: 'batch_scheduler',
            name: 'slurm',
            login: cluster.login,
            ssh_key: cluster.key,
            engine_url: `ws://127.0.0.1:${port}/api/v1/workers/attach`,
            max_idle_s: 1,
            ...settings,
            profiles: [
              {
                name,
                cpus: 1,
                ram_mb: 200,
                labels: [name],
                ...more,
                submit_args: ['-o', at(`${name}.out`), ...(more.submit_args ?? [])],
                prerun: [
                  `export PATH='${at('bin')}':"$PATH" SERVICE_WORKER_FILES='${at('files')}'`,
                  `export SERVICE_ARTIFACT_CACHE='${at('cache')}' NODE_COMPILE_CACHE='${at('compiled')}'`,
                  ...(more.prerun ?? []),
                ],
              },
            ],
          },
        ]),
      )
    write()
    const start = (): Promise<EngineProcess> => directory.start({ PATH: cluster.env.PATH }, String(port))
    const engine = await start()
    await publishFlow(engine.client, 'far', pythonFlow(SOURCE, { worker: name, cache: false }))
    const jobs = async () => (await cluster.queue()).filter((job) => job.name === `service-${name}`)
    return {
      engine,
      start,
      write,
      jobs,
      /** The state of its profile, as an engine shows it. */
      state: async ({ client }: EngineProcess = engine) =>
        (await client.workers.resources()).provisioners[0]?.profiles[0],
      /** Submits a run that waits for a worker; resolves with its id. */
      run: async ({ client }: EngineProcess = engine, n = 3) =>
        (await client.runs.submit({ name: 'far', params: { n } })).id,
      /** Waits until the queue has a job that is not over. */
      submitted: async () => {
        await expect
          .poll(jobs, PATIENCE)
          .toEqual([expect.objectContaining({ comment: expect.stringMatching(/^service:/) })])
        return (await jobs())[0]?.id.split('_', 1)[0]
      },
      /** Waits until nothing is left behind: no job, and no token that counts. */
      empty: async ({ client }: EngineProcess = engine) => {
        await expect.poll(jobs, PATIENCE).toEqual([])
        const live = async () => (await client.workers.listTokens()).filter(({ revoked_at }) => revoked_at === null)
        await expect.poll(live, PATIENCE).toEqual([])
      },
    }
  }

  test('gets a worker for a call that waits; it executes, goes idle and leaves, and the queue is empty [R138, R145, R608, R613]', async () => {
    const at = await provisioned('small')
    const id = await at.run()
    const job = await at.submitted()
    const run = await at.engine.client.wait(id)
    expect([run.status, run.result]).toEqual(['ok', { out: { n: 3, job } }])
    expect(run.nodes[0]?.worker).toBe('slurm-small-1')
    await at.empty()
    await expect.poll(() => at.state(), PATIENCE).toMatchObject({ state: 'idle', job: null, error: null })
  })

  test('fills the cluster for a sweep by one array, and leaves nothing behind [U21]', async () => {
    const at = await provisioned('wide', { max_workers: 4 })
    // none of them ends before four execute
    await publishFlow(at.engine.client, 'together', {
      ...pythonFlow(TOGETHER.replace('FOLDER', join(cluster.directory, 'shared')), { worker: 'wide', cache: false }),
    })
    const submit = async (n: number) => (await at.engine.client.runs.submit({ name: 'together', params: { n } })).id
    const ids = await Promise.all(Array.from({ length: 12 }, (_, n) => submit(n)))
    const runs = await Promise.all(ids.map((id) => at.engine.client.wait(id)))
    expect(runs.map(({ status }) => status)).toEqual(ids.map(() => 'ok'))
    const jobs = new Set(runs.map(({ result }) => (result as { out: { job: string } }).out.job))
    expect(jobs.size).toBe(1)
    await at.empty()
  })

  test('cancels a job that waits when its run is cancelled, and when the engine stops [R612]', async () => {
    const at = await provisioned('held')
    await cluster.hold()
    onTestFinished(() => cluster.release())
    const id = await at.run()
    const first = await at.submitted()
    expect(await at.state()).toMatchObject({ state: 'pending', job: first })
    await at.engine.client.runs.cancel({ id })
    await at.empty()
    await at.run()
    expect(await at.submitted()).not.toBe(first)
    expect(await at.engine.end('SIGTERM')).toBe(0)
    expect(await at.jobs()).toEqual([])
    const next = await at.start()
    await at.empty(next)
  })

  test('shows a job that has died, in words, and leaves no token', async () => {
    const at = await provisioned('dying', { prerun: ['exit 3'] })
    await at.run()
    await expect.poll(() => at.state(), PATIENCE).toMatchObject({ state: 'failed', error: expect.stringMatching(/\S/) })
    await at.empty()
  })

  test('shows why the cluster refuses, in its last words, and tries again when the file is mended', async () => {
    const at = await provisioned('greedy', { submit_args: ['--cpus-per-task=64'] })
    const id = await at.run()
    const error = expect.stringContaining('More processors requested than permitted')
    await expect.poll(() => at.state(), PATIENCE).toMatchObject({ state: 'failed', job: null, error })
    await at.empty()
    at.write({ submit_args: ['--cpus-per-task=2'] })
    await at.engine.client.workers.provisioners.reload()
    expect((await at.engine.client.wait(id)).status).toBe('ok')
    await at.empty()
  })

  const deaths = [
    ['while its job waits', 'sbatch'],
    ['before it has heard of its job', 'sbatch-without-answer'],
  ] as const

  /** An engine with a job in the queue that does not begin, and the engine after its death. */
  async function killed(name: string, command: string) {
    const submit_command = [command === 'sbatch' ? command : join(cluster.directory, 'bin', command)]
    const at = await provisioned(name, {}, { submit_command })
    await cluster.hold()
    onTestFinished(() => cluster.release())
    const id = await at.run()
    const job = await at.submitted()
    await at.engine.end('SIGKILL')
    return { ...at, id, job, next: await at.start() }
  }

  test.each(deaths)('of an engine that is killed %s goes on with that job [F35, U21]', async (_, command) => {
    const at = await killed(`adopted-${command}`, command)
    const id = await at.run(at.next)
    await cluster.release()
    const run = await at.next.client.wait(id)
    expect([run.status, run.result]).toEqual(['ok', { out: { n: 3, job: at.job } }])
    await at.empty(at.next)
  })

  test.each(deaths)('of an engine that is killed %s cancels what nobody waits for any more', async (_, command) => {
    const at = await killed(`lost-${command}`, command)
    // unless the start has ended it
    await at.next.client.runs.cancel({ id: at.id }).catch(() => undefined)
    await at.empty(at.next)
    await expect.poll(() => at.state(at.next), PATIENCE).toMatchObject({ state: 'idle', job: null })
  })
})

const SOURCE = `import os
def run(n):
    return {"out": {"n": n, "job": os.environ["SLURM_ARRAY_JOB_ID"]}}
`

const TOGETHER = `import os, pathlib, time
def run(n):
    folder = pathlib.Path("FOLDER")
    (folder / os.environ["SLURM_ARRAY_TASK_ID"]).touch()
    while len(list(folder.iterdir())) < 4:
        time.sleep(0.05)
    return {"out": {"n": n, "job": os.environ["SLURM_ARRAY_JOB_ID"]}}
`
