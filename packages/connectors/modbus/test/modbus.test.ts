/** What is found of settings and ports before a flow is saved, and what is checked of values before they are sent. */
import type { Values } from '@flow-service/connector-sdk'
import type { Dtype } from '@flow-service/protocol'
import { expect, test } from 'vitest'
import * as z from 'zod'

import { findings, Rig } from '../../../node-types/test/test-kit.ts'
import { device, modbus } from './modbus-rigs.ts'

type Ports = Readonly<Record<string, Dtype>>

const found = (registers: Values, outputs: Ports = {}, inputs: Ports = {}): string[] =>
  findings(modbus, { settings: { host: 'plc', registers }, outputs, inputs }).map(({ message }) => message)

test('settings have descriptions, defaults and limits, and what does not fit is refused by name', () => {
  const schema = z.toJSONSchema(modbus.settings, { io: 'input' })
  expect(schema.required).toEqual(['host', 'registers'])
  expect(schema.properties).toMatchObject({
    poll_interval: { default: 5 },
    port: { default: 502, minimum: 1, maximum: 65_535 },
    unit: { default: 1, minimum: 0, maximum: 255 },
    timeout: { default: 3 },
  })
  const places = (settings: Values) =>
    modbus.settings.safeParse(settings).error?.issues.map(({ path }) => path.join('.'))
  expect(places({ host: 'plc', registers: { a: { address: 70_000 } } })).toEqual(['registers.a.address'])
  expect(places({ host: 'plc', registers: { a: { address: 1, type: 'uint8' } } })).toEqual(['registers.a.type'])
  expect(places({ host: 'plc', registers: { a: { address: 1, adress: 2 } } })).toEqual(['registers.a'])
  expect(places({ host: 'plc', registers: {} })).toEqual(['registers'])
})

test('the host is a name or an address, and what it is instead is not shown', () => {
  const registers = { level: { address: 0 } }
  const of = (host: string) => findings(modbus, { settings: { host, registers } }).map(({ message }) => message)
  for (const host of ['plc', 'plc-3.factory_2.example.', '10.0.0.7', '::1', 'fe80::1%eth0'])
    expect(of(host)).toEqual([])
  for (const host of ['plc:502', 'tcp://me:pass@plc', 'the plc', '[::1]:502', '-'])
    expect(of(host)).toEqual(['setting "host" is no name or address; give it alone, and the port in "port"'])
})

test('a port is a register of the settings, with a dtype that takes its values', () => {
  const registers = {
    level: { address: 0 },
    temp: { address: 1, type: 'int16', scale: 0.1 },
    pump: { area: 'coil', address: 0 },
  }
  expect(found(registers, { level: 'int', temp: 'float', pump: 'bool' })).toEqual([])
  expect(found(registers, { level: 'float', temp: 'any', pump: 'any' })).toEqual([])
  expect(found(registers, { levle: 'int' })).toEqual([
    'there is no register "levle" in the settings; use "level", "temp", "pump", or add it',
  ])
  expect(found(registers, { level: 'bool', temp: 'int', pump: 'str' })).toEqual([
    'port "level" is bool, but its register is uint16; use int',
    'port "temp" is int, but its register is int16 with fractions; use float',
    'port "pump" is str, but its register is bool; use bool',
  ])
  const path = findings(modbus, {
    settings: { host: 'plc', registers },
    outputs: { level: 'int', temp: 'str' },
  }).map((finding) => finding.path)
  expect(path).toEqual(['/outputs/1/dtype'])
})

test('an input needs a register that is writable, and takes whole numbers where fractions are', () => {
  const registers = { level: { address: 0 }, target: { address: 1, type: 'float32', writable: true } }
  expect(found(registers, {}, { target: 'int' })).toEqual([])
  expect(found(registers, {}, { level: 'int' })).toEqual([
    'register "level" is not writable; set "writable" in its settings, or remove the input',
  ])
})

test('registers that no unit has are told', () => {
  const registers = {
    a: { address: 65_535, type: 'float32' },
    b: { area: 'coil', address: 0, type: 'int16' },
    c: { area: 'input', address: 0, writable: true },
    d: { address: 0, scale: 0 },
    e: { address: 0, type: 'bool', scale: 2 },
    f: { address: 0, min: 5, max: 4 },
  }
  expect(found(registers)).toEqual([
    'register "a": a float32 at 65535 ends behind register 65535',
    'register "b": a coil holds a bit, which is no int16; set "type" to bool, or change "area"',
    'register "c": nothing writes to the area "input"; use "holding" or "coil"',
    'register "d": a scale of 0 leaves nothing of the value; use another one',
    'register "e": true and false have no scale and no offset; leave them out',
    'register "f": "min" 5 is above "max" 4; exchange them',
  ])
})

const writable = { address: 12, writable: true }
test.each<[string, Values, unknown, string]>([
  ['more than it holds', writable, 70_000, 'is 70000, which holding register 12 (uint16) cannot take; give 0 to 65535'],
  ['less', writable, -1, 'is -1, which holding register 12 (uint16) cannot take; give 0 to 65535'],
  [
    'more than its bound',
    { ...writable, max: 255 },
    300,
    'is 300, which holding register 12 (uint16) cannot take; give 0 to 255',
  ],
  [
    'more than it holds after scaling',
    { ...writable, type: 'int16', scale: 0.1, offset: -40 },
    3300,
    'is 3300, which holding register 12 (int16) cannot take; give -3316.8 to 3236.7',
  ],
  [
    'a float that is too large',
    { ...writable, type: 'float32' },
    1e39,
    'is 1e+39, which holding registers 12 to 13 (float32) cannot take; give -3.40282346638529e+38 to 3.40282346638529e+38',
  ],
  ['a text', writable, 'high', 'is "high", which holding register 12 (uint16) cannot take; give a number'],
  [
    'no number',
    { ...writable, type: 'float32' },
    'NaN',
    'is "NaN", which holding registers 12 to 13 (float32) cannot take; give a number',
  ],
  [
    'a number for a bit',
    { ...writable, area: 'coil' },
    1,
    'is 1, which coil 12 (bool) cannot take; give true or false',
  ],
])('%s is refused before anything is sent', async (_title, register, value, message) => {
  const { asked, port } = await device(() => {})
  const registers = { first: { address: 0, writable: true }, speed: register }
  const rig = await Rig.start(modbus, {
    settings: { host: '127.0.0.1', port, registers },
    inputs: { first: 'any', speed: 'any' },
  })
  await expect(rig.arrive({ first: 1, speed: value })).rejects.toThrow(`input "speed" ${message}`)
  expect([asked.length, rig.connections, rig.health]).toEqual([0, 0, []])
  await rig.stop()
})

test.each([
  [{ type: 'int16', scale: 0.1, offset: -40 }, -21.27, [0, 187]],
  [{ type: 'uint16' }, 65_535, [255, 255]],
  [{ type: 'uint16', scale: -1 }, -65_535, [255, 255]],
  [{ type: 'int16' }, -32_768, [128, 0]],
  [{ type: 'bool' }, true, [0, 1]],
])('of %j the value %j is sent as %j', async (register, value, bytes) => {
  const { asked, port } = await device(({ answer, frame }) => answer([...frame.subarray(7)]))
  const rig = await Rig.start(modbus, {
    settings: { host: '127.0.0.1', port, registers: { speed: { ...writable, ...register } } },
    inputs: { speed: 'any' },
  })
  await rig.arrive({ speed: value })
  expect([...(asked[0]?.frame.subarray(7) ?? [])]).toEqual([6, 0, 12, ...bytes])
  await rig.stop()
})

test('the words of a longer value go in the order of the device', async () => {
  const { asked, port } = await device(({ answer, frame }) => answer([...frame.subarray(7, 12)]))
  const registers = {
    big: { ...writable, type: 'uint32' },
    little: { ...writable, type: 'uint32', word_order: 'little' },
  }
  const rig = await Rig.start(modbus, {
    settings: { host: '127.0.0.1', port, registers },
    inputs: { big: 'int', little: 'int' },
  })
  await rig.arrive({ big: 0x01020304 })
  await rig.arrive({ little: 0x01020304 })
  expect(asked.map(({ frame }) => [...frame.subarray(13)])).toEqual([
    [1, 2, 3, 4],
    [3, 4, 1, 2],
  ])
  await rig.stop()
})

test('a float that is no number is published as one, as devices say by it that there is no value', async () => {
  const { asked, port } = await device(({ answer }) => answer([3, 8, 0x7f, 0xc0, 0, 0, 0xff, 0x80, 0, 0]))
  const registers = { sun: { address: 0, type: 'float32' }, moon: { address: 2, type: 'float32', scale: 10 } }
  const rig = await Rig.start(modbus, {
    settings: { host: '127.0.0.1', port, registers, poll_interval: 1 },
    outputs: { sun: 'float', moon: 'float' },
  })
  await rig.advance(0)
  await expect.poll(() => rig.emitted).toEqual([{ sun: 'NaN', moon: '-Infinity' }])
  await rig.advance(1)
  await expect.poll(() => rig.health.map(({ status }) => status)).toEqual(['ok', 'ok'])
  expect([rig.emitted.length, asked.length]).toEqual([1, 2])
  await rig.stop()
})

test('a node that only writes takes no readings, and says nothing of a device that it has not asked', async () => {
  const rig = await Rig.start(modbus, {
    settings: { host: 'plc', registers: { speed: writable }, poll_interval: 1 },
    inputs: { speed: 'int' },
  })
  await rig.advance(10)
  expect([rig.health, rig.connections, rig.timers]).toEqual([[], 0, 0])
  await rig.stop()
})

test('a run reads once, and ends its connection', async () => {
  const { asked, port, sockets } = await device(({ answer }) => answer([3, 2, 0, 9]))
  const rig = await Rig.start(modbus, {
    settings: { host: '127.0.0.1', port, registers: { level: { address: 0 } } },
    outputs: { level: 'int' },
    mode: 'batch',
  })
  await rig.trigger()
  expect([asked.length, rig.emitted]).toEqual([1, [{ level: 9 }]])
  await rig.stop()
  await expect.poll(() => sockets[0]?.destroyed).toBe(true)
})
