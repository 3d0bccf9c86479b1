/** MQTT nodes, and a broker in this process for them. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'

import { mqttNode } from '@flow-service/node-types'
import { Aedes, type Client, type PublishPacket } from 'aedes'

import { Rigs } from './rigs.ts'
import type { Rig, Setup } from './test-kit.ts'

/** A broker in this process, and what it has seen. */
interface Broker {
  readonly port: number
  readonly aedes: Aedes
  readonly published: {
    readonly topic: string
    readonly text: string
    readonly qos: number
    readonly retain: boolean
  }[]
  readonly subscriptions: string[]
  readonly clients: Client[]
  /** To all subscribers. */
  publish(topic: string, payload: string | Buffer, more?: Partial<PublishPacket>): Promise<void>
  close(): Promise<void>
}

/** The brokers and nodes of one test file; `close` after each test. */
export class MqttRigs extends Rigs {
  /** Starts a broker, on a free port unless one is given. */
  async broker(port = 0): Promise<Broker> {
    const aedes = await Aedes.createBroker()
    const sockets = new Set<Socket>()
    const server = createServer((socket) => {
      sockets.add(socket)
      aedes.handle(socket)
    })
    await once(server.listen(port, '127.0.0.1'), 'listening')
    const broker: Broker = {
      port: (server.address() as AddressInfo).port,
      aedes,
      published: [],
      subscriptions: [],
      clients: [],
      publish: (topic, payload, more) =>
        new Promise((resolve, reject) =>
          aedes.publish(
            { cmd: 'publish', topic, payload, qos: 0, retain: false, dup: false, ...more } as PublishPacket,
            (error) => (error ? reject(error) : resolve()),
          ),
        ),
      close: () => closeServer(server, aedes, sockets),
    }
    aedes.on('publish', ({ topic, payload, qos, retain }, client) => {
      if (client) broker.published.push({ topic, text: String(payload), qos, retain })
    })
    aedes.on('subscribe', (subscriptions) => broker.subscriptions.push(...subscriptions.map(({ topic }) => topic)))
    aedes.on('client', (client) => broker.clients.push(client))
    this.atEnd(() => broker.close())
    return broker
  }

  start(at: { readonly port: number }, setup: Setup): Promise<Rig> {
    const settings = { broker_host: '127.0.0.1', broker_port: at.port, ...setup.settings }
    return this.run(mqttNode, { ...setup, settings })
  }

  send(at: { readonly port: number }, settings = {}, inputs: Setup['inputs'] = { x: 'any' }): Promise<Rig> {
    return this.start(at, { settings: { topic: 't', ...settings }, inputs })
  }

  /** A listener that has subscribed. */
  async listen(broker: Broker, settings: object, outputs: NonNullable<Setup['outputs']>): Promise<Rig> {
    const subscribed = once(broker.aedes, 'subscribe')
    const rig = await this.start(broker, { settings: settings as Record<string, unknown>, outputs })
    await subscribed
    return rig
  }
}

async function closeServer(server: Server, aedes: Aedes, sockets: ReadonlySet<Socket>): Promise<void> {
  if (!server.listening) return
  const closed = once(server, 'close')
  server.close()
  for (const socket of sockets) socket.destroy()
  await new Promise<void>((resolve) => aedes.close(() => resolve()))
  await closed
}

export const texts = (broker: Broker): string[] => broker.published.map(({ text }) => text)
