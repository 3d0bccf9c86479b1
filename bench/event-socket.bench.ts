/**
 * 2,000 clients of the event socket at 10 values a second against a bare `ws` server that broadcasts the same frames:
 * the age of a value when it reaches a client, in alternating rounds; then the same beside clients that do not read,
 * and what one of those costs. Then a flood for 100 clients against frames that are made once for all of them.
 * Servers and clients are processes of their own; the judged figures are ratios and bounds that hold on two cores.
 */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'

import { expect, test } from 'vitest'

import { ask, useServers } from './child-servers.ts'

const CLIENTS = 2000
const PER_SECOND = 10
const SECONDS = 4
const ROUNDS = 3
const STALLED = 10
const SETTLE_MS = 5000
const FLOOD_CLIENTS = 100
const FLOOD_SECONDS = 5
const { start, startAt } = useServers('--expose-gc')

interface Server {
  readonly child: ChildProcess
  readonly url: string
  readonly token: string
}
interface Report {
  readonly frames: number
  readonly p50: number
  readonly p99: number
  /** CPU time of the server for a value at a client, in microseconds. */
  readonly cpuUs: number
}

async function startServer(file: string): Promise<Server> {
  const { child, at } = await startAt<Omit<Server, 'child'>>(file)
  return { child, ...at }
}

/** Ages of the values of a few seconds at all clients of a server. */
async function measure({ child }: Server, clients: ChildProcess): Promise<Report> {
  await ask(clients, { order: 'measure' })
  const before = await ask<number>(child, 'cpu')
  for (let at = 0; at < SECONDS * PER_SECOND; at++) {
    child.send('publish')
    await pause(1000 / PER_SECOND)
  }
  const frames = CLIENTS * SECONDS * PER_SECOND
  const report = await ask<Omit<Report, 'cpuUs'>>(clients, { order: 'report', count: frames })
  expect(report.frames).toBe(frames)
  return { ...report, cpuUs: (((await ask<number>(child, 'cpu')) - before) * 1e6) / frames }
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN
const show = (reports: readonly Report[]): string =>
  `p50 ${median(reports.map(({ p50 }) => p50)).toFixed(1)} ms, p99 ${median(reports.map(({ p99 }) => p99)).toFixed(1)} ms, ` +
  `${median(reports.map(({ cpuUs }) => cpuUs)).toFixed(1)} µs of CPU a frame`

test('2,000 clients hear 10 values a second, about as soon as from a bare ws server', async () => {
  const [service, bare] = await Promise.all([startServer('event-service.ts'), startServer('bare-events.ts')])
  const clients = start('event-clients.ts')
  await once(clients, 'message')
  for (const [{ url, token }, query] of [
    [service, '?flows=bench'],
    [bare, ''],
  ] as const)
    await ask(clients, { order: 'connect', url: url + query, token, count: CLIENTS })

  await measure(service, clients)
  const rounds: { service: Report; bare: Report }[] = []
  for (let round = 0; round < ROUNDS; round++)
    rounds.push({ service: await measure(service, clients), bare: await measure(bare, clients) })

  // values that nobody holds, so that only the readers that stall make the difference
  await ask(service.child, 'flood')
  const before = await ask<number>(service.child, 'memory')
  await ask(clients, { order: 'stall', url: service.url, token: service.token, count: STALLED })
  await ask(service.child, 'flood')
  const each = (await ask<number>(service.child, 'memory')) - before
  // the flood is still being stored
  await pause(SETTLE_MS)
  const beside: Report[] = []
  for (let round = 0; round < ROUNDS; round++) beside.push(await measure(service, clients))

  const ratio = median(rounds.map((round) => round.service.p99 / round.bare.p99))
  const cpu = median(rounds.map((round) => round.service.cpuUs / round.bare.cpuUs))
  const alone = median(rounds.map((round) => round.service.p99))
  const stalled = median(beside.map(({ p99 }) => p99))
  const megabytes = each / STALLED / 1024 / 1024
  console.log(
    `event socket ${show(rounds.map((round) => round.service))}; bare ws ${show(rounds.map((round) => round.bare))}: ` +
      `ratio of p99 ${ratio.toFixed(2)}, of CPU ${cpu.toFixed(2)}; beside ${STALLED} stalled clients ${show(beside)}, ` +
      `one of which costs ${megabytes.toFixed(1)} MB`,
  )
  expect(alone).toBeLessThan(100)
  expect(ratio).toBeLessThan(1.5)
  expect(cpu).toBeLessThan(1.5)
  expect(stalled).toBeLessThan(alone * 1.1 + 5)
  expect(megabytes).toBeLessThan(6)
}, 300_000)

interface Flood {
  /** Values that one client has read. */
  readonly values: number
  /** Bytes at all other clients. */
  readonly bytes: number
  /** Of the text of a value. */
  readonly size: number
  /** CPU time of the server for a value at a client, in microseconds. */
  readonly cpuUs: number
}

/** What all values of a few seconds cost a server whose clients all listen to the same. */
async function flood({ child }: Server, clients: ChildProcess): Promise<Flood> {
  await ask(child, 'start')
  await pause(1000)
  await ask(clients, { order: 'measure' })
  const before = await ask<number>(child, 'cpu')
  await pause(FLOOD_SECONDS * 1000)
  const spent = (await ask<number>(child, 'cpu')) - before
  const report = await ask<Omit<Flood, 'cpuUs'>>(clients, { order: 'report' })
  await ask(child, 'stop')
  return { ...report, cpuUs: (spent * 1e6) / (report.values * FLOOD_CLIENTS) }
}

const showFlood = (rounds: readonly Flood[]): string =>
  `${median(rounds.map(({ cpuUs }) => cpuUs)).toFixed(3)} µs of CPU a value at a client, ` +
  `${median(rounds.map(({ values }) => (values * FLOOD_CLIENTS) / FLOOD_SECONDS / 1e6)).toFixed(2)} M a second, ` +
  `${median(rounds.map(({ size }) => size)).toFixed(0)} bytes each`

test('100 clients hear 11,000 values a second, near the cost of frames that are made once for all', async () => {
  const [service, bare] = await Promise.all([startServer('canvas-service.ts'), startServer('bare-flood.ts')])
  const rounds: { service: Flood; bare: Flood }[] = []
  const audience = async ({ url, token }: Server): Promise<ChildProcess> => {
    const clients = start('flood-clients.ts')
    await once(clients, 'message')
    await ask(clients, { order: 'connect', url, token, count: FLOOD_CLIENTS })
    return clients
  }
  const [ours, theirs] = [await audience(service), await audience(bare)]
  await flood(service, ours)
  for (let round = 0; round < ROUNDS; round++)
    rounds.push({ service: await flood(service, ours), bare: await flood(bare, theirs) })

  const ratio = median(rounds.map((round) => round.service.cpuUs / round.bare.cpuUs))
  const bytes = median(rounds.map((round) => round.service.size / round.bare.size))
  console.log(
    `event socket ${showFlood(rounds.map((round) => round.service))}; shared frames ` +
      `${showFlood(rounds.map((round) => round.bare))}: ratio of CPU ${ratio.toFixed(2)}, of bytes ${bytes.toFixed(2)}`,
  )
  expect(ratio).toBeLessThan(2)
  expect(bytes).toBeLessThan(1.2)
}, 300_000)
