/**
 * Connections of nodes: outgoing ones, and sockets that a flow serves (wire decisions G69, R8).
 * @module
 */

/** Where an outgoing connection goes. */
export interface ConnectTarget {
  /** A name or an address. */
  readonly host: string
  readonly port: number
  /** Speak TLS, and accept only a certificate of `host`. */
  readonly tls?: boolean
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
