/**
 * An engine that does what a test says, on plain TCP: it answers requests and upgrades as it is told, and sends WebSocket frames
 * (RFC 6455) that a server would never send. It knows nothing of the SDKs, which may be programs in other languages.
 * @module
 */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'

import { Queue } from './queue.ts'

/** A request, and how to answer it. */
export interface ScriptedRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  readonly socket: Socket
}

/** A frame to be sent. */
export interface ServerFrame {
  readonly opcode: 'continuation' | 'text' | 'binary' | 'close' | 'ping' | 'pong'
  /** True unless given. */
  readonly fin?: boolean
  readonly text?: string
  readonly json?: unknown
  readonly hex?: string
  /** So many lists in each other. */
  readonly nest?: number
}

const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 }

/** The server; it listens at an address of this machine. */
export class ScriptedServer implements AsyncDisposable {
  readonly upgrades = new Queue<ScriptedRequest>()
  readonly requests = new Queue<ScriptedRequest>()
  readonly #server: Server
  readonly #sockets = new Set<Socket>()

  static async start(): Promise<ScriptedServer> {
    const server = createServer()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new ScriptedServer(server)
  }

  private constructor(server: Server) {
    this.#server = server
    server.on('connection', (socket) => {
      this.#sockets.add(socket)
      socket.on('error', () => {})
      void requestOn(socket).then((request) => {
        if (request) (request.headers.upgrade === undefined ? this.requests : this.upgrades).push(request)
      })
    })
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
    await once(this.#server, 'close')
  }
}

/** Answers with a status, and ends the connection. */
export function answer(
  { socket }: ScriptedRequest,
  { status, headers = {}, body = '' }: { status: number; headers?: Readonly<Record<string, string>>; body?: string },
): void {
  const lines = Object.entries({ 'content-length': Buffer.byteLength(body), connection: 'close', ...headers })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  socket.end(`HTTP/1.1 ${status} Scripted\r\n${head}\r\n${body}`)
}

/** Accepts an upgrade; `first` leaves in the same segment. */
export function accept({ socket, headers }: ScriptedRequest, first: readonly ServerFrame[] = []): ScriptedSocket {
  const key = `${headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`
  const token = createHash('sha1').update(key).digest('base64')
  const head = `HTTP/1.1 101 Scripted\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${token}\r\n\r\n`
  const accepted = new ScriptedSocket(socket)
  socket.write(Buffer.concat([Buffer.from(head), ...first.map(bytesOf)]))
  return accepted
}

/** An accepted WebSocket. */
export class ScriptedSocket {
  readonly texts = new Queue<string>()
  readonly binaries = new Queue<Buffer>()
  readonly pongs = new Queue<Buffer>()
  /** Settles when the client has ended the connection, by a close frame or without. */
  readonly gone: Promise<void>
  readonly #socket: Socket

  constructor(socket: Socket) {
    this.#socket = socket
    this.gone = new Promise((resolve) => {
      socket.once('close', resolve)
      socket.once('end', resolve)
      void this.#read(socket).then(resolve, resolve)
    })
  }

  /** Sends frames in `one` segment, or all bytes in segments of their own. */
  async send(frames: readonly ServerFrame[], tcp: 'one' | 'bytes' = 'one'): Promise<void> {
    const bytes = Buffer.concat(frames.map(bytesOf))
    if (tcp === 'one') return this.sendBytes(bytes)
    this.#socket.setNoDelay(true)
    for (const byte of bytes) {
      this.sendBytes(Buffer.of(byte))
      // the client reads before the next one leaves
      await new Promise(setImmediate)
    }
  }

  sendBytes(bytes: Buffer): void {
    this.#socket.write(bytes)
  }

  async close(code: number | undefined, reason = ''): Promise<void> {
    const said = Buffer.alloc(code === undefined ? 0 : 2)
    if (code !== undefined) said.writeUInt16BE(code)
    await this.send([{ opcode: 'close', hex: Buffer.concat([said, Buffer.from(reason)]).toString('hex') }])
    await this.gone
    this.#socket.end()
  }

  /** Resets the connection. */
  cut(): void {
    this.#socket.resetAndDestroy()
  }

  /** Until the close frame of the client. */
  async #read(socket: Socket): Promise<void> {
    const reader = new Reader(socket)
    for (;;) {
      const { opcode, bytes } = await clientFrame(reader)
      if (opcode === opcodes.close) return
      if (opcode === opcodes.text) this.texts.push(bytes.toString())
      else if (opcode === opcodes.binary) this.binaries.push(bytes)
      else if (opcode === opcodes.pong) this.pongs.push(bytes)
    }
  }
}

function bytesOf({ opcode, fin = true, text, json, hex, nest = 0 }: ServerFrame): Buffer {
  const nested = `${'['.repeat(nest)}${']'.repeat(nest)}`
  const body =
    hex === undefined
      ? Buffer.from(text ?? (json === undefined ? nested : JSON.stringify(json)))
      : Buffer.from(hex, 'hex')
  const head = Buffer.alloc(body.length < 126 ? 2 : body.length < 65_536 ? 4 : 10)
  head[0] = (fin ? 0x80 : 0) | opcodes[opcode]
  head[1] = Math.min(body.length, head.length === 10 ? 127 : 126)
  if (head.length === 4) head.writeUInt16BE(body.length, 2)
  if (head.length === 10) head.writeBigUInt64BE(BigInt(body.length), 2)
  return Buffer.concat([head, body])
}

/** A frame of a client, which is whole and masked. */
async function clientFrame(reader: Reader): Promise<{ opcode: number; bytes: Buffer }> {
  const [first = 0, second = 0] = await reader.take(2)
  if (first < 0x80 || second < 0x80) throw new Error('the client sends a fragment, or a frame without a mask')
  let length = second & 0x7f
  if (length === 126) length = (await reader.take(2)).readUInt16BE()
  else if (length === 127) length = Number((await reader.take(8)).readBigUInt64BE())
  const mask = await reader.take(4)
  const bytes = await reader.take(length)
  return { opcode: first & 0x0f, bytes: bytes.map((byte, at) => byte ^ (mask[at % 4] as number)) as Buffer }
}

/** The request of a connection; null when it ends before. */
async function requestOn(socket: Socket): Promise<ScriptedRequest | null> {
  const reader = new Reader(socket)
  try {
    const [line = '', ...lines] = (await reader.takeUntil('\r\n\r\n')).trimEnd().split('\r\n')
    const [method = '', path = ''] = line.split(' ')
    const headers = Object.fromEntries(
      lines.map((text) => [text.slice(0, text.indexOf(':')).toLowerCase(), text.slice(text.indexOf(':') + 1).trim()]),
    )
    const body = await reader.take(Number(headers['content-length'] ?? 0))
    return { method, path, headers, body, socket }
  } catch {
    return null
  } finally {
    reader.end()
  }
}

/** The bytes of a connection, as many as are asked for. */
class Reader {
  readonly #socket: Socket
  #bytes = Buffer.alloc(0)
  #wake: () => void = () => {}
  #isOver = false
  readonly #take = (bytes: Buffer): void => {
    this.#bytes = Buffer.concat([this.#bytes, bytes])
    this.#wake()
  }
  readonly #over = (): void => {
    this.#isOver = true
    this.#wake()
  }

  constructor(socket: Socket) {
    this.#socket = socket
    socket.on('data', this.#take)
    socket.on('close', this.#over)
  }

  async take(length: number): Promise<Buffer> {
    while (this.#bytes.length < length) await this.#more()
    const taken = this.#bytes.subarray(0, length)
    this.#bytes = this.#bytes.subarray(length)
    return taken
  }

  async takeUntil(mark: string): Promise<string> {
    while (!this.#bytes.includes(mark)) await this.#more()
    return (await this.take(this.#bytes.indexOf(mark) + mark.length)).toString()
  }

  /** Another reader goes on; the client has sent nothing that this one has read. */
  end(): void {
    this.#socket.off('data', this.#take)
    this.#socket.off('close', this.#over)
  }

  async #more(): Promise<void> {
    if (this.#isOver) throw new Error('the connection has ended')
    await new Promise<void>((resolve) => (this.#wake = resolve))
  }
}
