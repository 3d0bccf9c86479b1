/**
 * A boiler that speaks Modbus TCP: its temperature is read, and its pump switched. The boiler is a server of pymodbus; with
 * one of your own, set `host` and the registers of its manual.
 */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { createService } from '@flow-service/api-server'
import { createClient } from '@flow-service/client-sdk'
import { Modbus } from '@flow-service/connector-modbus'
import { liveFlow, node, nodeType, t } from '@flow-service/flow-sdk'

import { startModbusServer } from '../../test/components/modbus-server.ts'

const boiler = await startModbusServer({
  // tenths of a degree, and energy in kWh with the lesser word first
  input: [
    { address: 100, type: 'INT16', values: [485] },
    { address: 101, type: 'UINT16', values: [0x5e10, 0x0001] },
  ],
  holding: [{ address: 12, type: 'INT16', values: [300] }],
  coil: [{ address: 3, type: 'BITS', values: [true] }],
}).catch(({ message }: Error) => {
  console.error(`modbus: ${message}`)
  process.exit(1)
})

const device = nodeType('modbus', {
  settings: {
    host: '127.0.0.1',
    port: boiler.port,
    poll_interval: 0.2,
    registers: {
      water: { area: 'input', address: 100, type: 'int16', scale: 0.1 },
      energy: { area: 'input', address: 101, type: 'uint32', word_order: 'little' },
      target: { address: 12, type: 'int16', scale: 0.1, writable: true, min: 30, max: 60 },
      pump: { area: 'coil', address: 3, writable: true },
    },
  },
  in: { target: t.float, pump: t.bool },
  out: { water: t.float, energy: t.int, target: t.float, pump: t.bool },
})

const decide = node('decide', {
  in: { water: t.float },
  out: { run: t.bool },
  run: ({ water }) => ({ run: water < 45 }),
})

const heating = liveFlow(
  'heating',
  { wanted: t.float, water: t.float, run: t.bool, energy: t.int, reached: t.float, running: t.bool },
  (m, use) => {
    const out = { water: m.water, energy: m.energy, target: m.reached, pump: m.running }
    use(device, { target: m.wanted, pump: m.run }, { id: 'boiler', out })
    use(decide, { water: m.water }, { out: { run: m.run } })
  },
)

/** Waits for a value. */
async function until<T>(values: AsyncIterable<{ readonly value: T }>, wanted: T): Promise<void> {
  for await (const { value } of values) if (value === wanted) return
}

const dataDir = await mkdtemp(join(tmpdir(), 'modbus-'))
const service = await createService({
  dataDir,
  port: 0,
  logLevel: 'warn',
  environment: 'local',
  flows: [heating],
  connectors: [{ package: '@flow-service/connector-modbus', version: '0.0.0', nodeTypes: { modbus: Modbus } }],
})
try {
  const { baseUrl } = await service.listen()
  const client = createClient({ baseUrl, token: await service.superuserToken() })
  await client.flows.start(heating.name)
  // the water is warm: the flow switches the pump off, and reads so from the device
  await until(client.subscribe(heating.messages.running), false)
  await client.publish(heating.messages.wanted, 52.5)
  await until(client.subscribe(heating.messages.reached), 52.5)
  const messages = await client.messages.list()
  assert.equal(messages.find(({ name }) => name === 'heating.energy')?.value, 89_616)
  console.log('modbus: the pump is off, and the boiler is set to 52.5 degrees')
} finally {
  await service.close()
  await boiler.stop()
  await rm(dataDir, { recursive: true, force: true })
}
