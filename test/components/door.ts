import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'

import { onTestFinished } from 'vitest'

/** An address where workers attach to an engine, known before the engine listens and kept in all of its lives. */
export interface Door {
  readonly url: string
  /** Connections that come from now on reach the engine at this address. */
  leadTo(address: string): void
}

/** Opens a door until the end of the test. */
export async function openDoor(): Promise<Door> {
  let port = 0
  const server = createServer((socket) => {
    const onward = connect(port, '127.0.0.1')
    const cut = (): void => [socket, onward].forEach((end) => end.destroy())
    for (const end of [socket, onward]) end.on('error', cut).on('close', cut)
    socket.pipe(onward).pipe(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1/workers/attach`,
    leadTo: (address) => void (port = Number(new URL(address).port)),
  }
}
