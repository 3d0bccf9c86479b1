/**
 * Workers that the engine starts itself, on a real cluster of any type, as processes of a real engine and a real worker.
 */
import { existsSync, writeFileSync } from 'node:fs'

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'

import { runService } from './cli-process.ts'
import { ProvisionedSite, type RealCluster } from './provisioned-site.ts'

/** A job of the cluster and the engine's looks at it take seconds each. */
const PATIENCE = { timeout: 200_000, interval: 100 }

/** The cases; `open` starts a cluster. */
export function provisionerCases(type: string, open: () => Promise<RealCluster>): void {
  describe(`a provisioner of type ${type}`, { timeout: 600_000 }, () => {
    let cluster: RealCluster
    let site: ProvisionedSite
    beforeAll(async () => {
      cluster = await open()
      site = await ProvisionedSite.open(cluster)
    }, 400_000)
    afterAll(async () => {
      site?.close()
      await cluster?.stop()
    })

    /** Waits until the queue has one job that is not over; its id. */
    const submitted = async (): Promise<string> => {
      await expect.poll(() => site.jobs(), PATIENCE).toHaveLength(1)
      return (await site.jobs())[0] ?? ''
    }
    /** Waits until the profile fares so. */
    const fares = async (how: object): Promise<void> => {
      await expect.poll(() => site.state(), PATIENCE).toMatchObject(how)
    }
    /** Waits until nothing is left behind: no job, and no token that counts. */
    const expectEmpty = async (): Promise<void> => {
      await expect.poll(() => site.jobs(), PATIENCE).toEqual([])
      await expect.poll(() => site.tokens(), PATIENCE).toEqual([])
    }

    /** Lets no job begin until the test ends, or says so. */
    async function held(): Promise<() => Promise<void>> {
      await cluster.hold()
      let isHeld = true
      const release = async (): Promise<void> => {
        if (isHeld) await cluster.release()
        isHeld = false
      }
      onTestFinished(release)
      return release
    }

    test('gets a worker for a call that waits; it executes, goes idle and leaves, and the queue is empty [R138, R145, R608, R613]', async () => {
      await site.provide('small')
      const id = await site.run()
      await submitted()
      const run = await site.client.wait(id)
      expect([run.status, run.result, run.nodes[0]?.worker]).toEqual(['ok', { out: { n: 3 } }, 'c-small-1'])
      await expectEmpty()
      await fares({ state: 'idle', job: null, error: null })
    })

    test('fills the cluster for a sweep by one request, and leaves nothing behind [U21]', async () => {
      await site.provide('wide', { profile: { max_workers: 4 }, source: TOGETHER })
      const ids = await Promise.all(Array.from({ length: 12 }, (_, n) => site.run(n)))
      await submitted()
      const runs = await Promise.all(ids.map((id) => site.client.wait(id)))
      expect(runs.map(({ status }) => status)).toEqual(ids.map(() => 'ok'))
      expect(new Set(runs.map(({ nodes }) => nodes[0]?.worker))).toEqual(new Set(['c-wide-1']))
      await expectEmpty()
    })

    test('shows a job that has died, in words, and leaves no token', async () => {
      await site.provide('dying', { prerun: ['exit 3'] })
      const id = await site.run()
      await fares({ state: 'failed', error: expect.stringContaining('has ended before its worker attached: ') })
      await site.client.http.runs.cancel({ id })
      await expectEmpty()
    })

    test('shows why the cluster refuses, in its last words, and tries again when the file is mended', async () => {
      const { words, ...refused } = cluster.refused
      await site.provide('greedy', refused)
      const id = await site.run()
      await fares({ state: 'failed', job: null, error: expect.stringContaining(words) })
      await expectEmpty()
      site.write()
      await site.client.workers.provisioners.reload()
      expect((await site.client.wait(id)).status).toBe('ok')
      await expectEmpty()
    })

    test('is tested on the command line, step by step', async () => {
      await site.provide('tried')
      const { path } = site.directory
      const options = { cwd: path, env: { SERVICE_DATA_DIR: path } }
      const { code, out } = await runService(['provisioners', 'test', 'c', 'tried'], options)
      const steps = [...out.matchAll(/^\S+ +(\w+) +(\w+) /gm)].map(([, step, how]) => `${step} ${how}`)
      const all = ['ssh', 'submit', 'running', 'attached', 'called', 'cancelled']
      expect([code, steps]).toEqual([0, all.map((step) => `${step} ok`)])
      await expectEmpty()
    })

    test('cancels a job that waits when its run is cancelled, and when the engine stops [R612]', async () => {
      await site.provide('held')
      const release = await held()
      const id = await site.run()
      const first = await submitted()
      await fares({ state: 'pending', job: first })
      await site.client.http.runs.cancel({ id })
      await fares({ state: 'idle', job: null })
      if (!cluster.dropsWaiting) await release()
      await expectEmpty()
      const again = cluster.dropsWaiting ? release : await held()
      await site.run()
      expect(await submitted()).not.toBe(first)
      expect(await site.end('SIGTERM')).toBe(0)
      if (cluster.dropsWaiting) expect(await site.jobs()).toEqual([])
      await again()
      await site.start()
      await expectEmpty()
    })

    /** How an engine comes to the moment of its death, with a run whose job may not begin yet. */
    interface Death {
      readonly when: string
      readonly settings?: () => object
      readonly come?: (run: string, release: () => Promise<void>) => Promise<unknown>
    }
    const waits: Death = { when: 'while its job waits', come: () => fares({ state: 'pending' }) }
    const unheard: Death = { when: 'before it has heard of its job', settings: () => cluster.deafSettings }
    const executes: Death = {
      when: 'while a worker executes',
      async come(_, release) {
        await release()
        await expect.poll(() => existsSync(site.at('shared/lost2.begun')), PATIENCE).toBe(true)
      },
    }
    const cancels: Death = {
      when: 'while it cancels',
      settings: () => cluster.slowSettings,
      async come(id) {
        await fares({ state: 'pending' })
        await site.client.http.runs.cancel({ id })
        await expect.poll(() => site.tokens(), PATIENCE).toEqual([])
      },
    }

    /** An engine that was killed with a job in the queue, and the next one. */
    async function killed(name: string, { settings, come }: Death) {
      await site.provide(name, { settings: settings?.() ?? {}, source: LONG })
      const release = await held()
      const id = await site.run()
      const job = await submitted()
      await come?.(id, release)
      await site.end('SIGKILL')
      site.write()
      await site.start()
      return { id, job, release }
    }

    test.each([waits, unheard])('of an engine that is killed $when goes on with that job [F35, U21]', async (death) => {
      const name = `adopted${[waits, unheard].indexOf(death)}`
      const { job, release } = await killed(name, death)
      writeFileSync(site.at(`shared/${name}.end`), '')
      const id = await site.run()
      await fares({ job })
      await release()
      const run = await site.client.wait(id)
      expect([run.status, run.nodes[0]?.worker]).toEqual(['ok', `c-${name}-1`])
      await expectEmpty()
    })

    test.each([waits, unheard, executes, cancels])(
      'of an engine that is killed $when leaves nothing behind',
      async (death) => {
        const { id, release } = await killed(`lost${[waits, unheard, executes, cancels].indexOf(death)}`, death)
        // unless the start has ended it
        await site.client.http.runs.cancel({ id }).catch(() => undefined)
        await fares({ state: 'idle', job: null })
        if (!cluster.dropsWaiting) await release()
        await expectEmpty()
        expect(await site.state()).toMatchObject({ state: 'idle', job: null })
      },
    )
  })
}

/** None of them ends before four execute. */
const TOGETHER = `import pathlib, time
def run(n):
    folder = pathlib.Path("FOLDER")
    (folder / f"NAME{n}").touch()
    while len(list(folder.glob("NAME*"))) < 4:
        time.sleep(0.05)
    return {"out": {"n": n}}
`

const LONG = `import pathlib, time
def run(n):
    folder = pathlib.Path("FOLDER")
    (folder / "NAME.begun").touch()
    while not (folder / "NAME.end").exists():
        time.sleep(0.05)
    return {"out": {"n": n}}
`
