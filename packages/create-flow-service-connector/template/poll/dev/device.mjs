/** A device that does not exist: it answers its power at http://127.0.0.1:4711/status, another one each second. */
import { once } from 'node:events'
import { createServer } from 'node:http'

export async function startDevice() {
  const server = createServer((_request, response) => {
    const power = 200 + (Math.floor(Date.now() / 1000) % 60)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ power }))
  })
  await once(server.listen(4711, '127.0.0.1'), 'listening')
  return server
}
