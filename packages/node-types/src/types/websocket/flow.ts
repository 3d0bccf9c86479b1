/**
 * Typed constructors of `websocket`.
 * @module
 */
import { type Inputs, nodeType, type Outputs, type SecretRef, type TypedNode } from '@flow-service/flow-sdk'

import type { NoPorts } from '../../constructor-ports.ts'

/** What both kinds of {@link websocket} have. */
interface SocketOptions<I extends Inputs, O extends Outputs> {
  /** One input is sent as it is, several as one object. */
  readonly in?: I
  /** An object feeds the outputs it names; a single output takes anything else whole. */
  readonly out?: O
  /** Key that is taken out of an object: one for all outputs, or one by output. */
  readonly jsonKey?: string | { readonly [K in keyof O]?: string }
  /** Messages that may wait; 256 unless given. */
  readonly sendQueueSize?: number
  /** Seconds for the handshake, and for a peer to take what is sent; 10 unless given. */
  readonly timeout?: number
}

/** Options of {@link websocket.connect}. */
export interface WebsocketClientOptions<I extends Inputs, O extends Outputs> extends SocketOptions<I, O> {
  /** A `ws://` or `wss://` URL. */
  readonly url: string
  readonly headers?: Readonly<Record<string, string | SecretRef>>
  /** Texts to send after each connect. */
  readonly onConnect?: readonly (string | SecretRef)[]
}

/** Options of {@link websocket.serve}. */
export interface WebsocketServeOptions<I extends Inputs, O extends Outputs> extends SocketOptions<I, O> {
  /** Path below `/hooks/{flow}/`. */
  readonly path: string
  /** Last part of the address; without it anyone may connect. */
  readonly secret?: string | SecretRef
}

/** WebSockets, as a client or as a server. */
export const websocket = {
  /**
   * Connect to a server, and again whenever the connection is lost.
   * @example const { price } = use(websocket.connect({ url: 'wss://feed.example/', out: { price: t.float }, onConnect: ['go'] }))
   */
  connect: <I extends Inputs = NoPorts, O extends Outputs = NoPorts>(
    options: WebsocketClientOptions<I, O>,
  ): TypedNode<I, O> => {
    const { onConnect, ...more } = options
    return socketNode(more, { on_connect: onConnect })
  },

  /**
   * Serve a socket while the flow is active; an input goes to every client.
   * @example use(websocket.serve({ path: 'ticker', in: { price: t.float }, secret: secret('ticker') }), { price })
   */
  serve: <I extends Inputs = NoPorts, O extends Outputs = NoPorts>(
    options: WebsocketServeOptions<I, O>,
  ): TypedNode<I, O> => {
    const { path, ...more } = options
    return socketNode(more, { url: path })
  },
}

function socketNode<I extends Inputs, O extends Outputs>(
  { in: inputs, out, jsonKey, sendQueueSize, ...settings }: SocketOptions<I, O>,
  own: object,
): TypedNode<I, O> {
  return nodeType('websocket', {
    // Without them, I and O are no ports by their defaults.
    in: inputs ?? ({} as I),
    out: out ?? ({} as O),
    settings: { ...settings, ...own, json_key: jsonKey, send_queue_size: sendQueueSize },
  })
}
