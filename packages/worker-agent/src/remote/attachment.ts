/**
 * The attachment of a worker to one engine: attaches, serves calls, and attaches again when the link was lost. Where the
 * engine lets calls outlive a lost link (`resumable-link.ts`), the agent with them goes on over the next connection. Else an
 * attempt leaves nothing behind: the next one begins when all processes of the last one are gone.
 * @module
 */
import { setTimeout as pause } from 'node:timers/promises'

import type { WelcomeFrame } from '@flow-service/protocol'

import { type Worker, WorkerRefused } from '../agent.ts'
import type { Addresses } from './addresses.ts'
import { Backoff } from './backoff.ts'
import { type Connection, type LostLink, NoConnection } from './connection.ts'
import { ResumableLink } from './resumable-link.ts'

/** Attempts within the time that an engine waits for the worker, at the least: waits are no longer than this part of it. */
const ATTEMPTS_IN_GAP = 8
/** And no longer than this. */
const LONGEST_WAIT_IN_GAP_MS = 3000

type Refusal = Exclude<AttachmentEnd, { readonly kind: 'gone' }>

/** Why an attachment has ended for good. `gone` was the worker's own doing. */
export type AttachmentEnd =
  | { readonly kind: 'gone' }
  | { readonly kind: 'refused' | 'credential'; readonly detail: string; readonly wasAttached: boolean }

/** What an attachment needs of its worker. */
export interface AttachmentDeps {
  /** Opens a link; rejects with a {@link NoConnection}. */
  readonly connect: (addresses: Addresses, signal: AbortSignal) => Promise<Connection>
  /** Serves calls over a link. */
  readonly serve: (link: ResumableLink) => Worker
  /** A new empty directory for frames that wait for the engine. */
  readonly directory: () => string
  /** The engine has heard all of the calls that it has given. */
  readonly onIdle: () => void
  readonly random: (() => number) | undefined
  /** An engine has welcomed the worker; so many calls of before go on. */
  readonly onWelcome: (attachment: Attachment, welcome: WelcomeFrame, resumed: number) => void
  /** The link is gone, or there was none; the next attempt is made so many milliseconds later. */
  readonly onLost: (attachment: Attachment, detail: string, retryMs: number) => void
}

/** An agent, and the link that it has. */
interface Served {
  readonly link: ResumableLink
  readonly worker: Worker
  /** Why it was never welcomed; null when it was. */
  readonly failure: Promise<Error | null>
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
  #served: Served | null = null
  #isClosing = false
  /** What the engine said last of those of its database. */
  #engines: readonly string[] | null = null
  #isStanding = false
  /** How long the engine waits for the worker, as it said last, and until when it does. */
  #resumeMs = 0
  #awaitedUntilMs = 0
  /** Of the last link, if that was lost without calls. */
  #idleSession: string | null = null

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

  /** Calls that go on while it is not attached. */
  get kept(): number {
    return this.#served?.link.kept ?? 0
  }

  /** Whether the engine may yet hear of calls that it has not heard all of: it is not attached, and comes back. */
  get isHolding(): boolean {
    return !this.#isStanding && (this.#served?.link.isHolding ?? false)
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
      const waitMs = this.#backoff.next()
      // the engine may wait for what the worker has to say of its calls, or that it has none
      const retryMs = performance.now() < this.#awaitedUntilMs ? Math.min(waitMs, this.#gapWaitMs()) : waitMs
      this.#deps.onLost(this, end.detail, retryMs)
      // oxlint-disable-next-line no-await-in-loop -- see above
      await pause(retryMs, undefined, { signal }).catch(() => undefined)
    }
    // one that was told to close gives its processes time
    if (!this.#isClosing) this.#served?.link.end()
    await this.#served?.worker.closed
    this.#served?.link.end()
    return { kind: 'gone' }
  }

  /** The longest wait while the engine waits too; not the same for all of its workers. */
  #gapWaitMs(): number {
    const { random = Math.random } = this.#deps
    return (Math.min(this.#resumeMs / ATTEMPTS_IN_GAP, LONGEST_WAIT_IN_GAP_MS) * (1 + random())) / 2
  }

  /** Makes no further attempt; what is attached stays until the link is lost. */
  drop(): void {
    this.#over.abort()
  }

  /** Takes no more calls, and ends when those that it has are over. */
  leave(): void {
    this.#over.abort()
    void this.#served?.worker.leave()
  }

  /** Ends, and its calls as `worker_lost`. */
  close(reason: 'max_idle' | 'shutdown'): void {
    this.#isClosing = true
    this.#over.abort()
    void this.#served?.worker.close(reason)
  }

  /** From dialling to the end of the connection. */
  async #attempt(): Promise<AttachmentEnd | LostLink> {
    let connection: Connection | null = null
    try {
      await this.#clear()
      connection = await this.#deps.connect(this.addresses, this.#over.signal)
      return await this.#serve(connection)
    } catch (error) {
      if (error instanceof NoConnection && error.end.kind === 'lost') return error.end
      if (error instanceof NoConnection) {
        this.#served?.link.end()
        await this.#clear()
        return refusal(error.end as Refusal, false)
      }
      // there is no room for temporary files, say; that may pass
      await connection?.close()
      return { kind: 'lost', detail: (error as Error).message }
    }
  }

  /** Settles when nothing is left of an agent whose link has ended. */
  async #clear(): Promise<void> {
    if (this.#served?.link.isOver !== true) return
    await this.#served.worker.closed
    this.#idleSession = this.#served.link.idleSession
    this.#served = null
  }

  async #serve(connection: Connection): Promise<AttachmentEnd | LostLink> {
    if (this.#served?.link.isOver === true) throw new Error('the time for which calls were kept has passed')
    const { link, worker, failure } = (this.#served ??= this.#begin())
    const used = link.use(connection)
    if (this.#over.signal.aborted) void worker.close()
    const state = await Promise.race([used, worker.closed])
    if (this.#isStanding) this.#awaitedUntilMs = performance.now() + this.#resumeMs
    this.#isStanding = false
    this.#engines = null
    if (state === 'away') return { kind: 'lost', detail: (await connection.ended).detail }
    await worker.closed
    this.#served = null
    this.#idleSession = link.idleSession
    const end = await connection.close()
    const reason = await failure
    if (reason instanceof WorkerRefused) return refusal({ kind: 'refused', detail: reason.message }, false)
    if (end.kind === 'refused' || end.kind === 'credential') return refusal(end, reason === null)
    if (this.#over.signal.aborted) return { kind: 'gone' }
    return { kind: 'lost', detail: end.kind === 'lost' ? end.detail : (reason?.message ?? end.detail) }
  }

  /** Makes an agent that has not said hello. */
  #begin(): Served {
    const { directory, onIdle, random } = this.#deps
    const link = new ResumableLink({
      directory,
      lastSession: this.#idleSession,
      onIdle,
      random,
      onWelcome: (welcome, resumed) => this.#welcomed(welcome, resumed),
    })
    const worker = this.#deps.serve(link)
    const failure = worker.ready.then(
      () => null,
      (error: Error) => {
        void worker.close()
        return error
      },
    )
    return { link, worker, failure }
  }

  #welcomed(welcome: WelcomeFrame, resumed: number): void {
    this.#backoff.reset()
    this.#isStanding = true
    this.#resumeMs = (welcome.resume_s ?? 0) * 1000
    this.#engines = welcome.engines ?? []
    this.isUnlisted = (welcome.url ?? null) === null
    this.#deps.onWelcome(this, welcome, resumed)
  }
}

const refusal = ({ kind, detail }: Pick<Refusal, 'kind' | 'detail'>, wasAttached: boolean): Refusal => ({
  kind,
  detail,
  wasAttached,
})
