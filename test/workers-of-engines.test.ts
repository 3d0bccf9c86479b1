/** One worker process for two engine processes on one PostgreSQL server. */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, test } from 'vitest'

import { startAgent } from './agent-process.ts'
import { openDoor } from './components/door.ts'
import { findPostgres } from './components/postgres.ts'
import { python } from './components/pythons.ts'
import { publishFlow, pythonFlow } from './documents.ts'
import { DataDirectory, type EngineProcess } from './engine-process.ts'
import { Ledger } from './ledger.ts'
import { useServerDatabases } from './server-databases.ts'

/** Tells the ledger that it has begun, waits for a file, and tells that it has ended. */
const acting = `import json, os, time, urllib.request
def run(n, ledger, gate):
    def tell(path):
        body = json.dumps({"n": n}).encode()
        urllib.request.urlopen(urllib.request.Request(ledger + path, body, {"content-type": "application/json"})).read()
    tell("/begun")
    while not os.path.exists(gate):
        time.sleep(0.02)
    tell("/ended")
    return {"out": n}
`

describe.skipIf(!findPostgres() || python === null)('a worker of two engines', () => {
  const databases = useServerDatabases()

  test.each([['first', 0] as const, ['other', 1] as const])(
    'serves the runs of both; when the %s one is killed during a call, that of the other goes on, no call is made twice, and none is lost',
    async (name, killed) => {
      using one = new DataDirectory()
      using two = new DataDirectory()
      await using ledger = await Ledger.open(() => 0)
      const gate = join(one.path, 'gate')
      const shared = {
        ...(await databases.env(name)),
        SERVICE_ARTIFACTS_DIR: join(one.path, 'shared'),
        // each of two runs has an engine of its own
        SERVICE_MAX_RUNS: '1',
        SERVICE_RUN_LEASE_S: '4',
        SERVICE_RUN_RENEW_S: '1',
      }
      const doors = [await openDoor(), await openDoor()] as const
      const start = async (at: 0 | 1): Promise<EngineProcess> => {
        const engine = await [one, two][at]?.start({ ...shared, SERVICE_ADVERTISE_URL: doors[at].url })
        if (!engine) throw new Error('two data folders')
        doors[at].leadTo(engine.origin)
        return engine
      }
      const engines = [await start(0), await start(1)]
      const [first, second] = engines as [EngineProcess, EngineProcess]
      const agent = await startAgent(first, 'far', { args: ['--parallel', '2'] })
      const settings = { ledger: ledger.url, gate }
      await publishFlow(first.client, 'act', pythonFlow(acting, { worker: 'far', cache: false, settings }))

      /** Two runs whose calls are on the worker, by the engine that executes them. */
      const begin = async (numbers: readonly [number, number], at: readonly EngineProcess[]) => {
        const runs = await Promise.all(
          numbers.map((n) => first.client.http.runs.submit({ name: 'act', params: { n } })),
        )
        await expect.poll(() => ledger.told('/begun')).toEqual(expect.arrayContaining([...numbers]))
        const lists = await Promise.all(at.map(({ client }) => client.workers.list()))
        const executed = lists.map((workers) => workers.flatMap(({ calls }) => calls.map(({ run }) => run)))
        expect(executed.map((each) => each.length)).toEqual([1, 1])
        expect(new Set(executed.flat())).toEqual(new Set(runs.map(({ id }) => id)))
        return executed.flat().map(String)
      }
      const statusOf = async ({ client }: EngineProcess, id: string) => (await client.http.runs.get({ id })).status

      await expect.poll(async () => (await second.client.workers.list()).map((worker) => worker.name)).toEqual(['far'])
      const executed = await begin([1, 2], engines)
      const alive = engines[1 - killed] as EngineProcess
      await engines[killed]?.end('SIGKILL')
      // its call has no process any more
      await expect.poll(() => agent.output()).toContain('not attached')
      writeFileSync(gate, '')
      await expect.poll(() => statusOf(alive, executed[1 - killed] ?? '')).toBe('ok')
      await expect.poll(() => statusOf(alive, executed[killed] ?? '')).toBe('abandoned')
      rmSync(gate)
      expect(ledger.told('/ended')).toHaveLength(1)

      const again = await start(killed)
      const both = killed === 0 ? [again, second] : [first, again]
      // a worker waits up to a minute between two attempts
      const patience = { timeout: 100_000, interval: 50 }
      for (const { client } of both)
        await expect.poll(async () => (await client.workers.list()).length, patience).toBe(1)
      const submitted = killed === 0 ? second : first
      const later = await Promise.all(
        [3, 4].map((n) => submitted.client.http.runs.submit({ name: 'act', params: { n } })),
      )
      writeFileSync(gate, '')
      for (const { id } of later) await expect.poll(() => statusOf(submitted, id)).toBe('ok')
      expect(ledger.told('/begun')).toHaveLength(4)
      expect(new Set(ledger.told('/begun'))).toEqual(new Set([1, 2, 3, 4]))
      expect(ledger.told('/ended')).toHaveLength(3)
      expect(await agent.end('SIGTERM')).toBe(0)
      for (const engine of both) expect(await engine.end('SIGTERM')).toBe(0)
    },
  )
})
