/** The node against a device of another maker: a server of pymodbus, which packs and unpacks values itself. */
import { describe, expect, onTestFinished, test } from 'vitest'

import { hasModbusServer, type ModbusDevice, startModbusServer } from '../../../../test/components/modbus-server.ts'
import { started } from './modbus-rigs.ts'

async function deviceOf(tables: ModbusDevice) {
  const server = await startModbusServer(tables)
  onTestFinished(() => server.stop())
  return server
}

describe.skipIf(!hasModbusServer())('with pymodbus', () => {
  test('values of all types are read, neighbours in one request, and published as one delivery', async () => {
    const server = await deviceOf({
      unit: 7,
      holding: [
        { address: 10, type: 'UINT16', values: [65_535] },
        { address: 11, type: 'INT16', values: [-2] },
        { address: 12, type: 'UINT32', values: [4_000_000_000] },
        { address: 14, type: 'INT32', values: [-70_000] },
        { address: 16, type: 'FLOAT32', values: [1.5] },
        { address: 18, type: 'FLOAT64', values: [Math.PI] },
        // the lesser word first
        { address: 22, type: 'UINT16', values: [0x5e10, 0x0001] },
      ],
      input: [{ address: 0, type: 'INT16', values: [-35] }],
      coil: [{ address: 100, type: 'BITS', values: [true, false, true, true, true, true, true, true, false, true] }],
      discrete: [{ address: 5, type: 'BITS', values: [true] }],
    })
    const outputs = {
      a: 'int',
      b: 'int',
      c: 'int',
      d: 'int',
      e: 'float',
      f: 'float',
      g: 'int',
      outside: 'float',
      pump: 'bool',
      valve: 'bool',
      door: 'bool',
      alarm: 'bool',
    } as const
    const registers = {
      a: { address: 10 },
      b: { address: 11, type: 'int16' },
      c: { address: 12, type: 'uint32' },
      d: { address: 14, type: 'int32' },
      e: { address: 16, type: 'float32' },
      f: { address: 18, type: 'float64' },
      g: { address: 22, type: 'uint32', word_order: 'little' },
      outside: { area: 'input', address: 0, type: 'int16', scale: 0.1 },
      pump: { area: 'coil', address: 100 },
      valve: { area: 'coil', address: 101 },
      door: { area: 'coil', address: 109 },
      alarm: { area: 'discrete', address: 5 },
      unwired: { address: 4000 },
    }
    const rig = await started(server.port, { unit: 7, registers }, { outputs })
    await rig.advance(0)
    await expect.poll(() => rig.emitted).toHaveLength(1)
    expect(rig.emitted[0]).toEqual({
      a: 65_535,
      b: -2,
      c: 4_000_000_000,
      d: -70_000,
      e: 1.5,
      f: Math.PI,
      g: 89_616,
      outside: -3.5,
      pump: true,
      valve: false,
      door: true,
      alarm: true,
    })
    await expect
      .poll(() => server.requests)
      .toEqual([
        { function: 1, address: 100, count: 2 },
        { function: 1, address: 109, count: 1 },
        { function: 2, address: 5, count: 1 },
        { function: 3, address: 10, count: 14 },
        { function: 4, address: 0, count: 1 },
      ])
  })

  test('more registers than a request may have are read in several, and no value is torn', async () => {
    const server = await deviceOf({
      holding: [{ address: 0, type: 'UINT32', values: Array.from({ length: 100 }, (_, at) => at * 100_000) }],
    })
    const names = Array.from({ length: 100 }, (_, at) => `r${at}`)
    const registers = Object.fromEntries(names.map((name, at) => [name, { address: at * 2, type: 'uint32' }]))
    const outputs = Object.fromEntries(names.map((name) => [name, 'int'] as const))
    const rig = await started(server.port, { registers }, { outputs })
    await rig.advance(0)
    await expect.poll(() => rig.emitted).toHaveLength(1)
    expect(rig.emitted[0]).toEqual(Object.fromEntries(names.map((name, at) => [name, at * 100_000])))
    await expect
      .poll(() => server.requests.map(({ address, count }) => [address, count]))
      .toEqual([
        [0, 124],
        [124, 76],
      ])
  })

  test('values that arrive are written, one by the functions for one and neighbours together', async () => {
    const server = await deviceOf({
      holding: [
        { address: 0, type: 'UINT16', values: [0, 0, 0] },
        { address: 3, type: 'FLOAT32', values: [0, 0] },
      ],
      coil: [{ address: 0, type: 'BITS', values: [false, false, false, false] }],
    })
    const holding = (address: number, more: object = {}) => ({ address, writable: true, ...more })
    const coil = (address: number) => ({ area: 'coil', address, writable: true })
    const registers = {
      speed: holding(0),
      level: holding(1, { type: 'int16', scale: 0.1 }),
      mode: holding(2, { type: 'bool' }),
      target: holding(3, { type: 'float32', word_order: 'big' }),
      fan: coil(0),
      pump: coil(1),
      light: coil(3),
    }
    const inputs = {
      speed: 'int',
      level: 'float',
      mode: 'bool',
      target: 'float',
      fan: 'bool',
      pump: 'bool',
      light: 'bool',
    } as const
    const rig = await started(server.port, { registers, poll_interval: 60 }, { inputs, outputs: inputs })
    await rig.advance(0)
    await expect.poll(() => rig.emitted).toHaveLength(1)
    await rig.arrive({ speed: 1500 })
    await rig.arrive({ light: true })
    await rig.arrive({ target: 21.5 })
    await rig.arrive({ speed: 40, level: -12.34, mode: true, fan: true, pump: true })
    // behind those of the reading
    await expect
      .poll(() => server.requests.slice(3))
      .toEqual([
        { function: 6, address: 0, count: expect.any(Number) },
        { function: 5, address: 3, count: expect.any(Number) },
        { function: 16, address: 3, count: 2 },
        { function: 15, address: 0, count: 2 },
        { function: 16, address: 0, count: 3 },
      ])
    await rig.advance(60)
    await expect.poll(() => rig.emitted).toHaveLength(2)
    expect(rig.emitted[1]).toEqual({
      speed: 40,
      level: -12.3,
      mode: true,
      target: 21.5,
      fan: true,
      pump: true,
      light: true,
    })
  })

  test('an address that the unit does not have is told by its register, and the others are read', async () => {
    const server = await deviceOf({ holding: [{ address: 0, type: 'UINT16', values: [1, 2] }] })
    const registers = { a: { address: 0 }, b: { address: 1 }, c: { address: 2 } }
    const rig = await started(server.port, { registers }, { outputs: { a: 'int', b: 'int', c: 'int' } })
    await rig.advance(0)
    await expect.poll(() => rig.emitted).toEqual([{ a: 1, b: 2 }])
    expect(rig.health).toEqual([
      {
        status: 'degraded',
        message: `127.0.0.1:${server.port} unit 1 refuses holding register 2 ("c"): illegal data address (2); check "address", "area" and "type" of the register`,
      },
    ])
    // from then on each is asked for by itself
    server.requests.length = 0
    await rig.advance(1)
    await expect
      .poll(() => server.requests.map(({ address, count }) => [address, count]))
      .toEqual([
        [0, 1],
        [1, 1],
        [2, 1],
      ])
  })

  test('a write that the unit refuses fails the execution, and the next one that it takes is well', async () => {
    const server = await deviceOf({ holding: [{ address: 0, type: 'UINT16', values: [1] }] })
    const registers = { a: { address: 0, writable: true }, c: { address: 2, writable: true } }
    const rig = await started(server.port, { registers, poll_interval: 0 }, { inputs: { a: 'int', c: 'int' } })
    const refusal = `127.0.0.1:${server.port} unit 1 refuses holding register 2 ("c"): illegal data address (2)`
    await expect(rig.arrive({ c: 1 })).rejects.toThrow(refusal)
    await rig.arrive({ a: 5 })
    expect(rig.health.map(({ status }) => status)).toEqual(['degraded', 'ok'])
  })

  test('a unit that another one answers for, or none, is told', async () => {
    const server = await deviceOf({ unit: 3, holding: [{ address: 0, type: 'UINT16', values: [1] }] })
    const rig = await started(server.port, { unit: 4, registers: { a: { address: 0 } } }, { outputs: { a: 'int' } })
    await rig.advance(0)
    await expect.poll(() => rig.health).toHaveLength(1)
    expect(rig.health[0]?.message).toMatch(
      new RegExp(`^127.0.0.1:${server.port} unit 4 refuses holding register 0 \\("a"\\): `),
    )
  })

  test('a device that hangs is given up, is down after three readings, and read again once it goes on', async () => {
    const server = await deviceOf({ holding: [{ address: 0, type: 'UINT16', values: [1] }] })
    const settings = { registers: { a: { address: 0 } }, timeout: 2, poll_interval: 60 }
    const rig = await started(server.port, settings, { outputs: { a: 'int' } })
    await rig.advance(0)
    await expect.poll(() => rig.emitted).toHaveLength(1)
    server.pause()
    await rig.advance(62)
    const message = `127.0.0.1:${server.port} unit 1: no answer within 2 s; check address and unit`
    expect(rig.health.at(-1)).toEqual({ status: 'degraded', message })
    await rig.advance(120)
    expect(rig.health.at(-1)).toEqual({ status: 'down', message })
    await expect.poll(() => rig.connections).toBe(0)
    server.resume()
    await rig.advance(58)
    await expect.poll(() => rig.health.at(-1)?.status).toBe('ok')
  })
})
