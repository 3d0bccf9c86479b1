/**
 * Who is behind open sockets. A socket is refused what a request would be: when its user may no more sign in, their
 * tokens were voided by a new password, or the key or token that it was opened with was revoked or has ended, it is closed.
 *
 * Whoever changes an account or a token tells all engines of the database; what is not heard, because somebody wrote to
 * the table or a connection was lost, is found by looking at all guests each {@link REVIEW_MS}.
 * @module
 */
import type { WebSocket } from 'ws'

import type { Log } from '../process/log.ts'
import type { UserPrincipal } from './principal.ts'
import { closeSocket, SERVICE_RESTART, STOPPING } from './upgrade.ts'

/** A user, as of a version of their tokens; or a key or token that is as it was made, of version 0. */
export interface Guest {
  readonly id: string
  readonly version: number
  /** When it ends by itself, in milliseconds since the Unix epoch; never unless given. */
  readonly endsAtMs?: number | null
}

/** A user as a guest: by their session, or by the key or token that they came with. */
export const guestOf = ({ id, grant }: Pick<UserPrincipal, 'id' | 'grant'>): Guest => ({
  id: grant.id ?? id,
  version: grant.version,
  endsAtMs: grant.endsAtMs,
})

/** What looking at guests takes. */
export interface SocketGuestsDeps {
  /** The versions that guests must have now; who may not come in at all is left out. */
  readonly versionsOf: (ids: readonly string[]) => Promise<ReadonlyMap<string, number>>
  /** With what the sockets of a guest are closed whom a request would be refused. */
  readonly ending: { readonly code: number; readonly reason: string }
  readonly log: Pick<Log, 'error'>
  /** Sockets that one guest may have open; {@link MAX_SOCKETS} unless given. */
  readonly maxSockets?: number
}

/** Sockets that one guest may have open on an engine: more than a busy console, twice what it is measured with. */
const MAX_SOCKETS = 4_000
/** How often all guests are looked at, in milliseconds. */
const REVIEW_MS = 30_000
/** The longest that a timer of Node.js waits, in milliseconds. */
const MAX_TIMER_MS = 2 ** 31 - 1
const POLICY_VIOLATION = 1008

type Socket = Pick<WebSocket, 'close' | 'once' | 'terminate'>

/** The guests of open sockets. */
export class SocketGuests {
  readonly #deps: SocketGuestsDeps
  readonly #sockets = new Map<string, Map<Socket, number>>()
  #timer: NodeJS.Timeout | null = null
  #isClosed = false

  constructor(deps: SocketGuestsDeps) {
    this.#deps = deps
  }

  /** Watches over a socket until it closes; closes one that is too many or too late, and then answers false. */
  admit({ id, version, endsAtMs = null }: Guest, socket: Socket): boolean {
    if (this.#isClosed) {
      void closeSocket(socket, SERVICE_RESTART, STOPPING)
      return false
    }
    const own = this.#sockets.get(id) ?? new Map<Socket, number>()
    const max = this.#deps.maxSockets ?? MAX_SOCKETS
    if (own.size >= max) {
      socket.close(POLICY_VIOLATION, `you have ${max} sockets open; close some`)
      return false
    }
    this.#sockets.set(id, own.set(socket, version))
    this.#timer ??= setInterval(() => void this.review(), REVIEW_MS).unref()
    socket.once('close', () => this.#forget(id, socket))
    if (endsAtMs !== null) this.#endAt(endsAtMs, socket)
    // the guest may have changed between the look at it and now
    void this.review([id])
    return true
  }

  /** Whether a request of a guest would be taken now. */
  async isWelcome({ id, version, endsAtMs = null }: Guest): Promise<boolean> {
    const wanted = (await this.#deps.versionsOf([id])).get(id)
    return wanted !== undefined && wanted <= version && (endsAtMs === null || Date.now() < endsAtMs)
  }

  /** Closes the sockets of guests, of all unless given, whom a request would be refused. Never rejects. */
  async review(ids: readonly string[] = [...this.#sockets.keys()]): Promise<void> {
    const asked = ids.filter((id) => this.#sockets.has(id))
    if (asked.length === 0) return
    try {
      const versions = await this.#deps.versionsOf(asked)
      for (const id of asked) this.#close(id, versions.get(id))
    } catch (error) {
      // a database that does not answer ends no sign-in
      this.#deps.log.error({ err: error }, 'who is behind open sockets could not be looked at')
    }
  }

  /** Closes all sockets, because the engine stops. */
  async close(): Promise<void> {
    this.#isClosed = true
    const sockets = [...this.#sockets.values()].flatMap((own) => [...own.keys()])
    await Promise.all(sockets.map((socket) => closeSocket(socket, SERVICE_RESTART, STOPPING)))
  }

  #close(id: string, version: number | undefined): void {
    for (const [socket, own] of this.#sockets.get(id) ?? []) {
      // a newer version than the one that was asked for is the next review's
      if (version === undefined || own < version) this.#end(socket)
    }
  }

  #end(socket: Socket): void {
    const { code, reason } = this.#deps.ending
    void closeSocket(socket, code, reason)
  }

  #endAt(endsAtMs: number, socket: Socket): void {
    const leftMs = endsAtMs - Date.now()
    if (leftMs <= 0) return this.#end(socket)
    const timer = setTimeout(() => this.#endAt(endsAtMs, socket), Math.min(leftMs, MAX_TIMER_MS)).unref()
    socket.once('close', () => clearTimeout(timer))
  }

  #forget(id: string, socket: Socket): void {
    const own = this.#sockets.get(id)
    own?.delete(socket)
    if (own?.size === 0) this.#sockets.delete(id)
    if (this.#sockets.size > 0 || this.#timer === null) return
    clearInterval(this.#timer)
    this.#timer = null
  }
}
