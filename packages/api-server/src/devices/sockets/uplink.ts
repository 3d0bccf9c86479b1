/**
 * Pictures that devices send as binary frames (wire decision G47). A frame is kept in the memory of the engine and published
 * in one step, credited to the node of the device. One that does not qualify is dropped with a line in the log, and the
 * socket goes on.
 *
 * - uplink.K1 the pictures of a device are published in the order in which they came.
 * - uplink.K2 while {@link MAX_PENDING} pictures of a device are on their way, further ones are dropped.
 * @module
 */
import { decodeFrame, type DeviceBinding, type Json } from '@flow-service/protocol'
import * as z from 'zod'

import type { Artifacts } from '../../artifacts/artifacts.ts'
import { ProblemError } from '../../http/errors.ts'
import type { Log } from '../../process/log.ts'
import type { DevicePublishing } from '../device-publishing.ts'

/** Pictures of one device that are on their way at once. */
const MAX_PENDING = 8

const headerSchema = z.object({
  type: z.literal('frame'),
  name: z.string(),
  media_type: z
    .string()
    .max(255)
    .regex(/^image\/[\w.+-]+$/i, 'use the media type of an image, such as image/jpeg'),
  ts: z.number(),
})

/** What frames go through. */
export interface UplinkDeps {
  readonly artifacts: Pick<Artifacts, 'put'>
  readonly publishing: Pick<DevicePublishing, 'publish' | 'targets'>
  readonly log: Pick<Log, 'warn'>
}

/** The pictures of one connected device. */
export class Uplink {
  readonly #device: string
  readonly #deps: UplinkDeps
  #pending = 0
  #last: Promise<void> = Promise.resolve()

  constructor(device: string, deps: UplinkDeps) {
    this.#device = device
    this.#deps = deps
  }

  /** Takes a binary frame; never throws. */
  take(frame: Uint8Array): void {
    const picture = this.#read(frame)
    if (typeof picture === 'string') return this.#drop(picture)
    if (this.#pending >= MAX_PENDING) return this.#drop(`${MAX_PENDING} frames before it are not published yet`)
    this.#pending++
    this.#last = this.#last.then(() => this.#publish(picture))
  }

  #read(frame: Uint8Array): Picture | string {
    const decoded = decodeFrame(frame)
    if (typeof decoded === 'string') return decoded
    const header = headerSchema.safeParse(decoded.header)
    if (!header.success) return `its header is not of a frame: ${z.prettifyError(header.error)}`
    const { name, media_type: mediaType } = header.data
    try {
      const [binding] = this.#deps.publishing.targets(this.#device, { message: name })
      if (binding.dtype !== 'image') return `${name} is ${binding.dtype}, and takes no pictures`
      return { binding, mediaType, bytes: decoded.bytes }
    } catch (error) {
      return reasonOf(error)
    }
  }

  async #publish({ binding: { message }, mediaType, bytes }: Picture): Promise<void> {
    const { artifacts, publishing } = this.#deps
    try {
      const { ref } = await artifacts.put(bytes, { name: message, mediaType, volatile: true, owned: true })
      await publishing.publish(this.#device, { message }, ref as unknown as Json)
    } catch (error) {
      this.#drop(reasonOf(error))
    } finally {
      this.#pending--
    }
  }

  #drop(reason: string): void {
    this.#deps.log.warn({ device: this.#device, reason }, 'a frame of a device is dropped')
  }
}

interface Picture {
  readonly binding: DeviceBinding
  readonly mediaType: string
  readonly bytes: Uint8Array
}

function reasonOf(error: unknown): string {
  if (error instanceof ProblemError) return error.message
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
}
