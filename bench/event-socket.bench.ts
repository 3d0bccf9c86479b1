/**
 * 2,000 clients of the event socket at 10 values a second against a bare `ws` server that broadcasts the same frames:
 * the age of a value when it reaches a client, in alternating rounds; then the same beside clients that do not read,
 * and what one of those costs. Servers and clients are processes of their own; the judged figures are ratios and
 * bounds that hold on two cores.
 */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'

import { expect, test } from 'vitest'

import { useServers } from './child-servers.ts'

const CLIENTS = 2000
const PER_SECOND = 10
const SECONDS = 4
const ROUNDS = 3
const STALLED = 10
const SETTLE_MS = 5000
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

async function ask<T>(child: ChildProcess, order: string | object): Promise<T> {
  const answer = once(child, 'message')
  child.send(order)
  return (await answer)[0] as T
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
