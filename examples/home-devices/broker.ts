/**
 * A mosquitto of the example's own: on a free port of this machine, open to everybody on it, gone with the example.
 * @module
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer } from 'node:net'
import { delimiter, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

/** Debian installs it where only the administrator's PATH looks. */
const places = ['/usr/sbin', '/usr/local/sbin', ...(process.env['PATH'] ?? '').split(delimiter)]

/** Starts it with its files in a folder. Throws, with what to do, when there is none. */
export async function startBroker(folder: string) {
  const program = places.map((place) => join(place, 'mosquitto')).find((file) => existsSync(file))
  if (program === undefined) throw new Error('mosquitto not found (apt-get install mosquitto)')
  const port = await freePort()
  const config = join(folder, 'mosquitto.conf')
  const user = process.getuid?.() === 0 ? ['user root'] : []
  await writeFile(config, [...user, `listener ${port} 127.0.0.1`, 'allow_anonymous true'].join('\n'))
  const broker = spawn(program, ['-c', config], { stdio: 'ignore' })
  const ended = once(broker, 'exit')
  while (broker.exitCode === null && !(await answers(port))) await setTimeout(10)
  if (broker.exitCode !== null) throw new Error(`mosquitto ended with ${broker.exitCode}`)
  return {
    port,
    async stop() {
      broker.kill()
      await ended
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  await once(server.close(), 'close')
  return port
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
