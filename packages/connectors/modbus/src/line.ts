/**
 * The line of a node to its unit: one connection that is kept open, one request at a time. It is opened by the request that
 * needs it. After a failure the next attempt waits: 1 s at first, then twice as long each time up to 30 s, less up to a half
 * by chance; requests until then fail at once with what went wrong.
 * @module
 */
import { type ConnectorContext, reasonOf } from '@flow-service/connector-sdk'

import type { ModbusSettings } from './settings.ts'
import { ConnectionFault, UnitConnection, UnitRefusal } from './unit-connection.ts'

const LONGEST_PAUSE_S = 30

/** Where the line leads, and how long an answer may take. */
export type LineSettings = Pick<ModbusSettings, 'host' | 'port' | 'timeout' | 'unit'>

type Asked<T> = (connection: UnitConnection) => Promise<T>

/** One object a node. */
export class Line {
  readonly #ctx: Pick<ConnectorContext, 'after' | 'connect' | 'now'>
  readonly #settings: LineSettings
  #connection: UnitConnection | null = null
  /** The last of the requests that follow each other. */
  #last: Promise<unknown> = Promise.resolve()
  #failures = 0
  #notBeforeMs = 0
  #reason = ''
  #isClosed = false

  constructor(ctx: Pick<ConnectorContext, 'after' | 'connect' | 'now'>, settings: LineSettings) {
    this.#ctx = ctx
    this.#settings = settings
  }

  /** How texts call the other end. */
  get title(): string {
    const { host, port, unit } = this.#settings
    return `${host.includes(':') ? `[${host}]` : host}:${port} unit ${unit}`
  }

  /**
   * Makes a request once those before it have ended. Rejects with a {@link UnitRefusal}, or with a
   * {@link ConnectionFault} that names the other end.
   */
  ask<T>(request: Asked<T>): Promise<T> {
    const asked = this.#last.then(() => this.#ask(request))
    this.#last = asked.catch(() => {})
    return asked
  }

  /** Ends the connection, and all requests. Calling it again does nothing. */
  close(): void {
    this.#isClosed = true
    this.#connection?.end(new ConnectionFault('the node has stopped'))
    this.#connection = null
  }

  async #ask<T>(request: Asked<T>): Promise<T> {
    const isKept = this.#connection?.isOpen === true
    try {
      return await this.#bounded(request)
    } catch (error) {
      // a peer ends connections that nobody has used for a while, and the next request may cross that
      if (!isKept || !(error instanceof ConnectionFault) || !error.isQuiet) throw this.#failed(error)
    }
    try {
      return await this.#bounded(request)
    } catch (error) {
      throw this.#failed(error)
    }
  }

  async #bounded<T>(request: Asked<T>): Promise<T> {
    const connection = this.#open()
    const { timeout } = this.#settings
    const cancel = this.#ctx.after(timeout, () =>
      connection.end(new ConnectionFault(`no answer within ${timeout} s; check address and unit`)),
    )
    try {
      const answer = await request(connection)
      this.#failures = 0
      return answer
    } finally {
      cancel()
    }
  }

  #open(): UnitConnection {
    if (this.#isClosed) throw new ConnectionFault('the node has stopped')
    if (this.#connection?.isOpen === true) return this.#connection
    const pauseMs = this.#notBeforeMs - this.#ctx.now()
    if (pauseMs > 0) throw new Pause(`${this.#reason}; tried again in ${Math.ceil(pauseMs / 1000)} s`)
    const { host, port, unit } = this.#settings
    try {
      this.#connection = new UnitConnection(this.#ctx.connect({ host, port }), unit)
    } catch (error) {
      throw new ConnectionFault(reasonOf(error))
    }
    return this.#connection
  }

  /** The error that the request ends with; a fault of the connection makes the next attempt wait. */
  #failed(error: unknown): unknown {
    if (error instanceof UnitRefusal) this.#failures = 0
    if (!(error instanceof ConnectionFault) || this.#isClosed) return error
    if (!(error instanceof Pause)) {
      this.#reason = error.message
      const seconds = Math.min(LONGEST_PAUSE_S, 2 ** this.#failures++) * (1 - Math.random() / 2)
      this.#notBeforeMs = this.#ctx.now() + seconds * 1000
    }
    return new ConnectionFault(`${this.title}: ${error.message}`)
  }
}

/** The next attempt is not due yet. */
class Pause extends ConnectionFault {}
