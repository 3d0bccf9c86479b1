/**
 * The stream of a camera, kept up until the node stops. The connection is up with the first picture: a camera that answers
 * and sends none is as good as none.
 * @module
 */
import { type NodeContext, reasonOf, Redial, type RedialDeps } from '@flow-service/connector-sdk'

import type { CameraHttp } from './camera-http.ts'
import { FrameStream } from './frame-stream.ts'

/** The camera, and who is told. */
export interface StreamLinkDeps {
  readonly ctx: Pick<NodeContext, 'after' | 'now' | 'signal'>
  readonly http: CameraHttp
  /** Seconds in which a picture has to come. */
  readonly timeout: number
  readonly tell: RedialDeps['tell']
  readonly onFrame: (frame: Uint8Array) => void
}

/** One object a node. */
export class StreamLink {
  readonly #deps: StreamLinkDeps
  readonly #redial: Redial
  #stream: FrameStream | null = null
  #newest: Uint8Array | null = null
  #isStopped = false

  constructor(deps: StreamLinkDeps) {
    this.#deps = deps
    this.#redial = new Redial({ ctx: deps.ctx, tell: deps.tell, open: () => void this.open() })
  }

  /** The newest picture of the connection. Throws when there is none. */
  newest(): Uint8Array {
    if (this.#newest === null) throw new Error(this.#redial.reason || 'the stream has sent no picture yet')
    return this.#newest
  }

  /** Resolves when the connection has ended. Never rejects. */
  async open(): Promise<void> {
    if (this.#isStopped) return
    this.#stream = new FrameStream({ ...this.#deps, onFrame: (frame) => this.#heard(frame) })
    try {
      await this.#stream.ended
    } catch (error) {
      this.fail(error)
    }
  }

  /** Ends the connection for a reason; another one follows. */
  fail(error: unknown): void {
    if (this.#stream === null) return
    this.#stream.close()
    this.#stream = null
    this.#newest = null
    this.#redial.failed(`camera ${this.#deps.http.shown} ${reasonOf(error)}`)
  }

  stop(): void {
    this.#isStopped = true
    this.#redial.stop()
    this.#stream?.close()
    this.#stream = null
  }

  #heard(frame: Uint8Array): void {
    if (this.#stream === null) return
    if (this.#newest === null) this.#redial.up()
    this.#newest = frame
    this.#deps.onFrame(frame)
  }
}
