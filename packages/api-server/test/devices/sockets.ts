/** Sockets of devices on a real server, over flows that tests write down, and clients that keep what they are told. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'

import { VirtualClock } from '@flow-service/core/testing'
import {
  accepts,
  type ArtifactRef,
  type DeviceBinding,
  type DeviceFrame,
  deviceFrameSchema,
  encodeFrame,
  timestampOfMs,
  type UplinkHeader,
} from '@flow-service/protocol'
import { type ClientOptions, type RawData, WebSocket } from 'ws'

import { DevicePresence } from '../../src/devices/device-presence.ts'
import { DevicePublishing } from '../../src/devices/device-publishing.ts'
import { DeviceSeats } from '../../src/devices/device-seats.ts'
import { DeviceSockets } from '../../src/devices/sockets/device-sockets.ts'
import { deviceUpgrade } from '../../src/devices/sockets/device-upgrade.ts'
import type { NewsEntry } from '../../src/events/event-log.ts'
import { portalCheck } from '../../src/hooks/portal.ts'
import { bearerToken } from '../../src/http/authenticate.ts'
import { createUpgradeRouter } from '../../src/http/upgrade.ts'
import type { ValueListener } from '../../src/messages/last-values.ts'
import { serve } from '../http/server.ts'

/** A wire of the flow `f`. */
export const wire = (port: string, more: Partial<DeviceBinding> = {}): DeviceBinding => ({
  port,
  direction: 'in',
  message: `f.${port}`,
  dtype: 'any',
  interval: null,
  on_demand: false,
  flow: 'f',
  node: 'panel',
  config: {},
  ...more,
})

/** A port that the device follows. */
export const follows = (port: string, more: Partial<DeviceBinding> = {}): DeviceBinding =>
  wire(port, { direction: 'out', ...more })

/** A port that takes pictures. */
export const camera = (port = 'camera'): DeviceBinding => wire(port, { dtype: 'image' })

/** The client of a device. */
export class TestDevice {
  readonly frames: DeviceFrame[] = []
  readonly socket: WebSocket
  readonly closed: Promise<{ code: number; reason: string }>

  constructor(socket: WebSocket) {
    this.socket = socket
    this.closed = new Promise((resolve) =>
      socket.once('close', (code, reason) => resolve({ code, reason: reason.toString() })),
    )
    socket.on('message', (data: RawData) =>
      this.frames.push(deviceFrameSchema.parse(JSON.parse((data as Buffer).toString()))),
    )
  }

  /** All frames, once there are that many. */
  async next(count: number): Promise<DeviceFrame[]> {
    // oxlint-disable-next-line no-await-in-loop -- until enough have come
    while (this.frames.length < count) await once(this.socket, 'message')
    return this.frames
  }

  /** Says something, as JSON unless it is bytes already. */
  say(frame: unknown): void {
    this.socket.send(frame instanceof Uint8Array ? frame : JSON.stringify(frame))
  }

  /** Sends a picture. */
  picture(name: string, bytes: Uint8Array, more: Partial<UplinkHeader> = {}): void {
    this.say(encodeFrame({ type: 'frame', name, media_type: 'image/jpeg', ts: 1, ...more }, bytes))
  }

  /** What a publication is answered: everything before has been read by then. */
  async settled(): Promise<readonly DeviceFrame[]> {
    const id = `settled ${Math.random()}`
    this.say({ type: 'publish', port: 'no such port', value: 0, id })
    // oxlint-disable-next-line no-await-in-loop -- until it has come
    while (!this.frames.some((frame) => frame.type === 'error' && frame.id === id)) await once(this.socket, 'message')
    return this.frames.filter((frame) => !(frame.type === 'error' && frame.id?.startsWith('settled ')))
  }
}

export type TestSockets = Awaited<ReturnType<typeof startDeviceSockets>>

/** Serves `/flows/ws` to devices, whose credentials are `<id>-secret`. */
export async function startDeviceSockets() {
  const clock = new VirtualClock(1_000_000)
  const wires = new Map<string, readonly DeviceBinding[]>()
  const reads = new Set<string>()
  const viewed = new Set<string>()
  const values = new Map<string, { value: unknown; ts: string | null }>()
  const listeners = {
    values: new Set<ValueListener>(),
    flows: new Set<(flow: string) => void>(),
    readers: new Set<() => void>(),
  }
  const published: { message: string; value: unknown; node: string; port: string }[] = []
  const dropped: object[] = []
  const news: NewsEntry[] = []
  const pictures = new Map<string, Uint8Array>()
  const notices: string[] = []
  const subscribe = <T>(to: Set<T>, listener: T): (() => void) => {
    to.add(listener)
    return () => void to.delete(listener)
  }
  /** A message has a new value. */
  const tell = (message: string, value: unknown): void => {
    const ts = timestampOfMs(clock.now())
    values.set(message, { value, ts })
    for (const listener of listeners.values) listener(message, value, clock.now() * 1000)
  }
  const state = {
    committed: async (): Promise<void> => {},
    /** What other engines have written of presence is known here, and the reverse. */
    heard: async (): Promise<void> => {},
    written: async (): Promise<void> => {},
    refusal: null as Error | null,
    /** How long the engine takes for each frame, in milliseconds. */
    frameMs: 0,
  }
  let watchMs = 0
  const wiring = {
    of: (device: string) => wires.get(device) ?? [],
    isRead: (message: string) => reads.has(message),
    onPublished: (listener: (flow: string) => void) => subscribe(listeners.flows, listener),
    onReaders: (listener: () => void) => subscribe(listeners.readers, listener),
  }
  const current = {
    get: (message: string) => {
      const known = values.get(message)
      return known && { message, ...known }
    },
  }
  const presence = new DevicePresence({ clock, note: () => {} })
  const seats = new DeviceSeats((device) => presence.isOnline(device))
  const publishing = new DevicePublishing({
    wiring,
    seats,
    values: current,
    lastValues: { commit: async () => {} },
    committed: () => state.committed(),
    messages: {
      async publish(message, value, place) {
        if (state.refusal) throw state.refusal
        tell(message, value)
        published.push({ message, value, node: place?.node ?? '', port: place?.port ?? '' })
        await state.committed()
        return { name: message, value: value as never, ts: timestampOfMs(clock.now()), cascade: null }
      },
    },
  })
  const sockets = new DeviceSockets({
    artifacts: {
      async put(source, { name, mediaType }) {
        const data = source as Uint8Array
        const digest = `sha256:${createHash('sha256').update(data).digest('hex')}`
        pictures.set(digest, Uint8Array.from(data))
        const ref: ArtifactRef = { digest, name, media_type: mediaType, size: data.length, volatile: true }
        return { ref, created: accepts('image', ref) }
      },
    },
    publishing,
    eventLog: { report: (entry) => void news.push(entry) },
    log: { error: () => {}, warn: (fields) => void dropped.push(fields) },
    clock,
    stopwatch: () => (watchMs += state.frameMs),
    wiring,
    values: current,
    lastValues: { subscribe: (listener) => subscribe(listeners.values, listener) },
    presence,
    shared: { heard: () => state.heard(), written: () => state.written() },
    guests: { admit: () => true },
    viewed: () => viewed,
    database: {
      notify: async (_channel, payload) => {
        notices.push(payload)
      },
    },
  })
  const end = sockets.follow()
  const server = await serve([])
  const upgrades = createUpgradeRouter({ log: { error: () => {} } })
  const open = deviceUpgrade({ sockets, isPortal: portalCheck('portal') })
  upgrades.route('/flows/ws', (upgrade) => {
    const id = bearerToken(upgrade.request).replace(/-secret$/, '')
    return open(upgrade, { kind: 'device', id, credential: `of ${id}` })
  })
  upgrades.attach(server.server, '/api/v1')
  const clients: WebSocket[] = []
  return Object.assign(state, {
    clock,
    wires,
    reads,
    viewed,
    values,
    published,
    dropped,
    news,
    pictures,
    notices,
    presence,
    seats,
    sockets,
    tell,
    port: server.port,
    /** Who hears of every value. */
    subscribers: listeners.values,
    /** A flow was published; `wires` has what it wires now. */
    publishedFlow(flow = 'f'): void {
      for (const listener of listeners.flows) listener(flow)
    },
    /** Viewers or readers have changed. */
    reviewed(): void {
      for (const listener of listeners.readers) listener()
    },
    /** A device with these wires connects, and has its snapshot. */
    async connect(
      device: string,
      bindings?: readonly DeviceBinding[],
      options: ClientOptions = {},
      query = '',
    ): Promise<TestDevice> {
      if (bindings !== undefined) wires.set(device, bindings)
      const headers = { authorization: `Bearer ${device}-secret`, ...options.headers }
      const socket = new WebSocket(`ws://127.0.0.1:${server.port}/api/v1/flows/ws${query}`, { ...options, headers })
      clients.push(socket)
      const client = new TestDevice(socket)
      await once(socket, 'open')
      await client.next(1)
      return client
    },
    async [Symbol.asyncDispose]() {
      for (const client of clients) client.terminate()
      end()
      await upgrades.close()
      await server[Symbol.asyncDispose]()
    },
  })
}
