/** A client of debugpy, as editors are: the Debug Adapter Protocol over its socket. */
import { EventEmitter, once } from 'node:events'
import { connect, type Socket } from 'node:net'

interface Answer {
  readonly success: boolean
  readonly message?: string
  readonly body?: unknown
}

interface Stop {
  readonly reason: string
  readonly threadId: number
}

/** An attached debugger. */
export class DebugpyClient extends EventEmitter implements Disposable {
  readonly #socket: Socket
  readonly #answers = new Map<number, (answer: Answer) => void>()
  readonly #stops: Stop[] = []
  #buffer = Buffer.alloc(0)
  #asked = 0

  private constructor(socket: Socket) {
    super()
    this.#socket = socket
    socket.on('data', (chunk: Buffer) => this.#read(chunk))
    socket.on('error', () => {})
  }

  /** Attaches to the process that listens on a port of this machine, with breakpoints at lines of a file. */
  static async attach(port: number, breakpoints: { readonly file: string; readonly lines: readonly number[] }) {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    const client = new DebugpyClient(socket)
    await client.ask('initialize', { adapterID: 'test', pathFormat: 'path', linesStartAt1: true })
    const initialized = once(client, 'initialized')
    const attached = client.ask('attach', { justMyCode: true })
    await initialized
    const { file, lines } = breakpoints
    await client.ask('setBreakpoints', { source: { path: file }, breakpoints: lines.map((line) => ({ line })) })
    await client.ask('configurationDone')
    await attached
    return client
  }

  async ask<T>(command: string, args: object = {}): Promise<T> {
    const seq = ++this.#asked
    const answer = Promise.withResolvers<Answer>()
    this.#answers.set(seq, answer.resolve)
    const text = JSON.stringify({ seq, type: 'request', command, arguments: args })
    this.#socket.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`)
    const { success, message, body } = await answer.promise
    if (!success) throw new Error(`${command}: ${message}`)
    return body as T
  }

  /** Resolves at the next stop that nobody has asked for yet, with its thread. */
  async stopped(): Promise<Stop> {
    if (this.#stops.length === 0) await once(this, 'stopped')
    return this.#stops.shift() as Stop
  }

  #read(chunk: Buffer): void {
    this.#buffer = Buffer.concat([this.#buffer, chunk])
    for (;;) {
      const end = this.#buffer.indexOf('\r\n\r\n')
      const length = Number(/Content-Length: (\d+)/.exec(this.#buffer.toString('latin1', 0, Math.max(0, end)))?.[1])
      if (end < 0 || this.#buffer.length < end + 4 + length) return
      this.#heard(JSON.parse(this.#buffer.toString('utf8', end + 4, end + 4 + length)) as Record<string, unknown>)
      this.#buffer = this.#buffer.subarray(end + 4 + length)
    }
  }

  #heard(message: Record<string, unknown>): void {
    if (message['event'] === 'stopped') this.#stops.push(message['body'] as Stop)
    if (message['type'] === 'event') this.emit(String(message['event']), message['body'])
    else this.#answers.get(Number(message['request_seq']))?.(message as unknown as Answer)
  }

  [Symbol.dispose](): void {
    this.#socket.destroy()
  }
}
