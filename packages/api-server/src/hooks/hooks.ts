/**
 * The mounted webhooks: which handler a path below `/hooks` belongs to (wire decisions G06, G68).
 *
 * Paths are compared by their decoded segments: a segment that holds an escaped `/` never matches two. Whether a
 * secret fits is told in a time that does not depend on how much of it is right.
 * @module
 */
import { hash, timingSafeEqual } from 'node:crypto'

import type { Cancel, HookRequest, HookRoute } from '@flow-service/connector-sdk'

/** Takes an accepted request; throws `HookRefusal` or `DtypeViolation` to refuse what it carries. */
export type HookHandler = (request: HookRequest) => void | Promise<void>

/** A mounted webhook. */
export interface Hook {
  readonly methods: readonly ('GET' | 'POST')[]
  readonly handler: HookHandler
}

/** The webhooks of the active flows. */
export interface Hooks {
  /**
   * Mounts a webhook at `{flow}/{path}/{secret}`; the result unmounts it. Throws an error when the flow has one at
   * that path already, or when no URL can name the path.
   */
  register(flow: string, route: HookRoute, handler: HookHandler): Cancel
  /** The webhook behind the raw path below `/hooks`; nothing tells an unknown path from a wrong secret. */
  find(rawPath: string): Hook | undefined
}

interface Entry extends Hook {
  /** SHA-256 of the secret. */
  readonly proof: Buffer | null
}

const digestOf = (secret: string): Buffer => hash('sha256', secret, 'buffer')
/** Compared with when there is no route, so that a missing route takes as long as a wrong secret. */
const nobody = digestOf('')

/** A table of webhooks without any. */
export function createHooks(): Hooks {
  const entries = new Map<string, Entry>()
  return {
    register(flow, route, handler) {
      const key = keyOf([flow, ...routeSegments(route.path)])
      if (entries.has(key)) {
        throw new Error(`flow "${flow}" has two webhooks at "${route.path}"; give each one a path of its own`)
      }
      const proof = route.secret === null ? null : digestOf(route.secret)
      const entry = { methods: route.methods, handler, proof }
      entries.set(key, entry)
      return () => {
        if (entries.get(key) === entry) entries.delete(key)
      }
    },
    find(rawPath) {
      const segments = requestSegments(rawPath)
      if (segments === null) return undefined
      const open = entries.get(keyOf(segments))
      if (open?.proof === null) return open
      const secret = segments.pop() ?? ''
      const closed = entries.get(keyOf(segments))
      const proven = timingSafeEqual(digestOf(secret), closed?.proof ?? nobody)
      return proven && closed?.proof ? closed : undefined
    },
  }
}

/** Joined by half a surrogate pair, which no decoded segment can hold: different paths have different keys. */
const keyOf = (segments: readonly string[]): string => segments.join('\ud800')

function routeSegments(path: string): string[] {
  const inner = path.replaceAll(/^\/|\/$/g, '')
  const segments = inner === '' ? [] : inner.split('/')
  // clients resolve dots before they send
  const unreachable = segments.some((segment) => segment === '' || segment === '.' || segment === '..')
  if (unreachable || !path.isWellFormed()) {
    throw new Error(
      `no URL can name the path "${path}" of a webhook: use names with "/" between them, like "meters/hall"`,
    )
  }
  return segments
}

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
