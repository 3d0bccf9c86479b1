/**
 * Artifacts over HTTP, next to the worker's socket (wire decisions G40, G58, U24): what a node stores goes to the engine or
 * to its store, what it loads comes from there or from the cache, and is fetched before the code asks where a call names it.
 * @module
 */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { setImmediate as turn } from 'node:timers/promises'

import { type ArtifactRef, artifactRefsIn, type CallFrame, digestSchema } from '@flow-service/protocol'

import { validateHeaderValue } from '../../node-http.ts'
import type { ArtifactAccess, ArtifactFile, CallArtifacts, SaveOptions } from '../../transport.ts'
import type { ArtifactCache } from './artifact-cache.ts'
import { DirectStore } from './direct-store.ts'
import { Download } from './download.ts'
import { Refused } from './exchange.ts'
import { Fetches, MIN_FILE_BYTES } from './fetches.ts'
import { SLICE_BYTES, slicesOf } from './incoming.ts'
import type { Lanes } from './lanes.ts'
import { Uploads } from './upload.ts'

const FIRST_RETRY_MS = 250
/** An engine may hash a large file before it answers. */
const IDLE_MS = 120_000
const STORE_ANSWER_MS = 10_000
/** Of a digest whose file is removed by others whenever it was fetched. */
const MOST_FETCHES = 3

/** What access to artifacts needs. */
export interface HttpArtifactsOptions {
  /** Collection of the engine's artifacts, without a slash at its end. */
  readonly url: string
  readonly token: string
  readonly cache: ArtifactCache
  readonly lanes: Lanes
  /** Connections in the clear to other machines are allowed; not unless given. */
  readonly insecure?: boolean
  readonly onProblem?: (text: string) => void
  /** Milliseconds before the second attempt; each further wait is twice as long. */
  readonly retryMs?: number
  /** Milliseconds without a byte that end a connection, 120,000 unless given. */
  readonly idleMs?: number
  /** Milliseconds in which a store has to answer, 10,000 unless given. */
  readonly storeAnswerMs?: number
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number
}

/** Artifacts of an engine. */
export class HttpArtifacts implements ArtifactAccess {
  readonly #cache: ArtifactCache
  readonly #fetches: Fetches
  readonly #uploads: Uploads

  constructor(options: HttpArtifactsOptions) {
    const { url, token, cache, lanes, insecure = false } = options
    const { onProblem = () => undefined, now = () => performance.now() } = options
    const { retryMs = FIRST_RETRY_MS, idleMs = IDLE_MS, storeAnswerMs = STORE_ANSWER_MS } = options
    const store = new DirectStore({ engine: new URL(url), insecure, onProblem, now })
    const deps = { url, token, store, retryMs, idleMs, storeAnswerMs }
    this.#cache = cache
    this.#uploads = new Uploads(deps)
    this.#fetches = new Fetches({
      cache,
      lanes,
      download: (digest, open, signal) => new Download(digest, deps, open, signal).run(),
    })
  }

  /** Begins to fetch what a call refers to. */
  forCall({ inputs, settings }: CallFrame): CallArtifacts {
    const call = {}
    for (const ref of artifactRefsIn([inputs, settings])) this.#fetches.ahead(ref, call)
    return {
      get: (digest, whole) => this.#get(digest, whole ?? false, call),
      put: (data, options) => this.put(data, options),
      end: () => this.#fetches.leave(call),
    }
  }

  async get(digest: string, whole = false): Promise<Uint8Array | ArtifactFile> {
    const call = {}
    try {
      return await this.#get(digest, whole, call)
    } finally {
      this.#fetches.leave(call)
    }
  }

  async put(data: Uint8Array, options: SaveOptions): Promise<ArtifactRef> {
    assertMediaType(options.mediaType)
    const file = options.volatile ? null : await this.#cache.begin(data.byteLength)
    try {
      const written = file && (await this.#cache.write(data, file))
      const digest = written ?? (await digestOf(data))
      const ref = await this.#uploads.send({ ...options, data, digest })
      // not before: what the engine does not have must not be loaded here either
      if (file && written !== null && !ref.volatile) await this.#cache.keep(digest, file)
      return ref
    } finally {
      // what is kept has another name by now
      await file?.discard()
    }
  }

  async #get(digest: string, whole: boolean, call: object): Promise<Uint8Array | ArtifactFile> {
    // node code chooses it, and it becomes part of an address that gets the worker's token
    if (!digestSchema.safeParse(digest).success) {
      throw new Refused(
        `there is no artifact ${JSON.stringify(digest)}: a digest is "sha256:" and 64 digits`,
        'not_found',
      )
    }
    for (let attempt = 1; attempt <= MOST_FETCHES; attempt += 1) {
      // oxlint-disable-next-line no-await-in-loop -- another agent may make room in the cache before we have read it
      const fetched = await this.#fetches.load(digest, call)
      if (fetched instanceof Uint8Array || (!whole && fetched.size >= MIN_FILE_BYTES)) return fetched
      // oxlint-disable-next-line no-await-in-loop -- see above
      const data = await readFile(fetched.path).catch(() => null)
      if (data?.length === fetched.size) return data
    }
    throw new Error(
      `artifact ${digest} leaves the worker's cache before it is read: set SERVICE_ARTIFACT_CACHE_BYTES to more`,
    )
  }
}

async function digestOf(data: Uint8Array): Promise<string> {
  const hash = createHash('sha256')
  for (const slice of slicesOf(data)) {
    hash.update(slice)
    // oxlint-disable-next-line no-await-in-loop -- a gigabyte takes seconds, and heartbeats are due
    if (data.byteLength > SLICE_BYTES) await turn()
  }
  return `sha256:${hash.digest('hex')}`
}

function assertMediaType(mediaType: string): void {
  try {
    validateHeaderValue('content-type', mediaType)
  } catch {
    throw new Refused(`${JSON.stringify(mediaType)} is no media type`)
  }
}
