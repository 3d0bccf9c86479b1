/**
 * The node type `camera`: pictures of an IP camera, asked for one by one or taken from its MJPEG stream.
 * @module
 */
import {
  type ArtifactRef,
  type CertificatePin,
  Connector,
  ConnectorParams,
  pinnedTls,
  reasonOf,
  type Router,
  secret,
} from '@flow-service/connector-sdk'
import * as z from 'zod'

import { CameraHttp } from './camera-http.ts'
import { FramePacer } from './frame-pacer.ts'
import { FrameStream } from './frame-stream.ts'
import { StreamLink } from './stream-link.ts'

/** Pictures of a camera, as volatile artifacts. */
export class Camera extends Connector<typeof Camera.Params, typeof Camera.ports> {
  static readonly contract = 1
  static override readonly title = 'Camera'
  static override readonly description = 'Pictures of an IP camera: JPEG snapshots, or its MJPEG stream.'
  static override readonly Params = ConnectorParams.extend({
    poll_interval: ConnectorParams.shape.poll_interval
      .default(10)
      .describe('Seconds between two snapshots; 0 takes them on request alone. A stream does not use it.'),
    url: z
      .url({ protocol: /^https?$/, error: 'use an address such as http://10.0.0.5/snapshot.jpg' })
      .refine((url) => !hasUser(url), 'holds a user name or password; put them into username and password')
      .describe('Address of the JPEG, or of the MJPEG stream, as the manual of the camera has it.'),
    mode: z
      .enum(['snapshot', 'stream'])
      .default('snapshot')
      .describe('snapshot asks for a picture each poll_interval, stream reads what the camera sends all the time.'),
    max_fps: z
      .number()
      .min(0.01)
      .max(60)
      .default(1)
      .describe('Pictures of a stream that are published in a second at most.'),
    username: z.string().min(1).max(200).optional().describe('User of the camera that may see pictures.'),
    password: secret().optional().describe('Password of that user.'),
    pin_certificate: z
      .boolean()
      .default(false)
      .describe('Accept the certificate that the camera shows first, and no other from then on. For https.'),
    timeout: z.number().min(0.1).max(600).default(10).describe('Seconds in which a picture has to come.'),
  })
    .refine(({ password, username }) => password === undefined || username !== undefined, {
      path: ['username'],
      message: 'a password needs a user name; set one',
    })
    .refine(({ pin_certificate, url }) => !pin_certificate || /^https:/i.test(url), {
      path: ['pin_certificate'],
      message: 'there is a certificate with https only; use an https address, or turn this off',
    })
  static override readonly ports = { outputs: { frame: 'image' } } as const

  #http: CameraHttp | null = null
  #link: StreamLink | null = null
  #pacer: FramePacer | null = null
  /** What was published last. */
  #latest: Uint8Array | null = null

  protected override get pollInterval(): number {
    return this.config.mode === 'stream' ? 0 : this.config.poll_interval
  }

  /** A picture now; of a stream, its newest. */
  override async poll() {
    const http = this.#http
    if (http === null) throw new Error('the camera has not been started')
    try {
      return { frame: await this.#kept(await this.#picture(http)) }
    } catch (error) {
      throw new Error(`camera ${http.shown} ${reasonOf(error)}`, { cause: error })
    }
  }

  override async start(app?: Router): Promise<void> {
    app?.get('/latest.jpg', (_request, response) => {
      response.set({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
      if (this.#latest === null) response.status(503).type('text').send('There is no picture yet.\n')
      else response.type('image/jpeg').send(Buffer.from(this.#latest))
    })
    const { max_fps, mode, password, timeout, url, username } = this.config
    const { ctx } = this
    const signIn = username === undefined ? null : { username, password: password ?? '' }
    const http = new CameraHttp({ ctx, url, signIn, pin: await this.#pin(), timeout })
    this.#http = http
    await super.start(app)
    if (mode !== 'stream' || ctx.mode !== 'live' || !ctx.listens) return
    const pacer = new FramePacer({ ctx, perSecond: max_fps, put: (frame) => this.#push(frame) })
    const tell = this.reportHealth.bind(this)
    this.#pacer = pacer
    this.#link = new StreamLink({ ctx, http, timeout, tell, onFrame: (frame) => pacer.offer(frame) })
    void this.#link.open()
  }

  override async stop(app?: Router): Promise<void> {
    this.#link?.stop()
    this.#pacer?.stop()
    await super.stop(app)
  }

  async #pin(): Promise<CertificatePin | null> {
    if (!this.config.pin_certificate) return null
    const { hostname, port } = new URL(this.config.url)
    return pinnedTls(this.store, `${hostname}:${port || 443}`)
  }

  async #picture(http: CameraHttp): Promise<Uint8Array> {
    if (this.#link !== null) return this.#link.newest()
    if (this.config.mode === 'snapshot') return http.snapshot()
    const { promise, resolve } = Promise.withResolvers<Uint8Array>()
    const stream = new FrameStream({ ctx: this.ctx, http, timeout: this.config.timeout, onFrame: resolve })
    try {
      return await Promise.race([promise, stream.ended])
    } finally {
      stream.close()
      // that it ends now is no news
      stream.ended.catch(() => {})
    }
  }

  async #push(frame: Uint8Array): Promise<void> {
    try {
      this.inject({ frame: await this.#kept(frame) })
    } catch (error) {
      this.#link?.fail(error)
    }
  }

  async #kept(frame: Uint8Array): Promise<ArtifactRef> {
    const ref = await this.saveArtifact(frame, { name: 'frame.jpg', mediaType: 'image/jpeg', volatile: true })
    this.#latest = frame
    return ref
  }
}

function hasUser(url: string): boolean {
  if (!URL.canParse(url)) return false
  const { password, username } = new URL(url)
  return username !== '' || password !== ''
}
