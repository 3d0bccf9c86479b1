/** A server that takes connections and bytes and never answers. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

import type { Rigs } from './rigs.ts'

/** Listens on a free port until `rigs` closes; `sockets` are the connections it has taken. */
export async function silentServer(rigs: Rigs): Promise<{ port: number; sockets: Socket[] }> {
  const sockets: Socket[] = []
  const server = createServer((socket) => void sockets.push(socket.on('error', () => undefined)))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  rigs.atEnd(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, sockets }
}
