/**
 * Sends frames to one peer as fast as it takes them. What it does not take waits in a bounded queue, and a peer that
 * takes nothing for too long is given up.
 *
 * A sender is *apart* (no peer: everything waits), *flowing*, or *blocked* (the peer has not taken what was sent: all
 * further frames wait).
 * @module
 */
import type { Cancel, NodeContext, SocketPeer } from '@flow-service/connector-sdk'

import { SendQueue } from './send-queue.ts'

/** Bytes that a connection may have before it before frames wait. */
export const HIGH_WATER_BYTES = 256 * 1024

/** A frame, and who waits until it is gone: told an error when it was dropped. */
export interface Frame {
  readonly data: string | Uint8Array
  readonly done?: (error?: Error) => void
}

/** The bounds of a sender, its timer, and the handlers of its events. */
export interface FrameSenderDeps {
  readonly limit: number
  /** How long a peer may take nothing, in seconds. */
  readonly seconds: number
  readonly after: NodeContext['after']
  /** The oldest frame was dropped. */
  dropped(): void
  /** Nothing waits any more. */
  drained(): void
  /** The peer took nothing for too long. */
  stalled(): void
}

/** One object a peer, or one for all connections to it. */
export class FrameSender {
  readonly #deps: FrameSenderDeps
  readonly #queue: SendQueue<Frame>
  #peer: SocketPeer | null = null
  #isBlocked = false
  #bound: Cancel | null = null

  constructor(deps: FrameSenderDeps) {
    this.#deps = deps
    this.#queue = new SendQueue(deps.limit)
  }

  /** There is a connection: what waits goes first. */
  attach(peer: SocketPeer): void {
    this.#peer = peer
    this.#flow()
  }

  /** The connection is gone. */
  detach(): void {
    this.#peer = null
    this.#isBlocked = false
    this.#bound?.()
    this.#bound = null
  }

  send(frame: Frame): void {
    if (this.#peer !== null && !this.#isBlocked) return this.#hand(this.#peer, frame)
    const old = this.#queue.push(frame)
    if (old === undefined) return
    old.done?.(new Error(`more than ${this.#queue.limit} messages wait; the oldest are dropped`))
    this.#deps.dropped()
  }

  #hand(peer: SocketPeer, { data, done }: Frame): void {
    if (peer.waiting < HIGH_WATER_BYTES) return done ? peer.send(data, () => done()) : peer.send(data)
    this.#isBlocked = true
    this.#bound = this.#deps.after(this.#deps.seconds, () => this.#deps.stalled())
    peer.send(data, () => {
      done?.()
      if (this.#peer !== peer) return
      this.#isBlocked = false
      this.#bound?.()
      this.#bound = null
      this.#flow()
    })
  }

  #flow(): void {
    while (this.#peer !== null && !this.#isBlocked) {
      const frame = this.#queue.shift()
      if (frame === undefined) return this.#deps.drained()
      this.#hand(this.#peer, frame)
    }
  }
}
