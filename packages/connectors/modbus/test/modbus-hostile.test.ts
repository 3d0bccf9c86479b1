/** The node against devices that do not keep to the protocol, hang up, or come and go. */
import { createConnection } from 'node:net'
import { Duplex } from 'node:stream'

import { expect, test } from 'vitest'

import { Rig } from '../../../node-types/test/test-kit.ts'
import { device, framed, modbus, started, type Asked } from './modbus-rigs.ts'

const one = { registers: { level: { address: 3, writable: true } } }
const level = { level: 'int' } as const
/** The answer to a read of one register. */
const holds = (value: number): number[] => [3, 2, value >> 8, value & 255]

const hostile: [string, (asked: Asked) => void, string][] = [
  ['garbage', ({ socket }) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'), 'it speaks no Modbus TCP'],
  ['another protocol', ({ answer }) => answer(holds(7), { protocol: 1 }), 'it speaks no Modbus TCP'],
  ['a frame of no length', ({ socket }) => socket.write(Buffer.alloc(7)), 'it speaks no Modbus TCP'],
  ['a wrong transaction', ({ answer }) => answer(holds(7), { id: 99 }), 'it answered request 99 in place of 1'],
  ['another unit', ({ answer }) => answer(holds(7), { unit: 9 }), 'unit 9 answered in place of 1'],
  ['another function', ({ answer }) => answer([4, 2, 0, 7]), 'it answered function 4 in place of 3'],
  ['too few registers', ({ answer }) => answer([3, 0]), 'its answer to function 3 does not fit the request'],
  [
    'too many registers',
    ({ answer }) => answer([3, 4, 0, 1, 0, 2]),
    'its answer to function 3 does not fit the request',
  ],
  ['a length that lies', ({ answer }) => answer([3, 2, 0]), 'its answer to function 3 does not fit the request'],
  ['a long refusal', ({ answer }) => answer([0x83, 2, 2]), 'it sent a refusal of a wrong length'],
  [
    'two answers',
    ({ frame, socket }) => {
      const answer = framed(frame.readUInt16BE(0), 0, [1, ...holds(7)])
      socket.write(Buffer.concat([answer, answer]))
    },
    'it sent more than one answer',
  ],
  ['half a frame, and its end', ({ socket }) => socket.end(Buffer.from([0, 1, 0, 0])), 'it closed the connection'],
  ['its end', ({ socket }) => socket.end(), 'it closed the connection'],
]

test.each(hostile)('a device that answers %s is left, told and asked anew', async (_title, act, reason) => {
  const { asked, port, sockets } = await device((each, nth) => (nth === 1 ? act(each) : each.answer(holds(7))))
  const rig = await started(port, one, { outputs: level })
  await rig.advance(0)
  await expect.poll(() => rig.health).toEqual([{ status: 'degraded', message: `127.0.0.1:${port} unit 1: ${reason}` }])
  expect(rig.emitted).toEqual([])
  await rig.advance(1)
  await expect.poll(() => rig.emitted).toEqual([{ level: 7 }])
  expect([asked.length, sockets.length, rig.health.at(-1)?.status]).toEqual([2, 2, 'ok'])
})

test('a frame in single bytes is a frame, and the connection is kept', async () => {
  const { port, sockets } = await device(({ frame, socket }, nth) => {
    const answer = framed(frame.readUInt16BE(0), 0, [1, ...holds(nth)])
    const send = (at: number): void =>
      void socket.write(answer.subarray(at, at + 1), () => at + 1 < answer.length && setImmediate(send, at + 1))
    send(0)
  })
  const rig = await started(port, one, { outputs: level })
  await rig.advance(0)
  await expect.poll(() => rig.emitted).toHaveLength(1)
  await rig.advance(1)
  await expect.poll(() => rig.emitted).toEqual([{ level: 1 }, { level: 2 }])
  expect(sockets).toHaveLength(1)
})

test('an answer that comes late is no answer to the next request', async () => {
  const late: Asked[] = []
  const { port, sockets } = await device((asked, nth) => {
    if (nth === 1) late.push(asked)
    else asked.answer(holds(nth))
  })
  const rig = await started(port, { ...one, timeout: 0.5 }, { outputs: level })
  await rig.advance(0)
  await expect.poll(() => late).toHaveLength(1)
  await rig.advance(0.5)
  late[0]?.answer(holds(1))
  expect(rig.health.map(({ status }) => status)).toEqual(['degraded'])
  await rig.advance(1.5)
  await expect.poll(() => rig.emitted).toEqual([{ level: 2 }])
  expect(sockets).toHaveLength(2)
})

test('what nobody asked for ends the connection, and the next reading opens another', async () => {
  const { port, sockets } = await device(({ answer }) => answer(holds(7)))
  const rig = await started(port, one, { outputs: level })
  await rig.advance(0)
  await expect.poll(() => rig.emitted).toHaveLength(1)
  sockets[0]?.write(framed(77, 0, [1, ...holds(8)]))
  await expect.poll(() => rig.connections).toBe(0)
  await rig.advance(1)
  await expect.poll(() => rig.health.map(({ status }) => status)).toEqual(['ok', 'ok'])
  expect([sockets.length, rig.emitted]).toEqual([2, [{ level: 7 }]])
})

test('a device that ends idle connections is asked again on another, and nothing is told', async () => {
  const { port, sockets } = await device(({ answer, socket }, nth) => {
    // the second request crosses the end of the connection
    if (nth === 2) socket.destroy()
    else answer(holds(nth))
  })
  const rig = await started(port, one, { outputs: level })
  await rig.advance(0)
  await expect.poll(() => rig.emitted).toHaveLength(1)
  await rig.advance(1)
  await expect.poll(() => rig.emitted).toEqual([{ level: 1 }, { level: 3 }])
  expect([sockets.length, rig.health.map(({ status }) => status)]).toEqual([2, ['ok', 'ok']])
})

test('a device that is away is tried after pauses that grow, and what is asked meanwhile fails at once', async () => {
  let attempts = 0
  const rig = await Rig.start(modbus, {
    settings: { ...one, host: 'plc.local', poll_interval: 1 },
    inputs: level,
    outputs: level,
    connect: () => {
      attempts++
      return new Duplex({ read() {} }).destroy(new Error('connect ECONNREFUSED 10.0.0.7:502'))
    },
  })
  const reason = 'plc.local:502 unit 1: connect ECONNREFUSED 10.0.0.7:502'
  await rig.advance(0)
  expect(rig.health).toEqual([{ status: 'degraded', message: reason }])
  await expect(rig.arrive({ level: 1 })).rejects.toThrow(/ECONNREFUSED 10.0.0.7:502; tried again in 1 s$/)
  expect(attempts).toBe(1)
  await rig.advance(600)
  expect(rig.health.at(-1)?.status).toBe('down')
  // 1, 2, 4, 8, 16, then 30 s at most, and half of them at least
  expect(attempts).toBeGreaterThan(600 / 31)
  expect(attempts).toBeLessThan(5 + 600 / 15)
  await rig.stop()
})

test('requests go one at a time, and a write waits for no more than the one that goes on', async () => {
  const { asked, port } = await device(() => {})
  const registers = { level: { address: 3, writable: true }, far: { address: 90 } }
  const rig = await started(port, { registers }, { inputs: level, outputs: { level: 'int', far: 'int' } })
  await rig.advance(0)
  await expect.poll(() => asked).toHaveLength(1)
  const written = rig.arrive({ level: 300 })
  asked[0]?.answer(holds(5))
  await expect.poll(() => asked).toHaveLength(2)
  expect(asked[1]?.frame.subarray(7)).toEqual(Buffer.from([6, 0, 3, 1, 44]))
  asked[1]?.answer([6, 0, 3, 1, 44])
  await written
  await expect.poll(() => asked).toHaveLength(3)
  asked[2]?.answer(holds(6))
  await expect.poll(() => rig.emitted).toEqual([{ level: 5, far: 6 }])
})

test('the echo of a write has to be what was written', async () => {
  const { port } = await device(({ answer }) => answer([6, 0, 3, 0, 0]))
  const rig = await started(port, { ...one, poll_interval: 0 }, { inputs: level })
  await expect(rig.arrive({ level: 300 })).rejects.toThrow('its answer to function 6 does not fit the request')
})

test('an unknown refusal is told by its code', async () => {
  const { port } = await device(({ answer }) => answer([0x83, 0x55]))
  const rig = await started(port, one, { outputs: level })
  await rig.advance(0)
  await expect
    .poll(() => rig.health.map(({ message }) => message))
    .toEqual([
      `127.0.0.1:${port} unit 1 refuses holding register 3 ("level"): an exception that the protocol does not know (85)`,
    ])
})

test('a stop ends the connection and the request that goes on', async () => {
  const { asked, port, sockets } = await device(() => {})
  const rig = await Rig.start(modbus, {
    settings: { ...one, host: '127.0.0.1', port, poll_interval: 1 },
    outputs: level,
    connect: (target) => createConnection(target),
  })
  await rig.advance(0)
  await expect.poll(() => asked).toHaveLength(1)
  await rig.stop()
  await expect.poll(() => sockets[0]?.destroyed).toBe(true)
  expect([rig.timers, rig.health]).toEqual([0, []])
})
