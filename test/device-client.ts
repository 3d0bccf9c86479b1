/** Devices for tests of whole services: paired through the API, connected by a bare socket, that keep what they are told. */
import { once } from 'node:events'

import { type DeviceFrame, deviceFrameSchema, type PairingStarted, type PairingPoll } from '@flow-service/protocol'
import { type ClientOptions, type RawData, WebSocket } from 'ws'

import type { TestService } from './service.ts'

/** Creates a device and pairs a board with it; answers the credential. */
export async function pairDevice(at: TestService, id: string): Promise<string> {
  await at.send('POST', `/devices/${id}`)
  const { code, secret } = await startPairing(at)
  const adopted = await at.send('POST', `/devices/${id}/pair`, { code })
  if (adopted.status !== 200) throw new Error(`adopting ${id} answered ${adopted.status}`)
  const { device } = (await poll(at, code, secret)) as { device: { credential: string } }
  return device.credential
}

let boards = 0

/** A board asks to be paired, from an address of its own where the service believes its proxy. */
export async function startPairing(at: Pick<TestService, 'baseUrl'>, said: object = {}): Promise<PairingStarted> {
  const answer = await fetch(`${at.baseUrl}/devices/pair`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': `10.1.${boards >> 8}.${boards++ & 255}` },
    body: JSON.stringify(said),
  })
  if (answer.status !== 201) throw new Error(`a start of pairing answered ${answer.status}: ${await answer.text()}`)
  return (await answer.json()) as PairingStarted
}

/** A board asks how far its pairing is. */
export async function poll(at: Pick<TestService, 'baseUrl'>, code: string, secret: string): Promise<PairingPoll> {
  const answer = await fetch(`${at.baseUrl}/devices/pair/${code}`, { headers: { authorization: `Bearer ${secret}` } })
  if (answer.status !== 200) throw new Error(`a poll answered ${answer.status}: ${await answer.text()}`)
  return (await answer.json()) as PairingPoll
}

/** The socket of a device. */
export class DeviceClient {
  readonly frames: DeviceFrame[] = []
  readonly socket: WebSocket
  readonly closed: Promise<number>

  constructor(socket: WebSocket) {
    this.socket = socket
    this.closed = new Promise((resolve) => socket.once('close', (code) => resolve(code)))
    socket.on('error', () => undefined)
    socket.on('message', (data: RawData) =>
      this.frames.push(deviceFrameSchema.parse(JSON.parse((data as Buffer).toString()))),
    )
  }

  /** Connects and has its snapshot. */
  static async connect(
    { baseUrl }: Pick<TestService, 'baseUrl'>,
    credential: string,
    options: ClientOptions = {},
  ): Promise<DeviceClient> {
    const headers = { authorization: `Bearer ${credential}`, ...options.headers }
    const socket = new WebSocket(`${baseUrl.replace(/^http/, 'ws')}/flows/ws`, { ...options, headers })
    const client = new DeviceClient(socket)
    await once(socket, 'open')
    await client.find((frame) => frame.type === 'snapshot')
    return client
  }

  /** The first frame of the kind that has come, or comes; rejects when the socket closes before. */
  async find(isWanted: (frame: DeviceFrame) => boolean): Promise<DeviceFrame> {
    for (;;) {
      const found = this.frames.find(isWanted)
      if (found) return found
      if (this.socket.readyState === WebSocket.CLOSED) throw new Error('the socket closed before such a frame came')
      // oxlint-disable-next-line no-await-in-loop -- until it has come
      await Promise.race([once(this.socket, 'message'), this.closed])
    }
  }

  say(frame: object): void {
    this.socket.send(frame instanceof Uint8Array ? frame : JSON.stringify(frame))
  }

  /** Publishes a value and resolves to the answer. */
  publish(target: object, value: unknown, id: string = crypto.randomUUID()): Promise<DeviceFrame> {
    this.say({ type: 'publish', ...target, value, id })
    return this.find((frame) => 'id' in frame && frame.id === id)
  }

  async close(): Promise<void> {
    this.socket.close()
    await this.closed
  }
}
