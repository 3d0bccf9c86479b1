/**
 * What is mounted below `/hooks`, by flow, path and secret (wire decisions G06, G59, G68).
 *
 * Paths are compared by their decoded segments: a segment that holds an escaped `/` never matches two. Whether a
 * secret fits is told in a time that does not depend on how much of it is right.
 * @module
 */
import { hash, timingSafeEqual } from 'node:crypto'

import type { Cancel, SocketRoute } from '@flow-service/connector-sdk'

interface Entry<T> {
  readonly mounted: T
  /** SHA-256 of the secret. */
  readonly proof: Buffer | null
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
   * Mounts at `{flow}/{path}/{secret}`; the result unmounts. Throws an error when the flow has one at that path already,
   * or when no URL can name the path.
   */
  mount(flow: string, { path, secret }: SocketRoute, mounted: T): Cancel {
    const key = keyOf([flow, ...this.#segmentsOf(path)])
    if (this.#entries.has(key)) {
      throw new Error(`flow "${flow}" has two ${this.#kind}s at "${path}"; give each one a path of its own`)
    }
    const entry = { mounted, proof: secret === null ? null : digestOf(secret) }
    this.#entries.set(key, entry)
    return () => {
      if (this.#entries.get(key) === entry) this.#entries.delete(key)
    }
  }

  /**
   * What the raw path below `/hooks` leads to; nothing tells an unknown path from a wrong secret. Who comes through the
   * portal finds only what has a secret.
   */
  find(rawPath: string, isPortal = false): T | undefined {
    const segments = requestSegments(rawPath)
    if (segments === null) return undefined
    const open = this.#entries.get(keyOf(segments))
    if (open?.proof === null && !isPortal) return open.mounted
    const secret = segments.pop() ?? ''
    const closed = this.#entries.get(keyOf(segments))
    const proven = timingSafeEqual(digestOf(secret), closed?.proof ?? nobody)
    return proven && closed?.proof ? closed.mounted : undefined
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

/** Joined by half a surrogate pair, which no decoded segment can hold: different paths have different keys. */
const keyOf = (segments: readonly string[]): string => segments.join('\ud800')

/** The decoded segments of a path as sent, or null when it cannot be decoded. */
function requestSegments(rawPath: string): string[] | null {
  const segments = rawPath.slice(rawPath.startsWith('/') ? 1 : 0, rawPath.endsWith('/') ? -1 : undefined).split('/')
  if (!rawPath.includes('%')) return segments
  try {
    return segments.map(decodeURIComponent)
  } catch {
    return null
  }
}
