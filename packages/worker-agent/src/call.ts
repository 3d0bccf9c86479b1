/**
 * One call: a frame of the engine, a process that executes it, and the frames that tell of it. States:
 * - *waiting* for a process;
 * - *running* on one, with the clock of its silence;
 * - *ending*: it has been told to stop, and its process is dying; what the process still says is dropped;
 * - *over*: its one last frame, `result` or `error`, is sent.
 * Invariants call.C1-C7 are in DESIGN.md.
 * @module
 */
import { randomUUID } from 'node:crypto'

import type { CallFailure, CallFrame, StoredKind, WorkerFrame } from '@flow-service/protocol'

import type { Message } from './channel.ts'
import { Output } from './output.ts'
import { describeExit, type Exit, type Process } from './process.ts'
import { Silence } from './silence.ts'
import { type CallArtifacts, FrameTooLarge } from './transport.ts'

type State =
  | { readonly phase: 'waiting' }
  | { readonly phase: 'running'; readonly process: Process; readonly silence: Silence }
  | { readonly phase: 'ending'; readonly process: Process; readonly failure: CallFailure }
  | { readonly phase: 'over' }

/** What a call needs of its agent. */
export interface CallDeps {
  send(frame: WorkerFrame): void | Promise<void>
  readonly artifacts: CallArtifacts
  /** The process has loaded the call's source. */
  onLoaded(): void
}

/** One call of the engine. */
export class Call {
  readonly frame: CallFrame
  /** Settles when the last frame is sent and the process is idle or gone. Never rejects. */
  readonly over: Promise<void>
  readonly #deps: CallDeps
  readonly #output: Output
  readonly #finished = Promise.withResolvers<void>()
  #state: State = { phase: 'waiting' }

  constructor(frame: CallFrame, deps: CallDeps) {
    this.frame = frame
    this.over = this.#finished.promise
    this.#deps = deps
    this.#output = new Output((stream, text) => {
      void deps.send({ type: 'log', call: frame.call, stream, text })
    })
  }

  get isWaiting(): boolean {
    return this.#state.phase === 'waiting'
  }

  /** Executes on a process. `source` is left out where the process has it. */
  start(process: Process, withSource: boolean): void {
    const seconds = this.frame.timeout_s
    const silence = new Silence(seconds, () =>
      this.stop({ type: 'timeout', message: `nothing was emitted for ${seconds} seconds`, traceback: null }),
    )
    this.#state = { phase: 'running', process, silence }
    const late = process.nonce
    const nonce = randomUUID()
    process.nonce = nonce
    void this.#deps.send({ type: 'started', call: this.frame.call, pid: process.pid })
    process.listen({
      onMessage: (message, data) => {
        if (message['nonce'] === nonce) return this.#hear(process, silence, message, data)
        // what the call before has left running may say something still; nothing else knows that nonce
        if (late === '' || message['nonce'] !== late) this.#broke()
      },
      onOutput: (stream, chunk) => this.#output.push(stream, chunk),
      onEnded: (exit) => this.#died(exit),
    })
    process.send({ ...this.frame, ...(withSource ? {} : { source: '' }), nonce })
  }

  /** Ends the call with this failure, told when its process is gone. */
  stop(failure: CallFailure): void {
    const state = this.#state
    if (state.phase === 'waiting') this.#end(failure)
    if (state.phase !== 'running') return
    state.silence.stop()
    this.#deps.artifacts.end?.()
    this.#state = { phase: 'ending', process: state.process, failure }
    state.process.terminate()
  }

  /** Ends its process now: nobody is left to hear how it ends. */
  kill(): void {
    if (this.#state.phase === 'running' || this.#state.phase === 'ending') this.#state.process.kill()
  }

  #died(exit: Exit): void {
    const died = { type: 'process_died', message: `the process ${describeExit(exit)}`, traceback: null }
    this.#end(this.#state.phase === 'ending' ? this.#state.failure : died)
  }

  #hear(process: Process, silence: Silence, message: Message, data: Uint8Array): void | Promise<void> {
    if (this.#state.phase !== 'running') {
      // It was told to stop and has: nothing is left to wait for.
      if (message['type'] === 'result' || message['type'] === 'error') process.kill()
      return
    }
    switch (message['type']) {
      case 'loaded':
        this.#deps.onLoaded()
        return
      case 'emit':
        return this.#emit(silence, message['batch'])
      case 'save':
      case 'load':
        void this.#artifact(process, message, data)
        return
      case 'result':
      case 'error':
        silence.stop()
        void this.#answer(process, message)
        return
      default:
        this.#broke()
    }
  }

  /** The code has written to the channel itself. */
  #broke(): void {
    this.stop({ type: 'process_died', message: 'the process broke the protocol of its channel', traceback: null })
  }

  #emit(silence: Silence, entries: unknown): void | Promise<void> {
    if (!isBatch(entries)) {
      this.stop({ type: 'process_died', message: 'the process sent damaged emissions', traceback: null })
      return
    }
    silence.touch()
    // An emission without values is a sign of life, and nothing to publish.
    const batch = entries.filter(([values]) => Object.keys(values).length > 0)
    if (batch.length === 0) return
    try {
      const behind = this.#deps.send({ type: 'emit', call: this.frame.call, batch })
      if (behind) silence.hold(behind)
      return behind
    } catch (error) {
      this.stop(tooLarge(error))
    }
  }

  async #artifact(process: Process, message: Message, data: Uint8Array): Promise<void> {
    const { id } = message
    const { artifacts } = this.#deps
    try {
      if (message['type'] === 'load') {
        const found = await artifacts.get(String(message['digest']), message['whole'] === true)
        if (found instanceof Uint8Array) process.send({ type: 'artifact', id }, found)
        else process.send({ type: 'artifact', id, file: found.path, size: found.size })
        return
      }
      const options = {
        name: String(message['name']),
        mediaType: String(message['media_type']),
        volatile: message['volatile'] === true,
      }
      const ref = await artifacts.put(data, options)
      if (this.#state.phase === 'running') void this.#deps.send({ type: 'artifact', call: this.frame.call, ref })
      process.send({ type: 'saved', id, ref })
    } catch (error) {
      const { code, message: text } = error as Error & { code?: string }
      process.send({ type: 'failed', id, message: text, missing: code === 'not_found' || code === 'ENOENT' })
    }
  }

  /** The code has ended, well or not; its last output is read before the engine hears of it. */
  async #answer(process: Process, message: Message): Promise<void> {
    await process.settled()
    if (this.#state.phase !== 'running') return
    if (message['over'] === true || !process.usable) process.kill()
    else if (this.frame.mode === 'batch') process.retire()
    if (message['type'] === 'result') {
      const { outputs, stored } = message
      this.#close({
        type: 'result',
        outputs: record(outputs),
        ...(stored !== undefined && { stored: kindsOf(stored) }),
      })
    } else this.#end(failureOf(message['error']))
  }

  #end(error: CallFailure): void {
    this.#close({ type: 'error', error: { ...error, message: storable(error.message) } })
  }

  #close(last: Last): void {
    const state = this.#state
    if (state.phase === 'over') return
    if (state.phase === 'running') state.silence.stop()
    if (state.phase !== 'waiting') state.process.ignore()
    this.#state = { phase: 'over' }
    this.#deps.artifacts.end?.()
    this.#output.end()
    try {
      void this.#deps.send({ ...last, call: this.frame.call })
    } catch (error) {
      void this.#deps.send({ type: 'error', call: this.frame.call, error: tooLarge(error) })
    }
    this.#finished.resolve()
  }
}

type Last =
  | { type: 'result'; outputs: Record<string, unknown>; stored?: Record<string, StoredKind> }
  | { type: 'error'; error: CallFailure }

const isKind = (value: unknown): value is StoredKind => value === 'object' || value === 'array' || value === 'string'

const kindsOf = (value: unknown): Record<string, StoredKind> =>
  Object.fromEntries(Object.entries(record(value)).flatMap(([port, kind]) => (isKind(kind) ? [[port, kind]] : [])))

const record = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}

const isBatch = (entries: unknown): entries is [Record<string, unknown>, number][] =>
  Array.isArray(entries) &&
  entries.every(
    (entry) =>
      Array.isArray(entry) && typeof entry[0] === 'object' && entry[0] !== null && typeof entry[1] === 'number',
  )

function failureOf(value: unknown): CallFailure {
  const { type, message, traceback } = record(value)
  return {
    type: String(type),
    message: storable(String(message)),
    traceback: typeof traceback === 'string' ? storable(traceback) : null,
  }
}

/** The failure of a call whose frame cannot be sent; what else is thrown is a fault of ours. */
function tooLarge(error: unknown): CallFailure {
  if (!(error instanceof FrameTooLarge)) throw error
  return { type: error.name, message: error.message, traceback: null }
}

/** Text that a database takes: no NUL, no half of a surrogate pair. */
const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '\uFFFD')
