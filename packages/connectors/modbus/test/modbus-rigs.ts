/** Nodes of type `modbus` in the engine's runtime, and devices that do what a test says. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'

import { nodeTypeOf, type Values } from '@flow-service/connector-sdk'
import { onTestFinished } from 'vitest'

import { Rig, type Setup } from '../../../node-types/test/test-kit.ts'
import { Modbus } from '../src/index.ts'

export const modbus = nodeTypeOf('modbus', Modbus)

/** A started node, which stops when the test has ended. */
export async function started(port: number, settings: Values, setup: Omit<Setup, 'settings'> = {}): Promise<Rig> {
  const rig = await Rig.start(modbus, {
    ...setup,
    settings: { host: '127.0.0.1', port, poll_interval: 1, ...settings },
  })
  onTestFinished(() => rig.stop())
  return rig
}

/** A request as a device gets it: the frame, and how to answer it. */
export interface Asked {
  readonly frame: Buffer
  readonly socket: Socket
  /** Sends the frame of an answer: with the header of the request, unless another is given. */
  readonly answer: (
    body: readonly number[],
    header?: { readonly id?: number; readonly unit?: number; readonly protocol?: number },
  ) => void
}

/** A device of the test's own making; it closes when the test has ended. */
export async function device(act: (asked: Asked, nth: number) => void) {
  const sockets: Socket[] = []
  const asked: Asked[] = []
  const server: Server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => {})
    socket.on('data', (frame: Buffer) => {
      const one: Asked = {
        frame,
        socket,
        answer: (body, { id = frame.readUInt16BE(0), protocol = 0, unit = frame.readUInt8(6) } = {}) =>
          void socket.write(framed(id, protocol, [unit, ...body])),
      }
      asked.push(one)
      act(one, asked.length)
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return { port: (server.address() as AddressInfo).port, sockets, asked }
}

/** A frame around a unit, a function and data. */
export const framed = (id: number, protocol: number, rest: readonly number[]): Buffer =>
  Buffer.from([id >> 8, id & 255, protocol >> 8, protocol & 255, rest.length >> 8, rest.length & 255, ...rest])
