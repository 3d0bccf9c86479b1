/**
 * The node's end of a connection in a test: what is written waits until the peer is accepted, as in an engine.
 * @module
 */
import { Duplex } from 'node:stream'

import { outside } from './inside.ts'

type Done = (error?: Error | null) => void

/** Passes bytes on to a peer that comes later, or breaks with the reason why none does. */
export class FakeConnection extends Duplex {
  readonly #peer: Promise<Duplex>
  readonly #sent: (chunk: Buffer) => void
  #other: Duplex | null = null

  /** `sent` is told what leaves. */
  constructor(peer: Promise<Duplex>, sent: (chunk: Buffer) => void) {
    // as sockets do
    super({ allowHalfOpen: false })
    this.#peer = peer
    this.#sent = sent
    peer.then(
      (other) => this.#follow(other),
      (error: unknown) => this.destroy(error instanceof Error ? error : new Error(String(error))),
    )
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: Done): void {
    void this.#onPeer(done, (other) => {
      this.#sent(chunk)
      outside(() => other.write(chunk, (error) => done(error)))
    })
  }

  override _final(done: Done): void {
    void this.#onPeer(done, (other) => outside(() => other.end(() => done())))
  }

  override _read(): void {
    this.#other?.resume()
  }

  override _destroy(error: Error | null, done: Done): void {
    this.#other?.destroy()
    done(error)
  }

  #follow(other: Duplex): void {
    if (this.destroyed) {
      other.destroy()
      return
    }
    this.#other = other
    other.on('data', (chunk: Buffer) => {
      if (!this.push(chunk)) other.pause()
    })
    other.once('end', () => this.push(null))
    other.once('error', (error) => this.destroy(error))
    other.once('close', () => {
      if (!other.readableEnded) this.destroy()
    })
    this.emit('connect')
    this.emit('secureConnect')
  }

  async #onPeer(done: Done, run: (other: Duplex) => void): Promise<void> {
    try {
      run(await this.#peer)
    } catch (error) {
      done(error as Error)
    }
  }
}
