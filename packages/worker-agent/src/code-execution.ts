/**
 * One execution of a TypeScript definition, inside its own process.
 * @module
 */
import { setImmediate as turn } from 'node:timers/promises'

import type { ArtifactRef, CallFrame, CodeContext, Definition, StoredKind } from '@flow-service/protocol'

import type { Message } from './channel.ts'
import { numberOf, plainValue, roughSize } from './plain-value.ts'
import { seededRandom } from './random.ts'

const FLUSH_MS = 20
const FLUSH_ENTRIES = 500
/** Of one frame, as `MAX_WORKER_FRAME_BYTES` of the protocol, which a process of node code does not load. */
const MAX_FRAME_BYTES = 32 * 1024 * 1024
/** As `STORED_VALUE_TYPE` of the protocol. */
const STORED_VALUE_TYPE = 'application/vnd.flow-service.value+json'

type Values = Record<string, unknown>
type Verb = 'return' | 'yield' | 'emit'

/** What an execution needs of its process. */
export interface ExecutionHost {
  /** Blocks until the agent has taken it, which holds back code that emits faster than the engine can read. */
  send(message: Message): void
  saveArtifact: (data: Uint8Array, options: Message) => Promise<ArtifactRef>
  loadArtifact: (digest: string) => Promise<Uint8Array>
  /** Aborted by SIGTERM. Asking for it makes SIGTERM a request: without it the process dies at once. */
  signal(): AbortSignal
}

/** Runs a definition once. */
export class Execution {
  /** Of what `run` has given: the ports with a reference in place of a value that is stored, and what that is. */
  readonly stored: Record<string, StoredKind> = {}
  readonly #frame: CallFrame
  readonly #host: ExecutionHost
  readonly #dtypes: Map<string, string>
  readonly #streams: string[]
  #running = true
  #batch: [Values, number][] = []
  /** Of the batch, about. */
  #size = 0
  #flushedMs = 0
  #timer: NodeJS.Timeout | undefined

  constructor(frame: CallFrame, host: ExecutionHost) {
    this.#frame = frame
    this.#host = host
    this.#dtypes = new Map(frame.outputs.map(({ port, dtype }) => [port, dtype]))
    this.#streams = frame.outputs.filter((output) => output.stream).map((output) => output.port)
  }

  /** The final values by port. Rejects with what the code throws. All emissions are sent before it settles. */
  async run(definition: Required<Pick<Definition, 'run'>> & Definition): Promise<Values> {
    try {
      const given = await this.#given()
      const settings = definition.settings?.parse(this.#frame.settings) ?? this.#frame.settings
      const result = definition.run({ ...this.#inputs(definition, given), ...(settings as Values) }, this.#context())
      const final = isGenerator(result) ? await this.#drive(result) : await result
      const [outputs] = this.#checked(await this.#withoutLarge(final), 'return')
      if (definition.kind === 'stage') this.#assertComplete(outputs)
      return outputs
    } finally {
      this.#running = false
      this.#flush()
    }
  }

  /** The inputs, with the values of those that are stored. */
  async #given(): Promise<Values> {
    const { inputs, stored_inputs: ports = [] } = this.#frame
    if (ports.length === 0) return inputs
    const opened = ports.map(async (port) => [port, await this.#opened(port, inputs[port])] as const)
    return { ...inputs, ...Object.fromEntries(await Promise.all(opened)) }
  }

  async #opened(port: string, value: unknown): Promise<unknown> {
    const { digest } = value as ArtifactRef
    try {
      return JSON.parse(new TextDecoder().decode(await this.#host.loadArtifact(digest)))
    } catch (error) {
      throw new MissingArtifact(`input "${port}" is stored as ${digest}, which is not to be had`, error)
    }
  }

  /** What was returned, with references in place of values that are too large. What cannot be sent is told later. */
  async #withoutLarge(final: unknown): Promise<unknown> {
    const over = this.#frame.store_over
    if (over === undefined || typeof final !== 'object' || final === null || Array.isArray(final)) return final
    const kept = Object.entries(final).map(async ([port, value]) => {
      const dtype = this.#dtypes.get(port)
      if (dtype === undefined || this.#streams.includes(port) || isShort(value, over)) return [port, value] as const
      const plain = onPort(value, dtype, port, 'return')
      const json = Buffer.from(JSON.stringify(plain))
      if (json.byteLength <= over) return [port, plain] as const
      this.stored[port] = typeof plain === 'string' ? 'string' : Array.isArray(plain) ? 'array' : 'object'
      const options = { name: `${port}.json`, media_type: STORED_VALUE_TYPE, volatile: false }
      return [port, await this.#host.saveArtifact(json, options)] as const
    })
    return Object.fromEntries(await Promise.all(kept))
  }

  #inputs(definition: Definition, given: Values): Values {
    const inputs: Values = {}
    for (const { port, dtype } of this.#frame.input_ports) {
      const value = given[port] ?? definition.initials[port] ?? null
      inputs[port] = dtype === 'float' ? numberOf(value) : value
    }
    return inputs
  }

  #context(): CodeContext {
    const host = this.#host
    return {
      emit: (port, value) => this.#emit({ [port]: value }, 'emit'),
      async saveArtifact(data, { name = '', mediaType = 'application/octet-stream', volatile = false } = {}) {
        const bytes = typeof data === 'string' ? Buffer.from(data) : data
        return await host.saveArtifact(bytes, { name, media_type: mediaType, volatile })
      },
      loadArtifact: async (ref) => await host.loadArtifact(typeof ref === 'string' ? ref : ref.digest),
      get signal() {
        return host.signal()
      },
      random: seededRandom(this.#frame.seed),
      log(message, fields) {
        console.log(fields === undefined ? message : `${message} ${JSON.stringify(fields)}`)
      },
      run: this.#frame.run,
      delivery: this.#frame.call,
    }
  }

  /** Takes a generator to its end. A bad value is thrown at its `yield`. */
  async #drive(generator: AnyGenerator): Promise<unknown> {
    let turnedMs = performance.now()
    let step = await generator.next()
    while (!step.done) {
      let problem: unknown = null
      try {
        this.#emit(step.value, 'yield')
      } catch (error) {
        problem = error
      }
      if (performance.now() - turnedMs > FLUSH_MS) {
        // A generator that never waits would keep SIGTERM and timers from being seen.
        await turn()
        turnedMs = performance.now()
      }
      step = await (problem === null ? generator.next() : generator.throw(problem))
    }
    return step.value
  }

  #emit(values: unknown, verb: Verb): void {
    if (!this.#running) throw new Error(`${verb}() works only while the node executes`)
    const [checked, size] = this.#checked(values, verb)
    if (this.#size + size > MAX_FRAME_BYTES) this.#flush()
    this.#size += size
    this.#batch.push([checked, performance.timeOrigin + performance.now()])
    if (this.#batch.length >= FLUSH_ENTRIES || performance.now() - this.#flushedMs >= FLUSH_MS) this.#flush()
    else this.#timer ??= setTimeout(() => this.#flush(), FLUSH_MS)
  }

  #flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#batch.length === 0) return
    this.#host.send({ type: 'emit', batch: this.#batch })
    this.#batch = []
    this.#size = 0
    this.#flushedMs = performance.now()
  }

  /** With about the size of their text. */
  #checked(values: unknown, verb: Verb): [values: Values, size: number] {
    if (values === undefined || values === null) return [{}, 2]
    if (typeof values !== 'object' || Array.isArray(values))
      throw new TypeError(
        `${verb} gave ${Array.isArray(values) ? 'an array' : `a ${typeof values}`}: give {port: value}`,
      )
    const checked: Values = {}
    for (const [port, value] of Object.entries(values)) {
      const dtype = this.#dtypes.get(port)
      if (dtype === undefined)
        throw new TypeError(`${verb}: there is no output port "${port}"; the ports are ${listed(this.#dtypes.keys())}`)
      if (verb !== 'return') this.#mayStream(port, verb)
      if (value !== undefined) checked[port] = onPort(value, dtype, port, verb)
    }
    const size = roughSize(checked)
    if (size > MAX_FRAME_BYTES)
      throw new RangeError(
        `${verb}: ${size} bytes are more than ${MAX_FRAME_BYTES}; use ctx.saveArtifact() and send its reference`,
      )
    return [checked, size]
  }

  /** A stage returns all that it declares; null says of a port that it has no value. */
  #assertComplete(outputs: Values): void {
    const missing = this.#frame.outputs.filter(({ port, stream }) => !stream && !Object.hasOwn(outputs, port))
    if (missing.length === 0 || this.#frame.mode === 'live') return
    const names = listed(missing.map(({ port }) => port))
    throw new TypeError(`return: the stage declares outputs that it did not return: ${names}; give null for no value`)
  }

  #mayStream(port: string, verb: Verb): void {
    if (this.#frame.mode === 'live' || this.#streams.includes(port)) return
    throw new TypeError(
      `${verb}: in a batch flow only streaming ports publish before the end, and "${port}" is none ` +
        `(streaming ports: ${listed(this.#streams)}); return its value instead`,
    )
  }
}

/** What a call was given is not there any more. */
class MissingArtifact extends Error {
  override readonly name = 'missing_artifact'

  constructor(message: string, cause: unknown) {
    super(`${message}: ${(cause as Error).message}`, { cause })
  }
}

const isShort = (value: unknown, over: number): boolean =>
  typeof value === 'string' ? value.length * 6 < over : typeof value !== 'object' || value === null

type AnyGenerator = Generator<unknown, unknown> | AsyncGenerator<unknown, unknown>

function isGenerator(value: unknown): value is AnyGenerator {
  if (typeof value !== 'object' || value === null) return false
  const { next, throw: raise } = value as Record<string, unknown>
  const iterates = Symbol.asyncIterator in value || Symbol.iterator in value
  return iterates && typeof next === 'function' && typeof raise === 'function'
}

function onPort(value: unknown, dtype: string, port: string, verb: Verb): unknown {
  try {
    return plainValue(value, dtype)
  } catch (error) {
    throw new TypeError(`${verb}: port "${port}": ${(error as Error).message}`, { cause: error })
  }
}

const listed = (names: Iterable<string>): string => [...names].join(', ') || 'none'
