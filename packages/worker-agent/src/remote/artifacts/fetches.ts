/**
 * What a worker fetches of an engine's artifacts: each digest once at a time, whoever wants it, into the cache.
 * Invariants fetches.J1-J3 are in DESIGN.md.
 * @module
 */
import type { ArtifactRef } from '@flow-service/protocol'

import type { ArtifactCache, KeptFile } from './artifact-cache.ts'
import type { ArtifactFacts } from './download.ts'
import { Refused } from './exchange.ts'
import { type Incoming, IncomingBytes, IncomingFile, NotWritten } from './incoming.ts'
import type { Lanes, Turn } from './lanes.ts'

/** As large as one frame to a process may be. */
const MAX_MEMORY_BYTES = 1024 ** 3

/** Less than this reaches a process faster beside a message than as a file. In bytes. */
export const MIN_FILE_BYTES = 1024 * 1024

/** Bytes in the cache, or in memory where it does not take them. */
export type Fetched = KeptFile | Uint8Array

/** What fetches need. */
export interface FetchesDeps {
  readonly cache: ArtifactCache
  readonly lanes: Lanes
  /** Resolves with the latest that `open` has given, when it is complete and right. */
  readonly download: (
    digest: string,
    open: (facts: ArtifactFacts) => Promise<Incoming>,
    signal: AbortSignal,
  ) => Promise<Incoming>
}

/** One digest that is being fetched. */
interface Fetch {
  readonly digest: string
  readonly wanted: Set<object>
  readonly turn: Turn
  readonly over: AbortController
  /** Somebody waits for it. */
  isAwaited: boolean
  readonly done: Promise<Fetched>
}

/** Nobody waits for the bytes, and the cache does not take them. */
class NotKept extends NotWritten {}

/** The fetches of one engine. */
export class Fetches {
  readonly #deps: FetchesDeps
  readonly #running = new Map<string, Fetch>()
  /** What was fetched ahead, by the call that may ask for it. */
  readonly #held = new Map<object, Map<string, () => void>>()

  constructor(deps: FetchesDeps) {
    this.#deps = deps
  }

  /** The bytes of a digest, for a call. */
  async load(digest: string, call: object): Promise<Fetched> {
    try {
      const kept = await this.#deps.cache.find(digest)
      return kept ?? (await this.#fetched(digest, call))
    } finally {
      this.#held.get(call)?.get(digest)?.()
    }
  }

  /** Fetches what a call may ask for. What goes wrong is told when it asks. */
  ahead({ digest, size, volatile }: ArtifactRef, call: object): void {
    if (volatile || !this.#deps.cache.takes(size)) return
    const held = this.#held.get(call) ?? new Map<string, () => void>()
    this.#held.set(call, held)
    if (held.has(digest)) return
    held.set(digest, this.#deps.cache.hold(digest))
    this.#join(digest, call, false).done.catch(() => held.get(digest)?.())
  }

  /** A call wants nothing any more. */
  leave(call: object): void {
    for (const release of this.#held.get(call)?.values() ?? []) release()
    this.#held.delete(call)
    for (const fetch of this.#running.values()) {
      if (!fetch.wanted.delete(call) || fetch.wanted.size > 0) continue
      this.#running.delete(fetch.digest)
      fetch.over.abort(new Error('the call that wanted it is over'))
      fetch.turn.end()
    }
  }

  async #fetched(digest: string, call: object): Promise<Fetched> {
    try {
      return await this.#join(digest, call, true).done
    } catch (error) {
      if (!(error instanceof NotKept)) throw error
    }
    // it had begun before anybody waited
    return await this.#join(digest, call, true).done
  }

  #join(digest: string, call: object, isAwaited: boolean): Fetch {
    const running = this.#running.get(digest) ?? this.#begin(digest, call, isAwaited)
    running.wanted.add(call)
    if (isAwaited && !running.isAwaited) {
      running.isAwaited = true
      running.turn.urge()
    }
    return running
  }

  #begin(digest: string, call: object, isAwaited: boolean): Fetch {
    const begun: Fetch = {
      digest,
      wanted: new Set([call]),
      turn: this.#deps.lanes.turn(call, isAwaited),
      over: new AbortController(),
      isAwaited,
      done: Promise.resolve().then(() => this.#run(begun)),
    }
    begun.done.catch(() => undefined)
    this.#running.set(digest, begun)
    return begun
  }

  async #run(fetch: Fetch): Promise<Fetched> {
    const { digest, turn } = fetch
    try {
      await turn.come
      const kept = await this.#deps.cache.find(digest)
      return kept ?? (await this.#download(fetch))
    } finally {
      turn.end()
      if (this.#running.get(digest) === fetch) this.#running.delete(digest)
    }
  }

  async #download(fetch: Fetch): Promise<Fetched> {
    const { digest, over } = fetch
    const { cache, download } = this.#deps
    try {
      const incoming = await download(digest, (facts) => this.#open(fetch, facts), over.signal)
      if (incoming instanceof IncomingBytes) return await this.#kept(digest, incoming)
      const kept = incoming instanceof IncomingFile ? await cache.keep(digest, incoming) : null
      if (kept) return kept
    } catch (error) {
      if (!(error instanceof NotWritten) || error instanceof NotKept) throw error
      cache.complain(error.message)
    }
    if (!fetch.isAwaited) throw new NotKept('the cache does not take it')
    const again = await download(digest, async (facts) => inMemory(digest, facts), over.signal)
    return (again as IncomingBytes).data
  }

  async #open(fetch: Fetch, facts: ArtifactFacts): Promise<Incoming> {
    // small ones are in memory anyway, on their way to the process
    if (facts.isVolatile || facts.size === null || facts.size < MIN_FILE_BYTES) return inMemory(fetch.digest, facts)
    const file = await this.#deps.cache.begin(facts.size)
    if (file) return file
    if (!fetch.isAwaited) throw new NotKept('the cache has no room for it')
    return inMemory(fetch.digest, facts)
  }

  async #kept(digest: string, { data, isVolatile }: IncomingBytes): Promise<Uint8Array> {
    // frames of a camera would push out everything else
    if (!isVolatile) await this.#deps.cache.put(digest, data)
    return data
  }
}

function inMemory(digest: string, { size, isVolatile }: ArtifactFacts): IncomingBytes {
  if (size === null || size <= MAX_MEMORY_BYTES) return new IncomingBytes(size, isVolatile)
  throw new Refused(
    `artifact ${digest} has ${size} bytes, and the worker's cache no room for them: set SERVICE_ARTIFACT_CACHE_BYTES to more`,
  )
}
