/**
 * 1,000 devices that each send a value a second and follow the two beside them, against a bare `ws` relay with the same
 * traffic in alternating rounds: the age of a value when it reaches a device, and what a device costs in memory; then the
 * same beside a device that sends as fast as its connection takes it. Servers, devices and the flood are processes of their
 * own; the judged figures are ratios and bounds that hold on two cores.
 */
import type { ChildProcess } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'

import { expect, test } from 'vitest'

import { ask, useServers } from './child-servers.ts'

const DEVICES = 1000
const SECONDS = 3
const ROUNDS = 3
/** What every device may send at once is over by then, in milliseconds. */
const BURST_MS = 1000
const { startAt } = useServers('--expose-gc')

interface Server {
  readonly child: ChildProcess
  readonly url: string
  readonly credentials: readonly string[]
}
interface Report {
  readonly p50: number
  readonly p99: number
  /** CPU time of the server for a value of a device, in microseconds. */
  readonly cpuUs: number
}

async function startServer(file: string): Promise<Server> {
  const { child, at } = await startAt<Omit<Server, 'child'>>(file, String(DEVICES))
  return { child, ...at }
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN
const show = (reports: readonly Report[]): string =>
  `p50 ${median(reports.map(({ p50 }) => p50)).toFixed(1)} ms, p99 ${median(reports.map(({ p99 }) => p99)).toFixed(1)} ms, ` +
  `${median(reports.map(({ cpuUs }) => cpuUs)).toFixed(0)} µs of CPU a value`

test(`${DEVICES} devices hear those beside them, and a flood of one costs the others nothing`, async () => {
  const [service, bare] = await Promise.all([startServer('device-service.ts'), startServer('bare-devices.ts')])
  const { child: devices } = await startAt('device-clients.ts')
  const flood = await startAt<string[]>('device-flood.ts')
  const sides = { service, bare }

  /** Bytes that each device takes of a server. */
  const connect = async (side: keyof typeof sides): Promise<number> => {
    const { child, url, credentials } = sides[side]
    const before = await ask<number>(child, 'memory')
    await ask(devices, { order: 'connect', side, url, credentials: credentials.slice(0, DEVICES) })
    return ((await ask<number>(child, 'memory')) - before) / DEVICES
  }
  const measure = async (side: keyof typeof sides): Promise<Report> => {
    const { child } = sides[side]
    const before = await ask<number>(child, 'cpu')
    const report = await ask<Omit<Report, 'cpuUs'>>(devices, { order: 'measure', side, seconds: SECONDS })
    const cpu = (await ask<number>(child, 'cpu')) - before
    return { ...report, cpuUs: (cpu * 1e6) / (DEVICES * SECONDS) }
  }
  /** The service without and with a flood beside it, in alternating rounds. */
  const flooded = async (kind: string) => {
    const credential = service.credentials[DEVICES]
    const rounds: { quiet: Report; flooded: Report; sent: number }[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const quiet = await measure('service')
      await ask(flood.child, { url: service.url, credential, kind })
      await pause(BURST_MS)
      const report = await measure('service')
      const { sent } = await ask<{ sent: number }>(flood.child, 'stop')
      rounds.push({ quiet, flooded: report, sent })
    }
    return rounds
  }

  const bareBytes = await connect('bare')
  const bytes = await connect('service')
  for (const side of ['bare', 'service'] as const) await measure(side)
  const alone: { service: Report; bare: Report }[] = []
  for (let round = 0; round < ROUNDS; round++)
    alone.push({ bare: await measure('bare'), service: await measure('service') })
  const p99 = median(alone.map((round) => round.service.p99))
  const kilobytes = bytes / 1000
  console.log(
    `devices ${show(alone.map((round) => round.service))}; bare ws ${show(alone.map((round) => round.bare))}; ` +
      `a device takes ${kilobytes.toFixed(1)} kB, of a bare ws ${(bareBytes / 1000).toFixed(1)} kB`,
  )

  const beside: { kind: string; ratio: number }[] = []
  for (const kind of flood.at) {
    const compared = await flooded(kind)
    const ratio = median(compared.map((round) => round.flooded.p99 / round.quiet.p99))
    const sent = compared.reduce((sum, round) => sum + round.sent, 0)
    console.log(
      `beside ${sent} ${kind} ${show(compared.map((round) => round.flooded))}; ` +
        `without ${show(compared.map((round) => round.quiet))}; ratio of p99 ${ratio.toFixed(2)}`,
    )
    beside.push({ kind, ratio })
  }
  expect(p99).toBeLessThan(100)
  expect(kilobytes).toBeLessThan(20)
  expect(beside.filter(({ ratio }) => ratio >= 2)).toEqual([])
}, 600_000)
