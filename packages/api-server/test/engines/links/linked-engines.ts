/** Engines of one database with nothing of them but their links: a server on port 0 each, and a clock that the test moves. */
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'

import { VirtualClock } from '@flow-service/core/testing'
import { afterEach } from 'vitest'
import { WebSocket } from 'ws'

import type { Certified } from '../../../../../test/components/certificates.ts'
import { mintEngineToken } from '../../../src/engines/links/engine-token.ts'
import { messageOf, type Outgoing, readFrame, sizeOf } from '../../../src/engines/links/frames.ts'
import { createLinks, type Links, type LinksDeps } from '../../../src/engines/links/links.ts'
import { createUpgradeRouter, type UpgradeHandler } from '../../../src/http/upgrade.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})
export const atEnd = (cleanup: () => Promise<unknown>): void => void cleanups.push(cleanup)

/** One engine. */
export interface LinkedEngine {
  readonly id: string
  readonly links: Links
  readonly origin: string
  /** What its log was told. */
  readonly told: { readonly level: string; readonly fields: object; readonly message: string }[]
}

/** A server on port 0, and its origin. */
export async function serverOf(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  atEnd(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Engines that are opened one after the other. */
export class LinkedEngines {
  readonly clock = new VirtualClock(Date.UTC(2026, 0, 1))
  readonly signingKey = generateKeyPairSync('ed25519')
  /** Where engines are dialled; a test may lead them astray. */
  readonly addresses = new Map<string, string>()

  async open(id: string, { certified, ...more }: Partial<LinksDeps> & { readonly certified?: Certified } = {}) {
    const told: LinkedEngine['told'] = []
    const log = (level: string) => (fields: object, message: string) => void told.push({ level, fields, message })
    const links = createLinks({
      self: { id, version: `1.0.0-${id}` },
      addressOf: (engine) => this.addresses.get(engine) ?? null,
      signingKey: this.signingKey,
      clock: this.clock,
      log: { error: log('error'), warn: log('warn'), info: log('info') },
      ...more,
    })
    const router = createUpgradeRouter({ log: { error: log('error') } })
    router.route('/internal/link', links.upgrade)
    const server = certified ? createSecureServer(certified) : createServer()
    const origin = (await serverOf(server)).replace('http', certified ? 'https' : 'http')
    router.attach(server)
    atEnd(() => links.close())
    this.addresses.set(id, origin)
    return { id, links, origin, told } satisfies LinkedEngine
  }

  /** Two of them without a link; `a` has the smaller id. */
  async pair(): Promise<[LinkedEngine, LinkedEngine]> {
    return [await this.open('a'), await this.open('b')]
  }

  token(from: string, to: string, key: Partial<Parameters<typeof mintEngineToken>[1]> = {}): Promise<string> {
    return mintEngineToken({ from, to }, { signingKey: this.signingKey, clock: this.clock, ...key })
  }

  /** A socket to an engine that the test speaks on by itself. */
  async stranger(
    to: Pick<LinkedEngine, 'id' | 'origin'>,
    id: string,
    options: { hello?: object | null } = {},
  ): Promise<Stranger> {
    const socket = new WebSocket(`${to.origin.replace('http', 'ws')}/internal/link`, {
      headers: { authorization: `Bearer ${await this.token(id, to.id)}` },
    })
    const stranger = new Stranger(socket)
    atEnd(async () => socket.terminate())
    await once(socket, 'open')
    const { hello = { protocol: 1, version: '1', id, turn: 1 } } = options
    if (hello !== null) stranger.say(1, 0, JSON.stringify(hello))
    return stranger
  }
}

/** A frame that has come. */
export interface HeardFrame {
  readonly kind: number
  readonly id: number
  readonly payload: Buffer
}

/** One end of a socket that speaks frames, and means nothing by them. */
export class Stranger {
  readonly socket: WebSocket
  readonly heard: HeardFrame[] = []
  /** Code and reason of the end. */
  readonly closed: Promise<[code: number, reason: string]>

  constructor(socket: WebSocket) {
    this.socket = socket
    socket.on('error', () => undefined)
    socket.on('message', (message: Buffer) => {
      for (let at = 0; at < message.length;)
        at = readFrame(message, at, (kind, id, payload) => void this.heard.push({ kind, id, payload }))
    })
    this.closed = new Promise((resolve) => {
      socket.once('close', (code, reason) => resolve([code, reason.toString()]))
    })
  }

  say(kind: number, id: number, payload: string | Uint8Array = '', subject = ''): void {
    this.socket.send(bytesOf({ kind, id, subject, payload: Buffer.from(payload) }))
  }

  /** Resolves with the first frame of a kind. */
  async hears(kind: number): Promise<HeardFrame> {
    for (;;) {
      const frame = this.heard.find((heard) => heard.kind === kind)
      if (frame) return frame
      await once(this.socket, 'message')
    }
  }
}

/** A message of one frame. */
export const bytesOf = (frame: Outgoing): Buffer => messageOf([frame], sizeOf(frame.subject, frame.payload))

/** An engine that the test plays: what dials it. */
export const playedEngine = (onSocket: (stranger: Stranger) => void): Promise<string> =>
  linkPlace(async (upgrade) => onSocket(new Stranger(await upgrade.accept({ maxPayloadBytes: 2 ** 26 }))))

/** Where upgrades for links are handled. */
export async function linkPlace(handler: UpgradeHandler): Promise<string> {
  const router = createUpgradeRouter({ log: { error: () => undefined } })
  router.route('/internal/link', handler)
  const server = createServer()
  router.attach(server)
  const origin = await serverOf(server)
  atEnd(() => router.close())
  return origin
}

/** What a promise was rejected with. */
export const refusalOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (error: unknown) => error,
  )

export const textOf = async (work: Promise<Buffer>): Promise<string> => (await work).toString()

export const bytes = (text: string): Buffer => Buffer.from(text)
