/** A device that does not exist: it says its power on port 4711 of this machine each second. */
import { once } from 'node:events'
import { createServer } from 'node:net'

export async function startDevice() {
  const server = createServer((connection) => {
    const timer = setInterval(() => {
      const power = 200 + (Math.floor(Date.now() / 1000) % 60)
      connection.write(`${JSON.stringify({ power })}\n`)
    }, 1000)
    connection.on('error', () => {})
    connection.once('close', () => clearInterval(timer))
  })
  await once(server.listen(4711, '127.0.0.1'), 'listening')
  return server
}
