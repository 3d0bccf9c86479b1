/**
 * What a Node process does with the agent's messages: loads bundles, executes calls, asks for artifacts.
 * @module
 */
import { writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

import type { ArtifactRef, CallFrame, Definition } from '@flow-service/protocol'

import type { Message } from './channel.ts'
import { Execution, type ExecutionHost } from './code-execution.ts'
import { userStack } from './user-stack.ts'

const MAX_MESSAGE_CHARS = 10_000
/** Of one artifact: a frame carries no more. */
const MAX_ARTIFACT_BYTES = 0x4000_0000

type Runnable = Definition & Required<Pick<Definition, 'run'>>
type Answer = { readonly message: Message; readonly data: Uint8Array }

class NoEntry extends Error {}

/** The directory of the process, which the code may leave. */
const home = process.cwd()

/** What stack traces of a node's code name, and `import.meta` is about. */
const urlOf = (node: string): string => pathToFileURL(join(home, `${node}.mjs`)).href

// so deep that a package which fails does not hide the line that calls it
Error.stackTraceLimit = 50

/** The process's side of the channel. Each message about a call carries the nonce of the call (channel.T1 in DESIGN.md). */
export class CodeSession {
  readonly #send: (message: Message, data?: Uint8Array) => void
  readonly #answers = new Map<number, (answer: Answer) => void>()
  readonly #host: ExecutionHost
  #definition: { readonly digest: string; readonly runnable: Runnable } | null = null
  #nonce = ''
  #executing = false
  #asked = 0
  #abort: AbortController | null = null

  /** `send` blocks until the agent has taken the message. */
  constructor(send: (message: Message, data?: Uint8Array) => void) {
    this.#send = (message, data) => send({ ...message, nonce: this.#nonce }, data)
    this.#host = {
      send: this.#send,
      saveArtifact: async (data, options) =>
        (await this.#ask({ ...options, type: 'save' }, data)).message['ref'] as ArtifactRef,
      loadArtifact: (digest) => this.#loadArtifact(digest),
      signal: () => this.#abortSignal(),
    }
  }

  receive(message: Message, data: Uint8Array): void {
    if (message['type'] === 'call') {
      void this.#execute(message as unknown as CallFrame & { readonly nonce: string })
      return
    }
    if (message['type'] === 'prepare') {
      void this.#prepare()
      return
    }
    if (message['type'] === 'inspect') {
      void this.#inspect(message)
      return
    }
    this.#answers.get(message['id'] as number)?.({ message, data })
    this.#answers.delete(message['id'] as number)
  }

  /** An error that nothing has caught fails the call; the process is not to be used again. */
  uncaught(error: unknown): void {
    if (!this.#executing) {
      console.error(error)
      process.exit(1)
    }
    this.#executing = false
    this.#fail(error, true)
  }

  /**
   * Loads and executes a definition that does nothing, so that what Node loads and compiles at the first use is ready
   * before a call comes.
   */
  async #prepare(): Promise<void> {
    const { entry } = (await importText(urlOf('warm-up'), warmUpBundle)) as { entry: Runnable }
    await new Execution(warmUpFrame, { ...this.#host, send() {} }).run(entry)
    this.#send({ type: 'ready' })
  }

  /** Opens the inspector before the first call; one that waits keeps the thread until a debugger has said to go on. */
  async #inspect({ port, wait }: Message): Promise<void> {
    const inspector = await import('node:inspector')
    inspector.open(port as number, '127.0.0.1')
    const url = inspector.url()
    // a debugger that is attached would keep the process from its end
    process.once('exit', () => inspector.close())
    this.#send(
      url === undefined
        ? { type: 'inspected', problem: `the inspector cannot listen on port ${String(port)}` }
        : { type: 'inspected', port: Number(new URL(url).port) },
    )
    if (wait === true && url !== undefined) inspector.waitForDebugger()
  }

  #abortSignal(): AbortSignal {
    if (this.#abort === null) {
      const abort = new AbortController()
      process.once('SIGTERM', () => abort.abort(new Error('the node was stopped')))
      this.#abort = abort
    }
    return this.#abort.signal
  }

  async #ask(message: Message, data?: Uint8Array): Promise<Answer> {
    if (data && data.byteLength > MAX_ARTIFACT_BYTES)
      throw new RangeError(
        `an artifact has at most ${MAX_ARTIFACT_BYTES} bytes, and this one ${data.byteLength}; split it`,
      )
    this.#asked += 1
    const asked = Promise.withResolvers<Answer>()
    this.#answers.set(this.#asked, asked.resolve)
    this.#send({ ...message, id: this.#asked }, data)
    const answer = await asked.promise
    if (answer.message['type'] !== 'failed') return answer
    // made here, where its stack has the line that asked
    const error = new Error(String(answer.message['message']))
    throw answer.message['missing'] === true ? Object.assign(error, { code: 'not_found' }) : error
  }

  async #loadArtifact(digest: string): Promise<Uint8Array> {
    const { message, data } = await this.#ask({ type: 'load', digest })
    const { file, size } = message as { file?: string; size?: number }
    if (file === undefined) return data
    const read = await readFile(file).catch(() => null)
    if (read !== null && read.byteLength === size) return read
    // another worker has made room for something else meanwhile
    return (await this.#ask({ type: 'load', digest, whole: true })).data
  }

  async #execute({ nonce, ...frame }: CallFrame & { readonly nonce: string }): Promise<void> {
    this.#nonce = nonce
    Object.assign(process.env, frame.env, { SERVICE_CALL_ID: frame.call })
    this.#executing = true
    try {
      const execution = new Execution(frame, this.#host)
      const outputs = await execution.run(await this.#load(frame))
      const { stored } = execution
      const isAny = Object.keys(stored).length > 0
      if (this.#executing) this.#send({ type: 'result', outputs, ...(isAny && { stored }) })
    } catch (error) {
      if (this.#executing) this.#fail(error, false)
    }
    this.#executing = false
  }

  async #load(frame: CallFrame): Promise<Runnable> {
    if (this.#definition?.digest === frame.source_digest) return this.#definition.runnable
    const url = urlOf(frame.node)
    // code that looks at itself, such as one that starts a thread of its own file, finds one
    if (frame.source.includes('import.meta')) writeFileSync(fileURLToPath(url), frame.source)
    const module = await importText(url, frame.source)
    const runnable = module[frame.entry]
    if (!isRunnable(runnable)) {
      const found = Object.keys(module).join(', ') || 'none'
      throw new NoEntry(`the bundle exports no stage or node "${frame.entry}" (exports: ${found})`)
    }
    this.#definition = { digest: frame.source_digest, runnable }
    this.#send({ type: 'loaded' })
    return runnable
  }

  #fail(thrown: unknown, over: boolean): void {
    const error = thrown instanceof Error ? thrown : new Error(`the code threw ${String(thrown)}`)
    const isEntry = error instanceof NoEntry
    const name = error.name === 'Error' ? error.constructor.name : error.name
    this.#send({
      type: 'error',
      over,
      error: {
        type: isEntry ? 'no_entry' : name,
        message: error.message.slice(0, MAX_MESSAGE_CHARS),
        traceback: isEntry ? null : userStack(error, home),
      },
    })
  }
}

function isRunnable(value: unknown): value is Runnable {
  return typeof value === 'object' && value !== null && typeof (value as Definition).run === 'function'
}

/**
 * Bundles that are being imported, by their URL: Node takes them as if a file held them. Writing, looking for and reading
 * one would be a third of the time that a short stage costs.
 */
const texts = new Map<string, string>()

registerHooks({
  resolve: (specifier, context, next) =>
    texts.has(specifier) ? { url: specifier, format: 'module', shortCircuit: true } : next(specifier, context),
  load(url, context, next) {
    const source = texts.get(url)
    return source === undefined ? next(url, context) : { format: 'module', source, shortCircuit: true }
  },
})

/** The exports of an ECMAScript module. Stack traces name `url`; rejects as `import` does. */
async function importText(url: string, text: string): Promise<Record<string, unknown>> {
  texts.set(url, text)
  try {
    return (await import(url)) as Record<string, unknown>
  } finally {
    texts.delete(url)
  }
}

/** A definition that streams a value and draws a number, as most code does. */
const warmUpBundle = `export const entry = { kind: 'stage', id: 'warm-up', initials: {}, *run(_, ctx) {
  yield { y: ctx.random() }
  return { y: 1 }
} }
//# sourceMappingURL=data:application/json;base64,eyJ2ZXJzaW9uIjozLCJzb3VyY2VzIjpbXSwibWFwcGluZ3MiOiIifQ==
`
/** The call that executes it. */
const warmUpFrame: CallFrame = {
  type: 'call',
  call: '',
  attempt: 1,
  flow: '',
  node: 'warm-up',
  run: null,
  mode: 'live',
  kind: 'code',
  source: '',
  source_digest: '',
  entry: 'entry',
  settings: {},
  inputs: {},
  input_ports: [],
  outputs: [{ port: 'y', dtype: 'float', stream: true }],
  env: {},
  seed: '',
  timeout_s: null,
}
