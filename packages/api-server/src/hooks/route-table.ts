/**
 * What is mounted below `/hooks`, by flow, path and secret, and below `/connectors`, by type, flow and node (wire decisions G06, G59, G68).
 *
 * Paths are compared by their decoded segments: a segment that holds an escaped `/` never matches two. Whether a
 * secret fits is told in a time that does not depend on how much of it is right. What is held (a flow is rebuilt) has
 * its requests wait, unanswered and unread, and looks again then: route and secret are those of that moment.
 * @module
 */
import { hash, timingSafeEqual } from 'node:crypto'

import type { SocketRoute } from '@flow-service/connector-sdk'
import type { Mount } from '@flow-service/core'

import { ProblemError } from '../http/errors.ts'

/** How long a request waits for a route that is held. */
const PATIENCE_MS = 15_000

/** A mounted thing. Requests wait for its gate while there is one; who takes its place takes over the gate. */
interface Entry<T> {
  readonly mounted: T
  /** SHA-256 of the secret. */
  readonly proof: Buffer | null
  gate: PromiseWithResolvers<void> | null
  /** Whether another one may take its place. */
  isLeaving: boolean
}

/** What mounting tells. */
interface Mounting<T> {
  readonly mount: Mount
  /** What was mounted there before, held and with an equal secret. */
  readonly earlier: T | null
}

const digestOf = (secret: string): Buffer => hash('sha256', secret, 'buffer')
/** Compared with when there is no route, so that a missing route takes as long as a wrong secret. */
const nobody = digestOf('')

/** The mounted things of one kind; `kind` names it in errors. */
export class RouteTable<T> {
  readonly #entries = new Map<string, Entry<T>>()
  readonly #kind: string

  constructor(kind: string) {
    this.#kind = kind
  }

  /**
   * Mounts at `{flow}/{path}/{secret}`; requests wait until it is opened. Throws an error when the flow has one at that
   * path already that was not held, or when no URL can name the path.
   */
  mount(flow: string, { path, secret }: SocketRoute, mounted: T): Mounting<T> {
    const key = keyOf([flow, ...this.#segmentsOf(path)])
    const earlier = this.#entries.get(key)
    if (earlier?.isLeaving === false) {
      throw new Error(`flow "${flow}" has two ${this.#kind}s at "${path}"; give each one a path of its own`)
    }
    const proof = secret === null ? null : digestOf(secret)
    const entry: Entry<T> = { mounted, proof, gate: earlier?.gate ?? Promise.withResolvers(), isLeaving: false }
    this.#entries.set(key, entry)
    const mount: Mount = {
      hold() {
        entry.isLeaving = true
        entry.gate ??= Promise.withResolvers()
      },
      open() {
        entry.gate?.resolve()
        entry.gate = null
      },
      unmount: () => {
        if (this.#entries.get(key) !== entry) return
        this.#entries.delete(key)
        entry.gate?.resolve()
      },
    }
    return { mount, earlier: earlier !== undefined && isSame(earlier.proof, proof) ? earlier.mounted : null }
  }

  /**
   * What the raw path below `/hooks` leads to, once it is not held; refuses with `unavailable` when that takes long.
   */
  async found(rawPath: string, isPortal = false): Promise<T | undefined> {
    const untilMs = performance.now() + PATIENCE_MS
    let entry = this.#entryAt(rawPath, isPortal)
    while (entry?.gate) {
      // oxlint-disable-next-line no-await-in-loop -- another one may be there then
      if (!(await isOpen(entry.gate.promise, untilMs - performance.now()))) throw isHeld()
      entry = this.#entryAt(rawPath, isPortal)
    }
    return entry?.mounted
  }

  /** As `found`, at once; undefined for what is held. */
  find(rawPath: string, isPortal = false): T | undefined {
    const entry = this.#entryAt(rawPath, isPortal)
    return entry?.gate === null ? entry.mounted : undefined
  }

  /**
   * Nothing tells an unknown path from a wrong secret. Who comes through the portal finds only what has a secret.
   */
  #entryAt(rawPath: string, isPortal: boolean): Entry<T> | undefined {
    const segments = requestSegments(rawPath)
    if (segments === null) return undefined
    const open = this.#entries.get(keyOf(segments))
    if (open?.proof === null && !isPortal) return open
    const secret = segments.pop() ?? ''
    const closed = this.#entries.get(keyOf(segments))
    const proven = timingSafeEqual(digestOf(secret), closed?.proof ?? nobody)
    return proven && closed?.proof ? closed : undefined
  }

  #segmentsOf(path: string): string[] {
    const inner = path.replaceAll(/^\/|\/$/g, '')
    const segments = inner === '' ? [] : inner.split('/')
    // clients resolve dots before they send
    const unreachable = segments.some((segment) => segment === '' || segment === '.' || segment === '..')
    if (unreachable || !path.isWellFormed()) {
      throw new Error(
        `no URL can name the path "${path}" of a ${this.#kind}: use names with "/" between them, like "meters/hall"`,
      )
    }
    return segments
  }
}

const isSame = (one: Buffer | null, other: Buffer | null): boolean =>
  one === null || other === null ? one === other : one.equals(other)

/** False when it takes longer. */
async function isOpen(gate: Promise<void>, waitMs: number): Promise<boolean> {
  const late = Promise.withResolvers<false>()
  const timer = setTimeout(late.resolve, waitMs, false)
  try {
    return await Promise.race([gate.then(() => true), late.promise])
  } finally {
    clearTimeout(timer)
  }
}

const isHeld = (): ProblemError =>
  new ProblemError('unavailable', 'the flow is being rebuilt, which takes long; try again', { retry_after_s: 1 })

/** Joined by half a surrogate pair, which no decoded segment can hold: different paths have different keys. */
const keyOf = (segments: readonly string[]): string => segments.join('\ud800')

/** The decoded segments of a path as sent, or null when it cannot be decoded. */
export function requestSegments(rawPath: string): string[] | null {
  const segments = rawPath.slice(rawPath.startsWith('/') ? 1 : 0, rawPath.endsWith('/') ? -1 : undefined).split('/')
  if (!rawPath.includes('%')) return segments
  try {
    return segments.map(decodeURIComponent)
  } catch {
    return null
  }
}
