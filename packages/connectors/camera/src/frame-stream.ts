/**
 * A camera's MJPEG stream, read from its first byte to its end. `stream-link.ts` keeps one up, and a run reads one for its
 * first picture.
 * @module
 */
import type { NodeContext } from '@flow-service/connector-sdk'

import { type CameraHttp, isJpeg, MAX_FRAME_BYTES } from './camera-http.ts'
import { MultipartFrames } from './multipart-frames.ts'
import { Patience } from './patience.ts'

/** The camera, and who is told of its pictures. */
export interface FrameStreamDeps {
  readonly ctx: Pick<NodeContext, 'after' | 'signal'>
  readonly http: CameraHttp
  /** Seconds in which a picture has to come. */
  readonly timeout: number
  readonly onFrame: (frame: Uint8Array) => void
}

/** Opens when it is made. */
export class FrameStream {
  /** Never resolves; rejects with the reason for which it has ended. */
  readonly ended: Promise<never>
  readonly #deps: FrameStreamDeps
  readonly #patience: Patience

  constructor(deps: FrameStreamDeps) {
    this.#deps = deps
    this.#patience = new Patience(deps.ctx, deps.timeout, `has sent no picture within ${deps.timeout} s`)
    const { signal } = this.#patience
    // a body may wait for its next piece whatever the signal says
    const { promise: givenUp, reject } = Promise.withResolvers<never>()
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    this.ended = Promise.race([this.#read(), givenUp]).finally(() => this.#patience.end())
  }

  /** Ends it. */
  close(): void {
    this.#patience.end()
  }

  async #read(): Promise<never> {
    const { http, onFrame, timeout } = this.#deps
    const { signal } = this.#patience
    try {
      const response = await http.answer(signal)
      const frames = new MultipartFrames(await boundaryOf(response), MAX_FRAME_BYTES)
      for await (const piece of response.body ?? []) {
        for (const frame of frames.push(piece).filter(isJpeg)) {
          this.#patience.wait(`has sent no picture for ${timeout} s`)
          signal.throwIfAborted()
          onFrame(frame)
        }
      }
      throw new Error('has ended the stream')
    } catch (error) {
      throw signal.aborted ? signal.reason : error
    }
  }
}

/** The boundary that a stream announces, null when it announces none; rejects for what is no stream. */
async function boundaryOf(response: Response): Promise<string | null> {
  const mediaType = response.headers.get('content-type') ?? ''
  if (!/^multipart\//i.test(mediaType.trim())) {
    await response.body?.cancel()
    const advice = /^image\//i.test(mediaType) ? 'set mode to snapshot' : 'set url to the address of an MJPEG stream'
    throw new Error(`answers ${mediaType || 'something of no type'}, which is no stream; ${advice}`)
  }
  const [, quoted, plain] = /;\s*boundary\s*=\s*(?:"([^"]*)"|([^;\s]+))/i.exec(mediaType) ?? []
  return quoted ?? plain ?? null
}
