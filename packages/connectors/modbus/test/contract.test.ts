/** What every connector keeps, held by this one. */
import { duplexPair } from 'node:stream'

import { contractSuite } from '@flow-service/connector-sdk/testing'
import { test } from 'vitest'

import { Modbus } from '../src/index.ts'
import { framed } from './modbus-rigs.ts'

/** A device whose registers all hold 7, and which takes what is written. */
function connect() {
  const [near, far] = duplexPair()
  far.on('data', (request: Buffer) => {
    const [id, unit, code] = [request.readUInt16BE(0), request.readUInt8(6), request.readUInt8(7)]
    const count = request.readUInt16BE(10)
    const body =
      code < 5 ? [code, count * 2, ...Array.from({ length: count }, () => [0, 7]).flat()] : request.subarray(7, 12)
    far.write(framed(id, 0, [unit, ...body]))
  })
  return near
}

contractSuite(Modbus, {
  test,
  params: {
    host: 'plc.local',
    registers: {
      level: { area: 'input', address: 0 },
      temp: { area: 'input', address: 1, scale: 0.1 },
      speed: { address: 9, writable: true },
    },
  },
  fixtures: {
    connect,
    inputs: { speed: 'int' },
    outputs: { level: 'int', temp: 'float' },
    reading: { level: 7, temp: 0.7 },
    write: { speed: 300 },
    badSettings: [{ host: '' }, { port: 0 }, { unit: 256 }, { registers: {} }, { registers: { a: { address: -1 } } }],
  },
})
