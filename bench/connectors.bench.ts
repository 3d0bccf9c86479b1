/**
 * A thousand connectors that each take a reading a second, in a whole engine, against the same readings taken by bare
 * timers: how late the event loop is, and how much of a core it takes. One reading in ten is another than the one before.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'

import { createService } from '@flow-service/api-server'
import { createClient } from '@flow-service/client-sdk'
import { Connector } from '@flow-service/connector-sdk'
import { afterAll, expect, test } from 'vitest'

const NODES = 1000
const FLOWS = 10
const SECONDS = 20
const TARGET = { lagMs: 20, share: 0.15 }

const dir = mkdtempSync(join(tmpdir(), 'bench-connectors-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

let readings = 0
/** A reading as fast as one can be. */
async function read(at: number): Promise<{ power: number }> {
  readings++
  return { power: Math.floor((readings + at) / (NODES * 10)) }
}

class Meter extends Connector<typeof Meter.Params, typeof Meter.ports> {
  static readonly contract = 1
  static override readonly ports = { outputs: { power: 'float' } } as const
  static #made = 0
  readonly #at = (Meter.#made++ * 9973) % (NODES * 10)
  override poll() {
    return read(this.#at)
  }
}

interface Load {
  /** 99 of 100 turns of the loop are later by less than this, in milliseconds. */
  readonly lagMs: number
  /** Share of its time that the thread of the loop works. */
  readonly loop: number
  /** CPU time of the whole process, the thread of the database too, as a share of one core. */
  readonly cpu: number
  readonly perSecond: number
}

/** What the process does in some seconds. */
async function measured(): Promise<Load> {
  await sleep(3000)
  const lag = monitorEventLoopDelay({ resolution: 1 })
  const [before, cpu, utilization] = [readings, process.cpuUsage(), performance.eventLoopUtilization()]
  lag.enable()
  await sleep(SECONDS * 1000)
  lag.disable()
  const { user, system } = process.cpuUsage(cpu)
  return {
    // the histogram counts the time between two turns, one millisecond of it wanted
    lagMs: lag.percentile(99) / 1e6 - 1,
    loop: performance.eventLoopUtilization(utilization).utilization,
    cpu: (user + system) / (SECONDS * 1e6),
    perSecond: (readings - before) / SECONDS,
  }
}

const told = (name: string, { lagMs, loop, cpu, perSecond }: Load): string =>
  `${name}: ${Math.round(perSecond)} readings/s, p99 ${lagMs.toFixed(1)} ms late, loop ${(loop * 100).toFixed(1)} %, ` +
  `process ${(cpu * 100).toFixed(1)} % of a core`

test('a thousand connectors that are read each second leave the loop free', { timeout: 300_000 }, async () => {
  const timers = Array.from({ length: NODES }, (_, at) => setInterval(() => void read(at), 1000))
  const bare = await measured()
  for (const timer of timers) clearInterval(timer)

  const connectors = [{ package: 'acme', version: '1.0.0', nodeTypes: { acme_meter: Meter } }]
  const service = await createService({ dataDir: dir, port: 0, environment: 'local', logLevel: 'silent', connectors })
  const { baseUrl } = await service.listen()
  const client = createClient({ baseUrl, token: await service.superuserToken() })
  for (let flow = 0; flow < FLOWS; flow++) {
    const nodes = Array.from({ length: NODES / FLOWS }, (_, at) => ({
      id: `meter_${at}`,
      type: 'acme_meter',
      settings: { poll_interval: 1 },
      ports: [{ direction: 'output' as const, name: `power_${at}`, port: 'power', dtype: 'float' as const }],
    }))
    const name = `house_${flow}`
    const { version } = await client.http.flows.save({ name, flowDocument: { mode: 'live', nodes } })
    await client.http.flows.publish({ name, version })
    await client.http.flows.start({ name })
  }
  const engine = await measured()
  await service.close()
  console.log(`${told('bare timers', bare)}\n${told('connectors', engine)}`)
  expect(engine.perSecond).toBeGreaterThan(NODES * 0.98)
  expect(engine.lagMs).toBeLessThan(TARGET.lagMs)
  expect(engine.cpu - bare.cpu).toBeLessThan(TARGET.share)
})
