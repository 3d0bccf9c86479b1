/**
 * The attachment of a worker to one engine: attaches, serves calls, and attaches again when the link was lost. An attempt
 * leaves nothing behind: the next one begins when all processes of the last one are gone.
 * @module
 */
import { setTimeout as pause } from 'node:timers/promises'

import type { EngineFrame } from '@flow-service/protocol'

import { type Worker, WorkerRefused } from '../agent.ts'
import type { Addresses } from './addresses.ts'
import { Backoff } from './backoff.ts'
import { type Connection, type LostLink, NoConnection } from './connection.ts'

type Refusal = Exclude<AttachmentEnd, { readonly kind: 'gone' }>
type Welcome = Extract<EngineFrame, { type: 'welcome' }>

/** Why an attachment has ended for good. `gone` was the worker's own doing. */
export type AttachmentEnd =
  | { readonly kind: 'gone' }
  | { readonly kind: 'refused' | 'credential'; readonly detail: string; readonly wasAttached: boolean }

/** What an attachment needs of its worker. */
export interface AttachmentDeps {
  /** Opens a link; rejects with a {@link NoConnection}. */
  readonly connect: (addresses: Addresses, signal: AbortSignal) => Promise<Connection>
  /** Serves calls over a link. */
  readonly serve: (link: Connection) => Worker
  readonly random: (() => number) | undefined
  /** An engine has welcomed the worker. */
  readonly onWelcome: (attachment: Attachment, welcome: Welcome) => void
  /** The link is gone, or there was none; the next attempt is made so many milliseconds later. */
  readonly onLost: (attachment: Attachment, detail: string, retryMs: number) => void
}

/** One engine as a worker serves it. */
export class Attachment {
  /** By which the worker knows the engine. */
  url: string
  /** Where it is dialled. */
  addresses: Addresses
  /** The engine says no address of its own. */
  isUnlisted = false
  readonly #deps: AttachmentDeps
  readonly #backoff: Backoff
  /** No more attempts. */
  readonly #over = new AbortController()
  #worker: Worker | null = null
  /** What the engine said last of those of its database. */
  #engines: readonly string[] | null = null
  #isStanding = false

  constructor(url: string, addresses: Addresses, deps: AttachmentDeps) {
    this.url = url
    this.addresses = addresses
    this.#deps = deps
    this.#backoff = new Backoff(deps.random)
  }

  /** Whether the worker is attached here. */
  get isStanding(): boolean {
    return this.#isStanding
  }

  /** The engines that it names. */
  get engines(): readonly string[] {
    return this.#engines ?? []
  }

  /** The engine names others than before. */
  names(engines: readonly string[]): void {
    this.#engines = engines
  }

  /** Attaches until it ends for good. */
  async run(): Promise<AttachmentEnd> {
    const { signal } = this.#over
    while (!signal.aborted) {
      // oxlint-disable-next-line no-await-in-loop -- one attempt after the other
      const end = await this.#attempt()
      if (end.kind !== 'lost') return end
      if (signal.aborted) break
      const retryMs = this.#backoff.next()
      this.#deps.onLost(this, end.detail, retryMs)
      // oxlint-disable-next-line no-await-in-loop -- see above
      await pause(retryMs, undefined, { signal }).catch(() => undefined)
    }
    return { kind: 'gone' }
  }

  /** Makes no further attempt; what is attached stays until the link is lost. */
  drop(): void {
    this.#over.abort()
  }

  /** Takes no more calls, and ends when those that it has are over. */
  leave(): void {
    this.#over.abort()
    void this.#worker?.leave()
  }

  /** Ends, and its calls as `worker_lost`. */
  close(reason: 'max_idle' | 'shutdown'): void {
    this.#over.abort()
    void this.#worker?.close(reason)
  }

  /** From dialling to the end of the link. */
  async #attempt(): Promise<AttachmentEnd | LostLink> {
    let link: Connection | null = null
    try {
      link = await this.#deps.connect(this.addresses, this.#over.signal)
      return await this.#serve(link)
    } catch (error) {
      if (error instanceof NoConnection) return error.end.kind === 'lost' ? error.end : refusal(error.end, false)
      // there is no room for temporary files, say; that may pass
      await link?.close()
      return { kind: 'lost', detail: (error as Error).message }
    }
  }

  async #serve(link: Connection): Promise<AttachmentEnd | LostLink> {
    const worker = this.#deps.serve(link)
    this.#worker = worker
    if (this.#over.signal.aborted) void worker.close()
    const failure = await worker.ready.then(
      (welcome) => this.#welcomed(welcome),
      (error: Error) => {
        void worker.close()
        return error
      },
    )
    await worker.closed
    this.#worker = null
    this.#isStanding = false
    this.#engines = null
    const end = await link.close()
    if (failure instanceof WorkerRefused) return refusal({ kind: 'refused', detail: failure.message }, false)
    if (end.kind === 'refused' || end.kind === 'credential') return refusal(end, failure === null)
    if (this.#over.signal.aborted) return { kind: 'gone' }
    return { kind: 'lost', detail: end.kind === 'lost' ? end.detail : (failure?.message ?? end.detail) }
  }

  #welcomed(welcome: Welcome): null {
    this.#backoff.reset()
    this.#isStanding = true
    // it may have named others since
    this.#engines ??= welcome.engines ?? []
    this.isUnlisted = (welcome.url ?? null) === null
    this.#deps.onWelcome(this, welcome)
    return null
  }
}

const refusal = ({ kind, detail }: Pick<Refusal, 'kind' | 'detail'>, wasAttached: boolean): Refusal => ({
  kind,
  detail,
  wasAttached,
})
