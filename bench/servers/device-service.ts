/**
 * What devices.bench.ts measures: a service with paired devices, each of which publishes one message and follows those of
 * the two devices beside it, and one more device for floods.
 */
import { createClient } from '@flow-service/client-sdk'
import type { PairingStarted } from '@flow-service/protocol'

import { startBenchService } from './bench-service.ts'
import { cpuNow, memoryNow } from './usage.ts'

const count = Number(process.argv[2])
/** Devices that are paired at a time. */
const PARALLEL = 8
/** Device nodes of a flow. */
const NODES = 100
const { baseUrl, token } = await startBenchService(undefined, [], { trustProxy: 1 })
const client = createClient({ baseUrl, token })

/** Boards ask from an address of their own each, as behind a proxy: starts are limited by address. */
async function pair(id: string, at: number): Promise<string> {
  await client.http.devices.create({ id })
  const headers = { 'content-type': 'application/json', 'x-forwarded-for': `10.${at >> 8}.${at & 255}.1` }
  const answer = await fetch(`${baseUrl}/devices/pair`, { method: 'POST', headers, body: '{}' })
  const { code, secret } = (await answer.json()) as PairingStarted
  await client.http.devices.pair({ id, body: { code } })
  const polled = await fetch(`${baseUrl}/devices/pair/${code}`, {
    headers: { authorization: `Bearer ${secret}`, 'x-forwarded-for': headers['x-forwarded-for'] },
  })
  return ((await polled.json()) as { device: { credential: string } }).device.credential
}

const name = (at: number): string => `level${(at + count) % count}`
const flowOf = (at: number): string => `bench${Math.floor(((at + count) % count) / NODES)}`

async function run(flow: string, nodes: readonly object[]): Promise<void> {
  const { version } = await client.http.flows.save({ name: flow, flowDocument: { mode: 'live', nodes } as never })
  await client.http.flows.publish({ name: flow, version })
  await client.http.flows.start({ name: flow })
}

const output = (port: string, message: string, dtype = 'float') => ({ direction: 'output', name: message, port, dtype })
const input = (port: string, message: string) => ({ direction: 'input', name: message, port, dtype: 'float' })

const ids = Array.from({ length: count }, (_, at) => `device${at}`)
const credentials: string[] = []
let next = 0
const worker = async (): Promise<void> => {
  for (let at = next++; at <= count; at = next++) credentials[at] = await pair(ids[at] ?? 'flooder', at)
}
await Promise.all(Array.from({ length: PARALLEL }, worker))
for (let from = 0; from < count; from += NODES) {
  const nodes = ids.slice(from, from + NODES).map((device, index) => {
    const at = from + index
    const followed = [at - 1, at + 1].map((beside) => `${flowOf(beside)}.${name(beside)}`)
    return {
      id: device,
      type: 'device',
      settings: { device },
      ports: [output('level', name(at)), input('left', followed[0] ?? ''), input('right', followed[1] ?? '')],
    }
  })
  await run(flowOf(from), nodes)
}
const flooder = { id: 'flooder', type: 'device', settings: { device: 'flooder' } }
await run('flood', [{ ...flooder, ports: [output('said', 'said', 'any'), output('camera', 'camera', 'image')] }])

process.on('message', (order: 'cpu' | 'memory') => {
  if (order === 'cpu') process.send?.(cpuNow())
  else void memoryNow().then((bytes) => process.send?.(bytes))
})
process.send?.({ url: `${baseUrl.replace('http', 'ws')}/flows/ws`, credentials })
