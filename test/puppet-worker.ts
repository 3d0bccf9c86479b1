/** A worker on a real socket that does what a test tells it. */
import { once } from 'node:events'

import type { EngineFrame, WorkerFrame } from '@flow-service/protocol'
import { onTestFinished, vi } from 'vitest'
import { WebSocket } from 'ws'

/** Where workers of an engine attach. */
export const attachUrl = (baseUrl: string): string => `${baseUrl.replace('http', 'ws')}/workers/attach`

/** A worker that does what the test tells it. */
export class Puppet {
  readonly socket: WebSocket
  readonly frames: EngineFrame[] = []
  readonly closed: Promise<[number, string]>

  constructor(baseUrl: string, token: string) {
    this.socket = new WebSocket(attachUrl(baseUrl), { headers: { authorization: `Bearer ${token}` } })
    this.socket.on('message', (data) => this.frames.push(JSON.parse((data as Buffer).toString()) as EngineFrame))
    this.socket.on('error', () => undefined)
    this.closed = once(this.socket, 'close').then(([code, reason]) => [Number(code), String(reason)])
    onTestFinished(() => this.socket.terminate())
  }

  send(frame: WorkerFrame | object): void {
    this.socket.send(JSON.stringify(frame))
  }

  /** The next frame of a type that has not been taken yet. */
  async take<T extends EngineFrame['type']>(type: T): Promise<Extract<EngineFrame, { type: T }>> {
    await vi.waitUntil(() => this.frames.some((frame) => frame.type === type), { timeout: 60_000 })
    const [frame] = this.frames.splice(
      this.frames.findIndex((one) => one.type === type),
      1,
    )
    return frame as Extract<EngineFrame, { type: T }>
  }
}

/** What a worker says first. */
export const hello = (more: object = {}) => ({
  type: 'hello',
  protocol: 1,
  version: '1.2.3',
  name: 'suggested',
  labels: [],
  parallel: 2,
  resources: { cpus: 4, gpus: 1, ram_mb: 2000 },
  python: '3.12.1',
  platform: 'linux-x64',
  ...more,
})

/** A worker that is attached. */
export async function attach(baseUrl: string, token: string, more: object = {}): Promise<Puppet> {
  const worker = new Puppet(baseUrl, token)
  await once(worker.socket, 'open')
  worker.send(hello(more))
  await worker.take('welcome')
  return worker
}
