/** The camera connector in a whole service: its route, and what it sends to a camera whose certificate is another one. */
import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TLSSocket } from 'node:tls'

import { Camera } from '@flow-service/connector-camera'
import { expect, onTestFinished, test } from 'vitest'

import { Authority, type Certified } from './components/certificates.ts'
import { publishFlow } from './documents.ts'
import { startService, type TestService } from './service.ts'

const factory = new Authority('a factory that nobody knows')
const jpeg = Buffer.from([0xff, 0xd8, 1, 2, 3, 0xff, 0xd9])

/** A camera that speaks HTTPS and asks for a sign-in; `seen` has every byte that was sent to it after the handshake. */
async function secureCamera(certificate: Certified) {
  const camera = { seen: '', connections: 0, frame: null as Buffer | null, port: 0, certify: (_next: Certified) => {} }
  const server = createServer(certificate, ({ headers }, response) => {
    if (headers.authorization === undefined)
      response.writeHead(401, { 'www-authenticate': 'Basic realm="yard"', connection: 'close' }).end()
    else if (camera.frame === null) response.writeHead(503, { connection: 'close' }).end()
    else response.writeHead(200, { 'content-type': 'image/jpeg', connection: 'close' }).end(camera.frame)
  })
  server.on('secureConnection', (socket: TLSSocket) => {
    socket.on('data', (data: Buffer) => (camera.seen += data.toString('latin1')))
  })
  server.on('connection', () => camera.connections++)
  server.on('tlsClientError', () => {})
  await once(server.listen(0, '127.0.0.1'), 'listening')
  camera.port = (server.address() as AddressInfo).port
  camera.certify = (next) => server.setSecureContext(next)
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return camera
}

const yard = (port: number) => ({
  mode: 'live',
  nodes: [
    {
      id: 'cam',
      type: 'camera',
      settings: {
        url: `https://127.0.0.1:${port}/snapshot.jpg`,
        username: 'plant',
        password: { $secret: 'camera' },
        pin_certificate: true,
        poll_interval: 0.05,
      },
      ports: [{ direction: 'output', port: 'frame', name: 'frame', dtype: 'image' }],
    },
  ],
})

/** A service with the flow `yard`. */
async function watching(port: number): Promise<TestService> {
  const at = await startService({
    connectors: [{ package: '@flow-service/connector-camera', version: '1.0.0', nodeTypes: { camera: Camera } }],
  })
  onTestFinished(() => at[Symbol.asyncDispose]())
  await at.client.http.secrets.set({ name: 'camera', value: 'open sesame' })
  await publishFlow(at.client, 'yard', yard(port))
  await at.client.http.flows.start({ name: 'yard' })
  return at
}

const latest = (at: TestService, token: string | null) =>
  fetch(`${at.baseUrl}/connectors/camera/yard/cam/latest.jpg`, {
    headers: token === null ? {} : { authorization: `Bearer ${token}` },
  })
const flowOf = async (at: TestService): Promise<string> => JSON.stringify((await at.send('GET', '/flows/yard')).body)

test('the newest picture has an address behind sign-in, and there is none before the first [R397]', async () => {
  const camera = await secureCamera(factory.vouchFor(['camera.invalid']))
  const at = await watching(camera.port)
  const early = await latest(at, at.token)
  expect([early.status, await early.text()]).toEqual([503, 'There is no picture yet.\n'])
  camera.frame = jpeg
  await expect.poll(async () => (await latest(at, at.token)).status).toBe(200)
  const answer = await latest(at, at.token)
  expect(Buffer.from(await answer.arrayBuffer())).toEqual(jpeg)
  expect([answer.headers.get('content-type'), answer.headers.get('cache-control')]).toEqual(['image/jpeg', 'no-store'])
  expect((await latest(at, null)).status).toBe(401)
})

test('a camera with another certificate gets no byte, and the key to clear is told [R389, R390, R391]', async () => {
  const camera = await secureCamera(factory.vouchFor(['camera.invalid']))
  camera.frame = jpeg
  const at = await watching(camera.port)
  await expect.poll(async () => (await latest(at, at.token)).status).toBe(200)
  camera.certify(factory.vouchFor(['thief.invalid']))
  await expect.poll(() => flowOf(at)).toContain('another certificate')
  const { connections } = camera
  camera.seen = ''
  await expect.poll(() => camera.connections).toBeGreaterThan(connections + 1)
  expect(camera.seen).toBe('')
  expect(await flowOf(at)).toContain(`cert:127.0.0.1:${camera.port}`)
  expect(await flowOf(at)).not.toContain('sesame')
})
