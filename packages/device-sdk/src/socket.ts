/**
 * A WebSocket of the platform or of the user, as the connection uses it. The one of Node is `ws`, which tells of pings, and of
 * the status with which an upgrade is refused.
 * @module
 */
import { MAX_BINARY_FRAME_BYTES } from '@flow-service/protocol'
import NodeSocket from 'ws'

import type { Clock } from './clock.ts'

/** Longest message that the engine sends, with room for what a later one may. */
const MAX_MESSAGE_BYTES = 2 * MAX_BINARY_FRAME_BYTES
/** The engine has so long to answer a close. */
const CLOSING_MS = 2000

/** The end of a WebSocket. */
interface SocketClose {
  readonly code: number
  readonly reason: string
  /** Of an answer that is no upgrade, by a WebSocket that knows it: 401 and 403 end the device. */
  readonly status?: number
}

/** What the SDK uses of a WebSocket. */
export interface WebSocketLike {
  readonly bufferedAmount: number
  send(data: string | Uint8Array): void
  close(code?: number, reason?: string): void
  /** Ends it at once, where it can. */
  terminate?(): void
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void
  addEventListener(type: 'close', listener: (event: SocketClose) => void): void
  addEventListener(type: 'error', listener: (event: object) => void): void
}

/** Opens a WebSocket with headers: `authorization` has the credential of the device. */
export type OpenWebSocket = (url: string, headers: Readonly<Record<string, string>>) => WebSocketLike

/** How a socket ended: `refused` is the status of an answer that is no upgrade. */
export type SocketEnd =
  | { readonly kind: 'closed'; readonly code: number; readonly reason: string }
  | { readonly kind: 'refused'; readonly status: number }

/** What a socket tells; nothing after `closed`. */
interface SocketEvents {
  readonly text: (text: string) => void
  readonly closed: (end: SocketEnd) => void
}

/** A socket that is being opened, or open. */
export interface DeviceSocket {
  /** Bytes that wait to be sent. */
  readonly unsent: number
  /** When something was heard of the engine; undefined where that is not told. */
  readonly heardMs: number | undefined
  send(data: string | Uint8Array): void
  close(): void
  /** Ends it at once. */
  drop(): void
}

/** What it takes to open a socket. */
export interface SocketOptions {
  readonly url: string
  readonly credential: string
  readonly webSocket: OpenWebSocket | undefined
  readonly clock: Clock
  readonly events: SocketEvents
}

/** Opens a socket. Throws what the WebSocket of the user throws. */
export function openSocket({ url, credential, webSocket, clock, events }: SocketOptions): DeviceSocket {
  const headers = { authorization: `Bearer ${credential}` }
  let isOver = false
  let heardMs: number | undefined
  let cancelDrop = (): void => {}
  const heard = (): void => void (heardMs = clock.now())
  const end = (how: SocketEnd): void => {
    if (isOver) return
    isOver = true
    cancelDrop()
    events.closed(how)
  }
  const socket = webSocket?.(url, headers) ?? nodeSocket(url, headers, { heard, refused: end })
  socket.addEventListener('message', ({ data }) => {
    if (typeof data === 'string' && !isOver) events.text(data)
  })
  socket.addEventListener('close', ({ code, reason, status }) =>
    end(status === undefined ? { kind: 'closed', code, reason } : { kind: 'refused', status }),
  )
  // what it is about is told by the close that follows
  socket.addEventListener('error', () => {})
  const drop = (): void => {
    if (socket.terminate) socket.terminate()
    else socket.close()
    end({ kind: 'closed', code: 1006, reason: '' })
  }
  return {
    get unsent() {
      return socket.bufferedAmount
    },
    get heardMs() {
      return heardMs
    },
    send: (data) => socket.send(data),
    close() {
      if (isOver) return
      socket.close(1000)
      cancelDrop = clock.setTimer(CLOSING_MS, drop)
    },
    drop,
  }
}

interface NodeEvents {
  readonly heard: () => void
  readonly refused: (end: SocketEnd) => void
}

function nodeSocket(url: string, headers: Readonly<Record<string, string>>, events: NodeEvents): WebSocketLike {
  const socket = new NodeSocket(url, {
    headers,
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE_BYTES,
    followRedirects: false,
  })
  // any byte is a sign of life: a long frame arrives for a while before it is one
  socket.once('upgrade', ({ socket: stream }) => {
    socket.once('open', () => {
      events.heard()
      stream.on('data', events.heard)
    })
  })
  socket.once('unexpected-response', (_request, response) => {
    response.destroy()
    events.refused({ kind: 'refused', status: response.statusCode ?? 0 })
    socket.terminate()
  })
  return socket as WebSocketLike
}
