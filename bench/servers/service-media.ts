/**
 * What devices-media.bench.ts measures: a service with a node that takes the frames of a camera from a socket of its own, and
 * with a paired device that is one.
 */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'

import { createClient } from '@flow-service/client-sdk'
import { Connector } from '@flow-service/connector-sdk'
import { WebSocketServer } from 'ws'

import { startBenchService } from './bench-service.ts'

const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false })
await once(server, 'listening')

class Camera extends Connector<typeof Camera.Params, typeof Camera.ports> {
  static readonly contract = 1
  static override readonly ports = { outputs: { frame: 'image' } } as const
  override async start(): Promise<void> {
    await super.start()
    server.on('connection', (socket) => socket.on('message', (data) => void this.#take(data as Buffer)))
  }
  async #take(data: Buffer): Promise<void> {
    this.inject({ frame: await this.saveArtifact(data, { mediaType: 'image/jpeg', volatile: true }) })
  }
}

const acme = { package: 'acme', version: '1.0.0', nodeTypes: { acme_camera: Camera } }
const { baseUrl, token } = await startBenchService(undefined, [acme])
const client = createClient({ baseUrl, token })
const ports = [{ direction: 'output' as const, name: 'frame', dtype: 'image' as const }]
const nodes = [{ id: 'camera', type: 'acme_camera', settings: {}, ports }]
const { version } = await client.http.flows.save({ name: 'yard', flowDocument: { mode: 'live', nodes } })
await client.http.flows.publish({ name: 'yard', version })
await client.http.flows.start({ name: 'yard' })
const gate = [{ id: 'gate', type: 'device', settings: { device: 'gate' }, ports }]
const saved = await client.http.flows.save({ name: 'gate', flowDocument: { mode: 'live', nodes: gate } })
await client.http.flows.publish({ name: 'gate', version: saved.version })
await client.http.flows.start({ name: 'gate' })
await client.http.devices.create({ id: 'gate' })
const { code, secret } = await client.pairing.start({})
await client.http.devices.pair({ id: 'gate', body: { code } })
const { device } = await client.http.pairing.poll({ code, secret })
process.send?.({
  camera: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
  viewer: `${baseUrl.replace('http', 'ws')}/flows/ws`,
  token,
  credential: device?.credential,
})
