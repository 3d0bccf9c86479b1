/**
 * Notices connections to a server that nobody answers on any more although nothing has closed them (half-open: a lost
 * router, a frozen host). The driver would wait for the answer without end. A connection that is closed here is opened
 * again by the driver; its statement fails as if the server had closed it.
 *
 * - connection-watch.W1 the driver closes what is idle before it counts as silent, and a transaction that does
 *   something else meanwhile says so, however long that takes. So a silent connection waits for an answer.
 * - connection-watch.W2 it may wait for a slow statement: the server is asked, over a new connection, how many it is
 *   executing for us. What waits for us there is none of them: of a statement that it has been told for the first time
 *   it expects the values.
 * - connection-watch.W3 connections for notifications are never idle: the pulse of this engine passes through them.
 * - connection-watch.W4 where a connection ends between a statement and the end of its turn, postgres 3.4.9 writes nothing
 *   on the next ones until it has gathered 1,024 bytes, which are of no use then either. Each of them is closed at once in
 *   place of its whole time to connect, so that a good one comes in a moment.
 * @module
 */
import { randomUUID } from 'node:crypto'
import net from 'node:net'
import { setImmediate } from 'node:timers/promises'

import postgres from 'postgres'

import type { Lane } from './transaction.ts'

/** Shares of the patience: closing what is idle, looking at all, sending a pulse. */
const IDLE = 0.9
const LOOK = 0.1
const PULSE = 0.4
/** How long the server may take to say what it executes. */
const PROBE_MS = 4_000
const PULSE_CHANNEL = 'flow_service_pulse'

/** Seconds until a connection is tried again: a server that is back has its engines back a moment later. */
const backoff = (attempts: number): number => (0.5 + Math.random() / 2) * Math.min(3 ** attempts / 100, 1)

interface Watched {
  readonly isSignal: boolean
  /** The transactions that it is for, if any. */
  readonly lane: Pick<Lane, 'isPaused'> | null
  read: number
  written: number
  /** When something arrived for the last time, or was asked for after that for the first time. */
  silentSince: number
  /** Whether something was asked for after that. */
  isAsked: boolean
}

/** Closes a connection that the driver has nothing to say on, though it greets as soon as it has one. */
async function closeMute(socket: net.Socket): Promise<void> {
  await setImmediate()
  await setImmediate()
  if (socket.bytesWritten === 0) socket.destroy()
}

/** Connections of one engine to one server. */
export class ConnectionWatch {
  readonly #url: string
  readonly #patienceMs: number
  readonly #settings: object
  readonly #name = `flow-service ${randomUUID().slice(0, 8)}`
  readonly #sockets = new Map<net.Socket, Watched>()
  readonly #timers: NodeJS.Timeout[] = []
  #isProbing = false

  /**
   * A connection that is silent for `patienceMs` is looked into; it is closed at most 20 % and 4 s later. `settings` are those
   * of the server, for each session.
   */
  constructor(url: string, patienceMs: number, settings: object = {}) {
    this.#url = url
    this.#patienceMs = patienceMs
    this.#settings = settings
    this.#timers.push(setInterval(() => void this.#look(), patienceMs * LOOK).unref())
  }

  /** Options of the driver for connections that execute statements, or the transactions of a lane. */
  forStatements(lane: Pick<Lane, 'isPaused'> | null): object {
    return { ...this.#options({ isSignal: false, lane }), idle_timeout: (this.#patienceMs * IDLE) / 1_000 }
  }

  /** Options of the driver for connections of notifications; a {@link pulse} has to pass through them. */
  forSignals(): object {
    return this.#options({ isSignal: true, lane: null })
  }

  /** Begins to notify itself over these connections. */
  async pulse(signals: postgres.Sql): Promise<void> {
    await signals.listen(PULSE_CHANNEL, () => {})
    const beat = (): void => void signals.notify(PULSE_CHANNEL, '').catch(() => {})
    this.#timers.push(setInterval(beat, this.#patienceMs * PULSE).unref())
  }

  close(): void {
    for (const timer of this.#timers) clearInterval(timer)
  }

  #options(kind: Pick<Watched, 'isSignal' | 'lane'>): object {
    let next = 0
    return {
      connection: { application_name: this.#name, TimeZone: 'UTC', DateStyle: 'ISO', ...this.#settings },
      connect_timeout: Math.ceil(this.#patienceMs / 2_000),
      backoff,
      socket: ({ host, port, path }: { host: string[]; port: number[]; path?: string | false }) => {
        const at = next++ % port.length
        const address = { host: host[at] ?? 'localhost', port: port[at] ?? 5432 }
        const socket = new net.Socket()
        // an address that cannot be reached at all fails before the driver listens for errors, unless that is later
        queueMicrotask(() => socket.connect(path ? { path } : address))
        socket.once('connect', () => void closeMute(socket))
        // the driver takes the name of the certificate from here
        Object.assign(socket, path ? {} : address)
        this.#sockets.set(socket, { ...kind, read: 0, written: 0, silentSince: performance.now(), isAsked: false })
        return socket
      },
    }
  }

  async #look(): Promise<void> {
    const silent = this.#silent()
    for (const [socket, { isSignal }] of silent) if (isSignal) socket.destroy()
    const waiting = silent.flatMap(([socket, { isSignal }]) => (isSignal ? [] : [socket]))
    if (waiting.length === 0 || this.#isProbing) return
    this.#isProbing = true
    const executing = await this.#executing()
    this.#isProbing = false
    if (executing >= waiting.length) return
    const still = new Map(this.#silent())
    for (const socket of waiting) if (still.has(socket)) socket.destroy()
  }

  #silent(): [net.Socket, Watched][] {
    const now = performance.now()
    return [...this.#sockets].filter(([socket, watched]) => {
      if (socket.destroyed) {
        this.#sockets.delete(socket)
        return false
      }
      const { bytesRead: read, bytesWritten: written } = socket
      if (read !== watched.read || watched.lane?.isPaused)
        Object.assign(watched, { read, written, silentSince: now, isAsked: false })
      // the answer has all the time that there is, however long nothing was asked before
      else if (written !== watched.written && !watched.isAsked && !watched.isSignal)
        Object.assign(watched, { silentSince: now, isAsked: true })
      return now - watched.silentSince >= this.#patienceMs
    })
  }

  /** How many statements of ours the server has been executing for some time; 0 when it does not answer. */
  async #executing(): Promise<number> {
    const asking = postgres(this.#url, { max: 1, fetch_types: false, connect_timeout: PROBE_MS / 1_000 })
    const { promise: late, resolve } = Promise.withResolvers<{ n: number }[]>()
    const timer = setTimeout(() => resolve([]), PROBE_MS)
    try {
      const answer = asking<{ n: number }[]>`
        select count(*)::int as n from pg_stat_activity
        where application_name = ${this.#name} and state = 'active' and wait_event_type is distinct from 'Client'
          and query_start < now() - ${this.#patienceMs / 2}::float8 * interval '1 ms'`
      const [row] = await Promise.race([answer, late])
      return row?.n ?? 0
    } catch {
      return 0
    } finally {
      clearTimeout(timer)
      await asking.end({ timeout: 0 }).catch(() => {})
    }
  }
}
