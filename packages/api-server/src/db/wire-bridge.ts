/**
 * Lets the PostgreSQL driver speak to an in-process PostgreSQL that has a single session: any number of virtual
 * sockets share that session, one complete batch of messages at a time (protocol 3.0, PostgreSQL manual chapter 54).
 *
 * - wire-bridge.W1 a batch ends with Sync, Query or Flush; it goes to the session whole, and its answer to its socket
 *   alone.
 * - wire-bridge.W2 while the session is not idle (open transaction, or a batch without ReadyForQuery) its socket owns
 *   it; the batches of the others wait.
 * - wire-bridge.W3 a socket never closes because the session was lost: statements are prepared again in the new
 *   session, and a transaction that was open is found aborted there. So the driver needs no reconnect.
 * - wire-bridge.W4 a COMMIT or ROLLBACK that fails with the session ends the transaction: the driver sends nothing more
 *   for it, and all others would wait for its socket.
 * @module
 */
import { Duplex } from 'node:stream'

/** Runs complete frontend messages in the session; resolves to the backend's messages. */
export type ExecuteMessages = (messages: Uint8Array) => Promise<Uint8Array>

interface Connection {
  socket: Duplex
  input: Buffer
  started: boolean
  batch: Buffer[]
  /** The Parse messages that the session has, by statement name. */
  statements: Map<string, Buffer>
  /** Whether its last batch ends a transaction (wire-bridge.W4). */
  isEnding: boolean
}

interface Batch {
  connection: Connection
  messages: Buffer
  /** Its Parse messages, in order. */
  parses: Buffer[]
  /** Whether it ends a transaction, or is the Sync behind a batch that does (wire-bridge.W4). */
  isEnding: boolean
}

const code = (letter: string): number => letter.charCodeAt(0)
const FRONTEND = {
  parse: code('P'),
  bind: code('B'),
  sync: code('S'),
  query: code('Q'),
  flush: code('H'),
  terminate: code('X'),
}
const READY_FOR_QUERY = code('Z')
const PARSE_COMPLETE = code('1')
const IDLE = code('I')

/** Virtual sockets over one session. */
export class WireBridge {
  readonly #execute: ExecuteMessages
  readonly #connections = new Set<Connection>()
  #queue: Batch[] = []
  #owner: Connection | undefined
  #status = IDLE
  #pumping = false
  #lost = false

  constructor(execute: ExecuteMessages) {
    this.#execute = execute
  }

  /** A new socket for the driver's `socket` option. */
  connect(): Duplex {
    const socket = new Duplex({
      read() {},
      // The driver loses its next query when the answer comes while it still writes this one.
      write: (chunk: Buffer, _encoding, done) => {
        connection.input = connection.input.length ? Buffer.concat([connection.input, chunk]) : chunk
        queueMicrotask(() => this.#parse(connection))
        done()
      },
      final: (done) => {
        this.#disconnect(connection)
        done()
      },
      destroy: (error, done) => {
        this.#disconnect(connection)
        done(error)
      },
    })
    // The driver asks a net.Socket for its state when it ends.
    Object.defineProperty(socket, 'readyState', { get: () => (socket.destroyed ? 'closed' : 'open') })
    const connection: Connection = {
      socket,
      input: Buffer.alloc(0),
      started: false,
      batch: [],
      statements: new Map(),
      isEnding: false,
    }
    this.#connections.add(connection)
    return socket
  }

  /** Tells that the session is gone: the next batch meets a new one, which is prepared first (wire-bridge.W3). */
  sessionLost(): void {
    this.#lost = true
  }

  #parse(connection: Connection): void {
    if (!connection.started && !this.#start(connection)) return
    for (;;) {
      const { input } = connection
      if (input.length < 5) return
      const length = 1 + input.readUInt32BE(1)
      if (input.length < length) return
      connection.input = input.subarray(length)
      this.#message(connection, input.subarray(0, length))
    }
  }

  /** Answers the startup packet; true when it was complete. */
  #start(connection: Connection): boolean {
    const { input } = connection
    if (input.length < 8 || input.length < input.readUInt32BE(0)) return false
    if (input.readUInt32BE(4) === CANCEL_REQUEST) {
      connection.socket.destroy()
      return false
    }
    connection.input = input.subarray(input.readUInt32BE(0))
    connection.started = true
    connection.socket.push(greeting)
    return true
  }

  #message(connection: Connection, message: Buffer): void {
    const type = message[0]
    if (type === FRONTEND.terminate) {
      this.#disconnect(connection)
      setImmediate(() => connection.socket.destroy())
      return
    }
    connection.batch.push(message)
    if (type !== FRONTEND.sync && type !== FRONTEND.query && type !== FRONTEND.flush) return
    const parses = connection.batch.filter(([type]) => type === FRONTEND.parse)
    const isSync = connection.batch.length === 1 && type === FRONTEND.sync
    connection.isEnding = (isSync && connection.isEnding) || connection.batch.some((each) => endsIn(each, connection))
    const { isEnding } = connection
    this.#queue.push({ connection, parses, isEnding, messages: Buffer.concat(connection.batch) })
    connection.batch = []
    void this.#pump()
  }

  async #pump(): Promise<void> {
    if (this.#pumping) return
    this.#pumping = true
    for (let next = this.#next(); next; next = this.#next()) await this.#run(next)
    this.#pumping = false
  }

  #next(): Batch | undefined {
    if (!this.#owner) return this.#queue.shift()
    const index = this.#queue.findIndex(({ connection }) => connection === this.#owner)
    return index === -1 ? undefined : this.#queue.splice(index, 1)[0]
  }

  async #run({ connection, messages, parses, isEnding }: Batch): Promise<void> {
    let answer: Buffer
    try {
      if (this.#lost) await this.#restore()
      const bytes = await this.#execute(messages)
      answer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    } catch (error) {
      if (isEnding) this.#status = IDLE
      answer = this.#failure(messages, error)
    }
    const { status, parsed } = readAnswer(answer)
    for (const parse of parses.slice(0, parsed)) remember(connection.statements, parse)
    this.#status = status ?? this.#status
    this.#owner = status === IDLE ? undefined : connection
    if (!connection.socket.destroyed) connection.socket.push(answer)
    if (this.#owner && !this.#connections.has(connection)) this.#abandon(connection)
  }

  /** The driver sends a Sync of its own after an error on a flushed batch, and expects one ReadyForQuery for it. */
  #failure(messages: Buffer, error: unknown): Buffer {
    const failed = errorResponse(LOST, error instanceof Error ? error.message : String(error))
    if (endsWithFlush(messages)) return failed
    return Buffer.concat([failed, readyForQuery(this.#status === IDLE ? IDLE : code('E'))])
  }

  async #restore(): Promise<void> {
    const statements = [...this.#connections].flatMap(({ statements }) => [...statements.values()])
    this.#lost = false
    if (statements.length) await this.#execute(Buffer.concat(statements.flatMap((parse) => [parse, SYNC])))
    if (this.#status !== IDLE) await this.#execute(query('begin; select 1/0'))
  }

  #disconnect(connection: Connection): void {
    if (!this.#connections.delete(connection)) return
    this.#queue = this.#queue.filter((batch) => batch.connection !== connection)
    if (this.#owner === connection) this.#abandon(connection)
  }

  /** Ends what a closed socket has left open in the session. */
  #abandon(connection: Connection): void {
    this.#owner = undefined
    this.#queue.unshift({ connection, parses: [], isEnding: true, messages: query('rollback') })
    void this.#pump()
  }
}

/** `crash_shutdown` (PostgreSQL manual, appendix A). */
const LOST = '57P02'

/** Whether a statement failed because the embedded database has stopped. */
export const isOfLostDatabase = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === LOST

const CANCEL_REQUEST = 80_877_102
/** Of each message: its type and its length. */
const HEADER_BYTES = 5
const SYNC = frame('S')

function frame(type: string, body: Buffer | string = ''): Buffer {
  const content = Buffer.from(body)
  const header = Buffer.alloc(5)
  header[0] = code(type)
  header.writeUInt32BE(content.length + 4, 1)
  return Buffer.concat([header, content])
}

function query(text: string): Buffer {
  return frame('Q', `${text}\0`)
}

function readyForQuery(status: number): Buffer {
  return frame('Z', Buffer.from([status]))
}

function errorResponse(sqlState: string, message: string): Buffer {
  return frame('E', `SERROR\0VERROR\0C${sqlState}\0M${message}\0\0`)
}

const greeting = Buffer.concat([
  frame('R', Buffer.alloc(4)),
  ...Object.entries({
    server_version: '18.0',
    client_encoding: 'UTF8',
    DateStyle: 'ISO, MDY',
    TimeZone: 'UTC',
    integer_datetimes: 'on',
    standard_conforming_strings: 'on',
  }).map(([name, value]) => frame('S', `${name}\0${value}\0`)),
  frame('K', Buffer.alloc(8)),
  readyForQuery(IDLE),
])

function remember(statements: Map<string, Buffer>, parse: Buffer): void {
  const name = textIn(parse, 0)
  if (name) statements.set(name, parse)
}

/** Whether a message brings the end of a transaction: as text, or as the statement that is bound. */
function endsIn(message: Buffer, { batch, statements }: Connection): boolean {
  const [type] = message
  if (type === FRONTEND.query) return ends(message, 0)
  if (type === FRONTEND.parse) return ends(message, 1)
  if (type !== FRONTEND.bind) return false
  const name = textIn(message, 1)
  const parse = batch.find((each) => each[0] === FRONTEND.parse && textIn(each, 0) === name) ?? statements.get(name)
  return parse !== undefined && ends(parse, 1)
}

/** Longer messages are other statements; nobody needs their text. */
const ENDING_BYTES = 64

const ends = (message: Buffer, index: number): boolean =>
  message.length <= ENDING_BYTES && /^\s*(?:commit|rollback)\s*$/i.test(textIn(message, index))

/** A text of a message: they are the first things in it, each ended by a zero. */
function textIn(message: Buffer, index: number): string {
  let start = HEADER_BYTES
  for (let at = 0; at < index; at++) start = message.indexOf(0, start) + 1
  return message.toString('latin1', start, message.indexOf(0, start))
}

/** The transaction status of its last ReadyForQuery, if it has one, and how many statements it says are parsed. */
function readAnswer(answer: Buffer): { status: number | undefined; parsed: number } {
  let status: number | undefined
  let parsed = 0
  for (let at = 0; at + 5 <= answer.length; at += 1 + answer.readUInt32BE(at + 1)) {
    if (answer[at] === READY_FOR_QUERY) status = answer[at + 5]
    else if (answer[at] === PARSE_COMPLETE) parsed++
  }
  return { status, parsed }
}

/** Flush has no body, and is the last message of its batch (wire-bridge.W1). */
function endsWithFlush(messages: Buffer): boolean {
  return messages.at(-5) === FRONTEND.flush && messages.readUInt32BE(messages.length - 4) === 4
}
