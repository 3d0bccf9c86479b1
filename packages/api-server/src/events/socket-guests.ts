/**
 * Who is behind the open event sockets. A socket is refused what a request would be: when its user may no more sign in,
 * or their tokens were voided by a new password, it is closed.
 *
 * Whoever changes an account tells all engines of the database (`accountChanged`); what is not heard, because somebody
 * wrote to the table or a connection was lost, is found by looking at all users of open sockets each
 * {@link REVIEW_MS}.
 * @module
 */
import type { WebSocket } from 'ws'

/** A user, as of a version of their tokens. */
export interface Guest {
  readonly userId: string
  readonly tokenVersion: number
}

/** What looking at users takes. */
export interface SocketGuestsDeps {
  /** The versions that tokens must have now, by user; a user who may not sign in is left out. */
  readonly versionsOf: (userIds: readonly string[]) => Promise<ReadonlyMap<string, number>>
  readonly log: { error(fields: object, message: string): void }
  /** Sockets that one user may have open; {@link MAX_SOCKETS} unless given. */
  readonly maxSockets?: number
}

/** Event sockets that one user may have open on an engine: more than a busy console, twice what it is measured with. */
const MAX_SOCKETS = 4_000
/** How often all users are looked at, in milliseconds. */
const REVIEW_MS = 30_000
const POLICY_VIOLATION = 1008

type Socket = Pick<WebSocket, 'close' | 'once'>

/** The users of open sockets. */
export class SocketGuests {
  readonly #deps: SocketGuestsDeps
  readonly #sockets = new Map<string, Map<Socket, number>>()
  #timer: NodeJS.Timeout | null = null

  constructor(deps: SocketGuestsDeps) {
    this.#deps = deps
  }

  /** Watches over a socket until it closes; closes one that is too many, and then answers false. */
  admit({ userId, tokenVersion }: Guest, socket: Socket): boolean {
    const own = this.#sockets.get(userId) ?? new Map<Socket, number>()
    const max = this.#deps.maxSockets ?? MAX_SOCKETS
    if (own.size >= max) {
      socket.close(POLICY_VIOLATION, `you have ${max} event sockets open; close some`)
      return false
    }
    this.#sockets.set(userId, own.set(socket, tokenVersion))
    this.#timer ??= setInterval(() => void this.review(), REVIEW_MS).unref()
    socket.once('close', () => this.#forget(userId, socket))
    // the account may have changed between the look at it and now
    void this.review([userId])
    return true
  }

  /** Closes the sockets of users, of all unless given, whom a request would be refused. Never rejects. */
  async review(userIds: readonly string[] = [...this.#sockets.keys()]): Promise<void> {
    const asked = userIds.filter((id) => this.#sockets.has(id))
    if (asked.length === 0) return
    try {
      const versions = await this.#deps.versionsOf(asked)
      for (const id of asked) this.#close(id, versions.get(id))
    } catch (error) {
      // a database that does not answer ends no sign-in
      this.#deps.log.error({ err: error }, 'the users of event sockets could not be looked at')
    }
  }

  #close(userId: string, version: number | undefined): void {
    for (const [socket, own] of this.#sockets.get(userId) ?? []) {
      // a newer version than the one that was asked for is the next review's
      if (version === undefined || own < version) socket.close(POLICY_VIOLATION, 'the sign-in has ended; sign in again')
    }
  }

  #forget(userId: string, socket: Socket): void {
    const own = this.#sockets.get(userId)
    own?.delete(socket)
    if (own?.size === 0) this.#sockets.delete(userId)
    if (this.#sockets.size > 0 || this.#timer === null) return
    clearInterval(this.#timer)
    this.#timer = null
  }
}
