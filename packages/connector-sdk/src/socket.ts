/**
 * Connections of nodes: outgoing ones, sockets that a flow serves (wire decisions G69, R8), and small writes to either.
 * @module
 */
import type { Writable } from 'node:stream'

/** Beyond this, gathered writes leave at once. */
const MOST_GATHERED_BYTES = 64 * 1024

/**
 * Decides by its certificate (DER) whether a peer is accepted. It throws, or rejects, to refuse it; until it has decided
 * nothing is sent.
 */
export type CertificatePin = (der: Uint8Array) => void | Promise<void>

/** Where an outgoing connection goes. */
export interface ConnectTarget {
  /** A name or an address. */
  readonly host: string
  readonly port: number
  /** Speak TLS, and accept only a certificate of `host`. */
  readonly tls?: boolean
  /**
   * Over TLS, called with the certificate of every new connection in place of all other checks of it: who vouches for it,
   * its name and its dates do not count. See `pinnedTls`.
   */
  readonly pin?: CertificatePin
}

/** Where a socket is served: `/hooks/{flow}/{path}/{secret}`, as webhooks are. */
export interface SocketRoute {
  readonly path: string
  readonly secret: string | null
}

/** A WebSocket to which frames of text are sent. */
export interface SocketPeer {
  /** Bytes that the connection has not taken yet. */
  readonly waiting: number
  /** `sent` is called once the connection has taken the frame, or has closed. Bytes are UTF-8. */
  send(frame: string | Uint8Array, sent?: () => void): void
  /** Ends the connection at once. */
  cut(): void
}

/** What is told of a client of a served socket. Neither may throw. */
export interface SocketListener {
  /** A frame of text has come. */
  heard(text: string): void
  closed(): void
}

/**
 * A function to call before a write: what is written to the stream from then on leaves when all that this turn of the
 * event loop has set off is done, or 64 KiB have gathered. Order stays. Each small write is a system call of its own
 * otherwise, which costs a busy node more than all else that it does.
 * @example const gather = gatherWrites(socket); const send = (text: string) => { gather(); socket.write(text) }
 */
export function gatherWrites(stream: Pick<Writable, 'cork' | 'uncork' | 'writableLength'>): () => void {
  let isGathering = false
  const release = (): void => {
    isGathering = false
    stream.uncork()
  }
  return () => {
    if (isGathering) {
      if (stream.writableLength <= MOST_GATHERED_BYTES) return
      stream.uncork()
      stream.cork()
      return
    }
    isGathering = true
    stream.cork()
    // a flow works in microtasks; the tick after those is the end
    queueMicrotask(() => process.nextTick(release))
  }
}
