/**
 * The engines that a worker serves: that of its `--url`, and all others of the same database, which each of them names.
 *
 * - engines.N1 each is known by the address that it says of itself, whichever way the worker came to it: behind an address
 *   that leads to one of several engines the worker is attached to each of them once. A link to an engine that has one
 *   already takes no more calls and ends when it has none.
 * - engines.N2 the worker is attached to those that any of its engines names. One that no other names any more is served
 *   until its link is lost.
 * - engines.N3 while it is attached to none it tries those that it knows, and `--url`, which may lead elsewhere by now.
 *   `--url` of an engine that says no address is tried for as long as the worker runs.
 * - engines.N5 one whose calls go on while its link is lost is not given up, and no other link to it takes its place.
 * - engines.N4 one that refuses the worker is not asked again before the others have stopped to name it. The worker ends
 *   when no other is left, and at once when its token was revoked, which counts for all.
 * @module
 */
import { type AddressOptions, type Addresses, addressesOf } from './addresses.ts'
import { Attachment, type AttachmentDeps, type AttachmentEnd } from './attachment.ts'

/** How the service of all engines has ended. */
export type EnginesEnd = Exclude<AttachmentEnd, { kind: 'gone' }>

/** What is told of the engines. */
export interface EnginesDeps extends Pick<AttachmentDeps, 'connect' | 'directory' | 'onIdle' | 'random' | 'onLost'> {
  /** The first address, and what holds for the others too. */
  readonly address: AddressOptions
  /** Only that of the first address. */
  readonly single: boolean
  /** Serves calls over a link, and tells what is said of engines. */
  readonly serve: (
    link: Parameters<AttachmentDeps['serve']>[0],
    onEngines: (urls: readonly string[]) => void,
  ) => ReturnType<AttachmentDeps['serve']>
  readonly onWelcome: AttachmentDeps['onWelcome']
  /** To so many engines it is attached now. */
  readonly onStanding: (count: number) => void
  readonly onProblem: (detail: string) => void
}

/** Attachments to the engines of one database. */
export class Engines {
  /** Settles when nothing is left of them: null when they were closed. Never rejects. */
  readonly over: Promise<EnginesEnd | null>
  readonly #deps: EnginesDeps
  readonly #first: Addresses
  readonly #known = new Map<string, Attachment>()
  readonly #running = new Set<Attachment>()
  readonly #over = Promise.withResolvers<EnginesEnd | null>()
  /** Those that do not take the worker, and those that it may not dial. */
  readonly #givenUp = new Set<string>()
  /** What engines have named last. */
  #named: ReadonlySet<string> = new Set()
  #isClosed = false
  #end: EnginesEnd | null = null

  /** Throws an `InvalidOption` for an address that is none. */
  constructor(deps: EnginesDeps) {
    this.#deps = deps
    this.#first = addressesOf(deps.address)
    this.over = this.#over.promise
    this.#open(deps.address.url, this.#first)
  }

  /** Ends all attachments; their calls fail as `worker_lost`. */
  close(reason: 'max_idle' | 'shutdown'): void {
    this.#isClosed = true
    for (const attachment of this.#running) attachment.close(reason)
  }

  #open(url: string, addresses: Addresses): void {
    const attachment: Attachment = new Attachment(url, addresses, {
      ...this.#deps,
      serve: (link) =>
        this.#deps.serve(link, (urls) => {
          attachment.names(urls)
          if (attachment.isStanding) this.#settle()
        }),
      onWelcome: (of, welcome, resumed) => {
        this.#welcomed(of, welcome.url ?? null)
        this.#deps.onWelcome(of, welcome, resumed)
      },
      onLost: (of, detail, retryMs) => {
        this.#deps.onLost(of, detail, retryMs)
        this.#settle()
      },
    })
    this.#known.set(url, attachment)
    this.#running.add(attachment)
    void attachment.run().then((end) => this.#ended(attachment, end))
  }

  /** An engine says by which address it goes (engines.N1). */
  #welcomed(attachment: Attachment, url: string | null): void {
    const name = this.#deps.single || url === null ? attachment.url : url
    const other = this.#known.get(name)
    if (this.#known.get(attachment.url) === attachment) this.#known.delete(attachment.url)
    if (other && other !== attachment && (other.isStanding || other.isHolding)) {
      attachment.leave()
    } else {
      // one that is being dialled notices by itself that it is late
      if (other !== attachment) other?.drop()
      this.#known.set(name, attachment)
      if (attachment.url !== name) attachment.addresses = this.#addressesOf(name) ?? attachment.addresses
      attachment.url = name
    }
    this.#settle()
  }

  /** Attaches where it should be attached, and nowhere else. */
  #settle(): void {
    const standing = [...this.#known.values()].filter(({ isStanding }) => isStanding)
    this.#deps.onStanding(standing.length)
    if (this.#isClosed) return
    if (standing.length > 0 && !this.#deps.single) {
      this.#named = new Set(standing.flatMap(({ engines }) => engines))
    }
    const { url: first } = this.#deps.address
    for (const url of this.#givenUp) if (url !== first && !this.#named.has(url)) this.#givenUp.delete(url)
    for (const url of this.#named) if (!this.#known.has(url)) this.#dial(url)
    if (standing.length === 0) {
      const isKept = [...this.#known.values()].some(({ isHolding }) => isHolding)
      if (!isKept && !this.#known.has(first) && !this.#givenUp.has(first)) this.#open(first, this.#first)
      return
    }
    for (const [url, attachment] of this.#known) {
      const isWanted = this.#named.has(url) || (url === first && (attachment.isUnlisted || this.#deps.single))
      if (!attachment.isStanding && !attachment.isHolding && !isWanted) this.#forget(attachment)
    }
  }

  #dial(url: string): void {
    if (this.#givenUp.has(url)) return
    const addresses = this.#addressesOf(url)
    if (addresses) this.#open(url, addresses)
    else this.#givenUp.add(url)
  }

  /** Null for an address that this worker may not dial; then it says why. */
  #addressesOf(url: string): Addresses | null {
    try {
      return addressesOf({ ...this.#deps.address, url })
    } catch (error) {
      this.#deps.onProblem(`an engine of the database names ${url}, which is not dialled: ${(error as Error).message}`)
      return null
    }
  }

  #forget(attachment: Attachment): void {
    if (this.#known.get(attachment.url) === attachment) this.#known.delete(attachment.url)
    attachment.drop()
  }

  #ended(attachment: Attachment, end: AttachmentEnd): void {
    this.#running.delete(attachment)
    this.#forget(attachment)
    if (end.kind !== 'gone') this.#refused(attachment, end)
    this.#settle()
    if (this.#running.size === 0) this.#over.resolve(this.#end)
  }

  /** An engine does not take the worker (engines.N4). */
  #refused({ url }: Attachment, end: EnginesEnd): void {
    if (this.#isClosed) return
    if (end.wasAttached || this.#running.size === 0) {
      this.#end = end
      this.close('shutdown')
      return
    }
    this.#givenUp.add(url)
    this.#deps.onProblem(`the engine at ${url} is served no more: ${end.detail}`)
  }
}
