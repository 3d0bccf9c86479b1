/** Runs whose stages a worker executes, while their engine is killed at random moments (wire decision U23). */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

import type { Client } from '@flow-service/client-sdk'
import { describe, expect, onTestFailed, test } from 'vitest'

import { startAgent } from './agent-process.ts'
import { freePort } from './components/free-port.ts'
import { findPostgres } from './components/postgres.ts'
import { python } from './components/pythons.ts'
import { publishFlow, pythonFlow } from './documents.ts'
import { DataDirectory, type EngineProcess } from './engine-process.ts'
import { chosenKills, chosenSeed, randomFrom } from './seeded-kills.ts'
import { useServerDatabases } from './server-databases.ts'

const kills = chosenKills(5)
const seed = chosenSeed()
const timeout = 180_000 + kills * 20_000
const STEPS = 12
/** Longer than an engine takes to start, on any machine. */
const RESUME_S = 600

/** Writes down that it begins and ends, and says something in between. */
const staged = `import time
def run(n, before, folder, stage, steps):
    def note(what):
        with open(f"{folder}/{n}-{stage}", "a") as ledger:
            ledger.write(what + "\\n")
    note("begun")
    for step in range(steps):
        print(f"{stage} {step}")
        time.sleep(0.04)
        yield {"loss": step}
    note("ended")
    return {"out": before + 1}
`

/** Writes down that it begins, waits for a file of its own, and writes down that it ends. */
const holding = `import os, time
def run(n, folder):
    def note(what):
        with open(f"{folder}/held-{n}", "a") as ledger:
            ledger.write(what + "\\n")
    note("begun")
    while not os.path.exists(f"{folder}/gate-{n}"):
        time.sleep(0.02)
    note("ended")
    return {"out": n}
`

const LANES = ['a', 'b']
const STAGES = [1, 2, 3]
const stages = LANES.flatMap((lane) =>
  STAGES.map((at) => ({ id: `${lane}${at}`, before: at === 1 ? 'n' : `${lane}${at - 1}` })),
)

/** Two lanes of three stages each, on the worker. */
const lanes = (folder: string) => ({
  mode: 'batch',
  inputs: [{ name: 'n', dtype: 'int', initial: 0 }],
  outputs: LANES.map((lane) => ({ name: `${lane}3` })),
  nodes: stages.map(({ id, before }) => ({
    id,
    type: 'python',
    source: staged,
    worker: 'far',
    settings: { folder, stage: id, steps: STEPS },
    ports: [
      { direction: 'input', name: 'n', dtype: 'int' },
      { direction: 'input', port: 'before', name: before, dtype: 'int' },
      { direction: 'output', port: 'out', name: id, dtype: 'int' },
      { direction: 'output', port: 'loss', name: `${id}_loss`, dtype: 'float', stream: true },
    ],
  })),
})

/** What of a run is not as if nothing had happened. */
async function faultsOf(client: Client, id: string, n: number, folder: string): Promise<string[]> {
  const [run, curves] = await Promise.all([client.http.runs.get({ id }), client.http.runs.metrics({ id, stride: 1 })])
  const { status, result, error } = run
  const seen = {
    status,
    result,
    error,
    logs: Object.fromEntries(run.nodes.map(({ node, logs }) => [node, logs])),
    points: Object.fromEntries(
      curves.map(({ node, points }) => [node, points.map(({ step, value }) => [step, value])]),
    ),
    ledger: Object.fromEntries(
      readdirSync(folder)
        .filter((name) => name.startsWith(`${n}-`))
        .map((name) => [name.slice(`${n}-`.length), readFileSync(join(folder, name), 'utf8')]),
    ),
  }
  const steps = Array.from({ length: STEPS }, (_, step) => step)
  const each = <T>(of: (stage: string) => T) => Object.fromEntries(stages.map(({ id: stage }) => [stage, of(stage)]))
  const expected = {
    status: 'ok',
    result: { a3: n + 3, b3: n + 3 },
    error: null,
    logs: each((stage) => steps.map((step) => `${stage} ${step}\n`).join('')),
    points: each(() => steps.map((step) => [step, step])),
    ledger: each(() => 'begun\nended\n'),
  }
  try {
    expect(seen).toEqual(expected)
    return []
  } catch (fault) {
    console.log(`run ${n}: ${JSON.stringify(seen)}`)
    return [`run ${n}: ${(fault as Error).message}`]
  }
}

/** One engine of those on a database, which has the same port in all its lives. */
class Lives implements Disposable {
  current!: EngineProcess
  readonly #data = new DataDirectory()
  readonly #env: NodeJS.ProcessEnv
  readonly #port: number

  constructor(port: number, env: NodeJS.ProcessEnv) {
    this.#port = port
    const advertised = `ws://127.0.0.1:${port}/api/v1/workers/attach`
    this.#env = { ...env, SERVICE_ADVERTISE_URL: advertised, SERVICE_WORKER_RESUME_S: String(RESUME_S) }
  }

  get path(): string {
    return this.#data.path
  }

  async begin(): Promise<EngineProcess> {
    this.current = await this.#data.start(this.#env, String(this.#port))
    return this.current
  }

  [Symbol.dispose](): void {
    this.#data[Symbol.dispose]()
  }
}

const isAttached = async ({ client }: EngineProcess): Promise<boolean> =>
  (await client.workers.list()).some(({ status }) => status === 'attached')

/** Kills engines again and again while runs go on; gives what was wrong with the runs, and how many went on. */
async function underKills(
  name: string,
  engines: readonly Lives[],
): Promise<{ wrong: string[]; wentOn: number; runs: number }> {
  const random = randomFrom(seed)
  const begun = performance.now()
  for (const engine of engines) {
    // oxlint-disable-next-line no-await-in-loop -- the first makes the tables
    await engine.begin()
  }
  const [first] = engines as [Lives]
  const folder = join(first.path, 'ledger')
  mkdirSync(folder)
  await publishFlow(first.current.client, 'lanes', lanes(folder))
  const agent = await startAgent(first.current, 'far', { args: ['--parallel', '4'] })
  onTestFailed(() => console.log(agent.output()))
  const runs: string[] = []
  const submit = async (): Promise<void> => {
    const { id } = await first.current.client.http.runs.submit({ name: 'lanes', params: { n: runs.length } })
    runs.push(id)
  }
  const active = async (): Promise<number> =>
    (await first.current.client.runs.list({ flow: 'lanes', limit: 500 })).filter(({ status }) =>
      ['queued', 'running'].includes(status),
    ).length
  let wasEarly = false
  for (let kill = 0; kill < kills; kill += 1) {
    for (let left = await active(); left < 2; left += 1) await submit()
    const engine = engines[Math.floor(random() * engines.length)] as Lives
    // some engines do not live to see the worker again, but no two in a row: it gives up one day
    const isEarly: boolean = random() < 0.3 && !wasEarly
    wasEarly = isEarly
    if (!isEarly) await expect.poll(() => isAttached(engine.current)).toBe(true)
    await delay(random() * (isEarly ? 300 : 1200))
    await engine.current.end('SIGKILL')
    await engine.begin()
  }
  await expect.poll(active).toBe(0)
  const { client } = first.current
  const wrong = (await Promise.all(runs.map((id, n) => faultsOf(client, id, n, folder)))).flat()
  const events = await client.observability.events({ action: 'run.go_on', limit: 500 })
  const tookS = Math.round((performance.now() - begun) / 1000)
  console.log(
    `${name}: SEED=${seed} KILLS=${kills}: ${runs.length} runs, which went on ${events.length} times, ${tookS} s`,
  )
  expect(await agent.end('SIGTERM')).toBe(0)
  return { wrong, wentOn: events.length, runs: runs.length }
}

describe.skipIf(python === null)('engines that are killed while a worker has calls of their runs', () => {
  test(
    'go on with the runs: each result counts once, no stage is executed twice, and no run is lost: embedded [U23]',
    async () => {
      using engine = new Lives(await freePort(), {})
      const { wrong, wentOn } = await underKills('embedded', [engine])
      expect(wrong).toEqual([])
      expect(wentOn).toBeGreaterThan(0)
    },
    timeout,
  )

  test('leave a call to the next engine when they are stopped, and a cancellation before its worker is back holds [U23]', async () => {
    using lives = new Lives(await freePort(), {})
    const first = await lives.begin()
    await publishFlow(first.client, 'hold', pythonFlow(holding, { worker: 'far', settings: { folder: lives.path } }))
    const agent = await startAgent(first, 'far', { args: ['--parallel', '1'] })
    const held = await first.client.http.runs.submit({ name: 'hold', params: { n: 1 } })
    const ledger = (n: number) => readFileSync(join(lives.path, `held-${n}`), 'utf8')
    await expect.poll(() => existsSync(join(lives.path, 'held-1'))).toBe(true)
    expect(await first.end('SIGTERM')).toBe(0)

    const second = await lives.begin()
    await expect.poll(() => agent.output()).toContain('attached again as "far": 1 call goes on')
    expect((await second.client.http.runs.get({ id: held.id })).status).toBe('running')
    await second.end('SIGKILL')

    const third = await lives.begin()
    expect((await third.client.http.runs.cancel({ id: held.id })).status).toBe('cancelled')
    // its process is gone, or the next call would have no place
    writeFileSync(join(lives.path, 'gate-2'), '')
    const next = await third.client.http.runs.submit({ name: 'hold', params: { n: 2 } })
    await expect.poll(async () => (await third.client.http.runs.get({ id: next.id })).status).toBe('ok')
    expect((await third.client.http.runs.get({ id: held.id })).status).toBe('cancelled')
    expect([ledger(1), ledger(2)]).toEqual(['begun\n', 'begun\nended\n'])
    expect(await agent.end('SIGTERM')).toBe(0)
    expect(await third.end('SIGTERM')).toBe(0)
  })

  describe.skipIf(!findPostgres())('on a PostgreSQL server', () => {
    const databases = useServerDatabases()

    test(
      'go on with the runs, of either of two engines: server [U23]',
      async () => {
        const shared = { ...(await databases.env('kept')), SERVICE_RUN_LEASE_S: '2', SERVICE_RUN_RENEW_S: '1' }
        using artifacts = new DataDirectory()
        const env = { ...shared, SERVICE_ARTIFACTS_DIR: artifacts.path }
        using left = new Lives(await freePort(), env)
        using right = new Lives(await freePort(), env)
        const { wrong, wentOn } = await underKills('server', [left, right])
        expect(wrong).toEqual([])
        expect(wentOn).toBeGreaterThan(0)
      },
      timeout,
    )
  })
})
