/**
 * Requests to a camera: signed in as it asks for, over the pinned certificate, within a bound. `camera.ts` makes one for
 * each node.
 *
 * - camera-http.C1 A name or password is sent to the origin of `url` alone: redirects are not followed.
 * - camera-http.C2 A request that is refused is repeated with what the camera asks for, once, and once more when it says
 *   that its nonce is stale: cameras lock accounts after a few wrong passwords.
 * @module
 */
import type { CertificatePin, NodeContext } from '@flow-service/connector-sdk'

import { Credentials, type SignIn } from './credentials.ts'
import { Patience } from './patience.ts'

/** Bytes of the largest picture that is taken. */
export const MAX_FRAME_BYTES = 8 * 1024 * 1024

/** The camera, and who asks. */
export interface CameraHttpDeps {
  readonly ctx: Pick<NodeContext, 'after' | 'fetch' | 'signal'>
  readonly url: string
  /** Null: the camera asks for no sign-in. */
  readonly signIn: SignIn | null
  /** Null: the certificate is checked as that of any server. */
  readonly pin: CertificatePin | null
  /** Seconds in which something has to come. */
  readonly timeout: number
}

/** One object a node. */
export class CameraHttp {
  readonly #deps: CameraHttpDeps
  readonly #credentials: Credentials | null
  readonly #url: URL

  constructor(deps: CameraHttpDeps) {
    this.#deps = deps
    this.#url = new URL(deps.url)
    this.#credentials = deps.signIn === null ? null : new Credentials(deps.signIn)
  }

  /** Host and port, as they are shown to people. */
  get shown(): string {
    return this.#url.host
  }

  /** One picture. Rejects within the bound. */
  async snapshot(): Promise<Uint8Array> {
    const { ctx, timeout } = this.#deps
    const patience = new Patience(ctx, timeout, `has sent no picture within ${timeout} s`)
    try {
      const response = await this.answer(patience.signal)
      return asJpeg(await bounded(response), response)
    } finally {
      patience.end()
    }
  }

  /** An answer of 200, whose body is not read yet. */
  async answer(signal: AbortSignal): Promise<Response> {
    let response = await this.#ask(signal)
    for (let answered = 0; response.status === 401; answered++) {
      // oxlint-disable no-await-in-loop -- one after the other
      await response.body?.cancel()
      this.#signIn(response, answered)
      response = await this.#ask(signal)
      // oxlint-enable no-await-in-loop
    }
    if (response.status === 200) return response
    await response.body?.cancel()
    throw new Error(faultOf(response))
  }

  async #ask(signal: AbortSignal): Promise<Response> {
    const { ctx, pin, url } = this.#deps
    const authorization = this.#credentials?.next('GET', this.#url.pathname + this.#url.search) ?? null
    return ctx.fetch(url, {
      redirect: 'manual',
      signal,
      ...(authorization !== null && { headers: { authorization } }),
      ...(pin !== null && { pin }),
    })
  }

  /** Takes a refusal for the next request; throws when there is none to make (camera-http.C2). */
  #signIn(response: Response, answered: number): void {
    if (this.#credentials === null) throw new Error('asks for a sign-in; set username and password')
    const isStale = this.#credentials.challenged(response.headers.get('www-authenticate') ?? '')
    if (answered === 0 || (answered === 1 && isStale)) return
    this.#credentials.forget()
    throw new Error('refuses the user name or the password; too many attempts may lock the account')
  }
}

/** Why an answer is of no use. */
function faultOf({ status, url, headers }: Response): string {
  const location = headers.get('location')
  if (status >= 300 && status < 400 && location !== null)
    return `redirects to ${shownTarget(location, url)}; set url to the address of the picture itself`
  if (status === 403) return 'answers 403: the user may not see pictures, or the account is locked'
  if (status === 404) return 'answers 404: there is nothing at the path of url; look it up in the manual of the camera'
  return `answers ${status}`
}

function shownTarget(location: string, base: string): string {
  if (!URL.canParse(location, base)) return 'an address that is none'
  const { origin, pathname } = new URL(location, base)
  return origin + pathname
}

/** The body, when it is no longer than a picture may be. */
async function bounded(response: Response): Promise<Uint8Array> {
  const tooLarge = `sends more than ${MAX_FRAME_BYTES} bytes; lower the resolution or quality in the camera`
  if (Number(response.headers.get('content-length')) > MAX_FRAME_BYTES) {
    await response.body?.cancel()
    throw new Error(tooLarge)
  }
  const pieces: Uint8Array[] = []
  let bytes = 0
  // leaving the loop ends the answer
  for await (const piece of response.body ?? []) {
    bytes += piece.length
    if (bytes > MAX_FRAME_BYTES) throw new Error(tooLarge)
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

/** Whether bytes begin as every JPEG does; cameras say all kinds of things in `Content-Type`. */
export const isJpeg = (bytes: Uint8Array): boolean => bytes[0] === 0xff && bytes[1] === 0xd8

function asJpeg(bytes: Uint8Array, { headers }: Response): Uint8Array {
  if (isJpeg(bytes)) return bytes
  const mediaType = headers.get('content-type') ?? 'of no type'
  const advice = mediaType.startsWith('multipart/') ? 'set mode to stream' : 'set url to the address of a JPEG'
  throw new Error(`answers ${bytes.length} bytes (${mediaType}) that are no JPEG; ${advice}`)
}
