/**
 * Pictures of a device: as binary frames of its socket, or through the portal over HTTP (wire decisions G45, G47). They are
 * never kept: a picture that cannot leave now is worth nothing later.
 * @module
 */
import { type ArtifactRef, encodeFrame } from '@flow-service/protocol'

import type { DeviceError } from './device-error.ts'
import { errorOf, type HttpApi } from './http-api.ts'
import type { Wiring } from './wiring.ts'

/** With more bytes than this unsent, the link is slower than the camera. */
const MAX_UNSENT_BYTES = 1024 * 1024

/** What the engine takes for the media type of a picture. */
const IMAGE = /^image\/[\w.+-]{1,249}$/i

/** What pictures need. */
export interface UplinkDeps {
  readonly api: HttpApi
  readonly credential: string
  readonly wiring: Wiring
  readonly connection: { readonly unsent: number; send(data: Uint8Array): void }
  readonly onError: (error: DeviceError) => void
}

/** The pictures of a device. */
export class Uplink {
  readonly #deps: UplinkDeps
  /** Messages for which one is on its way over HTTP. */
  readonly #busy = new Set<string>()

  constructor(deps: UplinkDeps) {
    this.#deps = deps
  }

  /**
   * Sends a picture to all messages of a port that want it; false when it goes to none. Throws a RangeError above 8 MiB, and a
   * TypeError for a media type of something else.
   */
  send(port: string, bytes: Uint8Array, mediaType: string): boolean {
    if (!IMAGE.test(mediaType)) {
      throw new TypeError(`mediaType is "${mediaType}"; give that of an image, such as "image/jpeg"`)
    }
    const { wiring, connection } = this.#deps
    const messages = wiring
      .takers(port)
      .filter(({ dtype }) => dtype === 'image')
      .map(({ message }) => message)
    if (wiring.uplink === 'http')
      return messages.filter((message) => this.#upload(message, bytes, mediaType)).length > 0
    if (connection.unsent > MAX_UNSENT_BYTES) return false
    for (const name of messages) {
      connection.send(encodeFrame({ type: 'frame', name, media_type: mediaType, ts: Date.now() }, bytes))
    }
    return messages.length > 0
  }

  #upload(message: string, bytes: Uint8Array, mediaType: string): boolean {
    if (this.#busy.has(message)) return false
    this.#busy.add(message)
    void this.#put(message, bytes.slice(), mediaType)
      .then((error) => error && this.#deps.onError(error))
      .finally(() => this.#busy.delete(message))
    return true
  }

  async #put(message: string, bytes: Uint8Array<ArrayBuffer>, mediaType: string): Promise<DeviceError | null> {
    const { api, credential: token } = this.#deps
    const name = encodeURIComponent(message)
    const path = `/artifacts?volatile=true&name=${name}`
    const stored = await api.ask({ method: 'PUT', path, token, body: bytes, mediaType })
    if (stored === null || stored.status >= 300) return errorOf(stored)
    const body = JSON.stringify({ value: stored.value as ArtifactRef })
    const published = await api.ask({ method: 'POST', path: `/messages/${name}`, token, body })
    return published === null || published.status >= 300 ? errorOf(published) : null
  }
}
