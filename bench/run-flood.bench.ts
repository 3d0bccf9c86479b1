/**
 * Runs of three built-in nodes as clients meet them: over HTTP, an event socket listening, in an engine as it is without
 * settings. One at a time from POST to `ok`, beside three bare commits; then 1,000 and 10,000 at once, from the POST of a sweep to
 * the `ok` of the last, beside the bare group commit of as many rows, while others submit one after the other. On a server also
 * beside jobs of graphile-worker, which are one function each and leave nothing behind: a commit takes each, another ends it.
 */
import type { ChildProcess } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'

import { type Client, createClient } from '@flow-service/client-sdk'
import { afterAll, expect, test } from 'vitest'

import { openEngine, type TestEngine } from '../packages/api-server/test/runs/engine.ts'
import { findPostgres, type PostgresServer, startPostgres } from '../test/components/postgres.ts'
import { bareCommits, bareGroupRate } from './bare-commits.ts'
import { ask, useServers } from './child-servers.ts'

const SINGLE_RUNS = 200
/** Of floods that are compared, in turns. */
const ROUNDS = 3
/** Between two submissions of others. */
const PAUSE_MS = 20

const { startAt } = useServers()
let server: PostgresServer | null = null
const open: TestEngine[] = []
afterAll(async () => {
  for (const engine of open) await engine[Symbol.asyncDispose]()
  await server?.stop()
})

const change = (id: string, from: string, to: string) => ({
  id,
  type: 'change' as const,
  settings: { scale: 2 },
  ports: [
    { direction: 'input' as const, name: from, port: 'in', dtype: 'float' as const },
    { direction: 'output' as const, name: to, port: 'out', dtype: 'float' as const },
  ],
})
const document = {
  mode: 'batch' as const,
  inputs: [{ name: 'x', dtype: 'float' as const, initial: 2 }],
  outputs: [{ name: 'c' }],
  nodes: [change('first', 'x', 'a'), change('second', 'a', 'b'), change('third', 'b', 'c')],
}
const NAME = 'three'
const run = { name: NAME, no_cache: true }

/** Who listens to the runs of an engine. */
class Listener {
  readonly #waiting = new Map<string, () => void>()
  readonly #early = new Set<string>()
  #ended = 0
  #goal: { readonly ended: number; readonly reached: () => void } | null = null

  constructor(client: Client) {
    void this.#listen(client)
  }

  /** Resolves when the run is over. */
  end(id: string): Promise<void> {
    if (this.#early.delete(id)) return Promise.resolve()
    return new Promise((resolve) => this.#waiting.set(id, resolve))
  }

  /** Resolves when so many runs of sweeps have ended from now on. */
  ends(count: number): Promise<void> {
    return new Promise((reached) => (this.#goal = { ended: this.#ended + count, reached }))
  }

  async #listen(client: Client): Promise<void> {
    for await (const frame of client.events()) {
      if (frame.type !== 'run' || frame.run.status !== 'ok') continue
      if (frame.run.group_id !== null) this.#ended++
      if (this.#ended === this.#goal?.ended) this.#goal.reached()
      const tell = this.#waiting.get(frame.run.id)
      this.#waiting.delete(frame.run.id)
      if (tell) tell()
      else this.#early.add(frame.run.id)
    }
  }
}

const share = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? Number.NaN

/** Milliseconds from POST to `ok`, one at a time. */
async function single(client: Client, listener: Listener): Promise<number[]> {
  const times: number[] = []
  for (let at = 0; at < SINGLE_RUNS; at++) {
    const startedMs = performance.now()
    const { id } = await client.http.runs.submit(run)
    await listener.end(id)
    times.push(performance.now() - startedMs)
  }
  return times
}

/** Runs a second of a sweep, and what submissions take meanwhile, in milliseconds. */
async function flood(client: Client, listener: Listener, runs: number) {
  const startedMs = performance.now()
  let isOver = false
  const over = listener.ends(runs).then(() => (isOver = true))
  await client.http.runs.sweep({ name: NAME, no_cache: true, runs: Array.from({ length: runs }, (_, x) => ({ x })) })
  const queuedMs = performance.now() - startedMs
  const submissions: number[] = []
  while (!isOver) {
    const submittedMs = performance.now()
    await client.http.runs.submit({ ...run, priority: -1 })
    submissions.push(performance.now() - submittedMs)
    await Promise.race([over, pause(PAUSE_MS)])
  }
  return { perSecond: (runs * 1000) / (performance.now() - startedMs), queuedMs, submissions }
}

async function started(backend: 'embedded' | 'server') {
  if (backend === 'server') server ??= await startPostgres(findPostgres() ?? '', { fsync: true })
  const on = backend === 'server' ? server : null
  const newDatabase = async () => (on ? { databaseUrl: await on.createDatabase(crypto.randomUUID()) } : {})
  const { databaseUrl } = await newDatabase()
  const { at } = await startAt<{ baseUrl: string; token: string }>(
    'service-drain.ts',
    ...(databaseUrl === undefined ? [] : [databaseUrl]),
  )
  const client = createClient(at)
  await client.flows.save(NAME, document)
  await client.flows.publish(NAME, { version: 1 })
  const engine = await openEngine({ closed: true, ...(await newDatabase()) })
  open.push(engine)
  return { client, bare: engine.database.sql }
}

for (const { backend, least, most } of [
  { backend: 'embedded', least: 0.012, most: 12 },
  { backend: 'server', least: 0.008, most: 25 },
] as const) {
  test(`runs as clients meet them, on the ${backend} database`, async () => {
    const { client, bare } = await started(backend)
    const listener = new Listener(client)
    await single(client, listener)
    const times = await single(client, listener)
    const commits = await bareCommits(bare, { times: SINGLE_RUNS, commits: 3 })
    console.log(
      `${backend}, POST to ok: p50 ${share(times, 0.5).toFixed(1)} ms, p99 ${share(times, 0.99).toFixed(1)} ms; ` +
        `three bare commits ${share(commits, 0.5).toFixed(1)} and ${share(commits, 0.99).toFixed(1)} ms`,
    )
    for (const runs of [1_000, 10_000]) {
      const limit = await bareGroupRate(bare, runs)
      const { perSecond, queuedMs, submissions } = await flood(client, listener, runs)
      console.log(
        `${backend}, ${runs} at once: ${Math.round(perSecond)}/s (queued in ${Math.round(queuedMs)} ms); ` +
          `bare group commit ${Math.round(limit)}/s: ratio ${(perSecond / limit).toFixed(2)}; ` +
          `submissions meanwhile p50 ${share(submissions, 0.5).toFixed(1)} ms, p99 ${share(submissions, 0.99).toFixed(1)} ms`,
      )
      expect(perSecond / limit).toBeGreaterThan(least)
    }
    expect(share(times, 0.5) / share(commits, 0.5)).toBeLessThan(most)
  })
}

test('10,000 runs on a server beside as many jobs of graphile-worker', async () => {
  const { client } = await started('server')
  const listener = new Listener(client)
  const jobs = new Map<number, ChildProcess>()
  for (const loops of [1, 8]) {
    const url = await server!.createDatabase(crypto.randomUUID())
    jobs.set(loops, (await startAt('graphile-jobs.ts', url, String(loops))).child)
  }
  const rates: Record<'runs' | 'one' | 'eight', number[]> = { runs: [], one: [], eight: [] }
  await flood(client, listener, 2_000)
  for (let round = 0; round < ROUNDS; round++) {
    rates.runs.push((await flood(client, listener, 10_000)).perSecond)
    rates.one.push(await ask<number>(jobs.get(1)!, { jobs: 10_000 }))
    rates.eight.push(await ask<number>(jobs.get(8)!, { jobs: 10_000 }))
  }
  const [runs, one, eight] = [rates.runs, rates.one, rates.eight].map((all) => share(all, 0.5))
  const all = Object.entries(rates).map(([name, of]) => `${name} ${of.map(Math.round).join(' ')}`)
  console.log(
    `10,000 runs of three nodes ${Math.round(runs!)}/s; jobs of graphile-worker ${Math.round(one!)}/s by one loop, as it is without ` +
      `settings, and ${Math.round(eight!)}/s by eight: ratios ${(runs! / one!).toFixed(2)} and ${(runs! / eight!).toFixed(2)} (${all.join('; ')})`,
  )
  expect(runs! / one!).toBeGreaterThan(1)
  expect(runs! / eight!).toBeGreaterThan(0.5)
})
