/** Flows at a virtual time in which a `commands_lm` node lives on: through another document, a stop, or the end of the engine. */
import { flowDocumentInputSchema, normalizeDocument } from '@flow-service/protocol'
import { onTestFinished } from 'vitest'

import { type KeptWork, type LiveFlow, LiveRuntime, NodeRegistry } from '../../core/src/index.ts'
import { type MemoryHost, memoryHost } from '../../core/src/testing.ts'
import { readingsOf, spokenNode } from './spoken.ts'

/** What a node of `home` is wired to, and whether it writes. */
interface Wiring {
  readonly targets?: readonly string[]
  readonly apply?: boolean
  /** Of all targets. */
  readonly dtype?: string
}

const parsed = (name: string, document: object) =>
  normalizeDocument(name, flowDocumentInputSchema.parse({ mode: 'live', ...document }))
const lights = parsed('lights', { inputs: [{ name: 'k1', dtype: 'bool' }] })
const homeOf = ({ targets = ['kitchen_light', 'office_light'], apply = true, dtype = 'bool' }: Wiring) =>
  parsed('home', {
    inputs: [{ name: 'said', dtype: 'str' }],
    nodes: [
      {
        id: 'lm',
        type: 'commands_lm',
        settings: { apply },
        ports: [
          { direction: 'input', name: 'said', port: 'prompt', dtype: 'str' },
          { direction: 'output', name: 'actions', dtype: 'array' },
          { direction: 'output', name: 'lights.k1', port: 'garden_light', dtype: 'bool' },
          ...targets.map((name) => ({ direction: 'output', name, dtype })),
        ],
      },
    ],
  })

/** A flow `home` whose prompts come in as `said`, and a flow `lights` with a lamp of its own. */
export class Home {
  readonly #node: ReturnType<typeof spokenNode>
  /** Answers that the model still thinks about, oldest first. */
  readonly #thinking: (() => void)[] = []
  #host = memoryHost({ startMs: 0 })
  #runtime: LiveRuntime | null = null
  #flow: LiveFlow | null = null

  /** `thinks`: whether the model takes its time with a prompt, until it is told to `answer`. */
  static async start(thinks?: (prompt: string) => boolean): Promise<Home> {
    const home = new Home(thinks)
    onTestFinished(() => void home.#runtime?.close())
    await home.#start()
    return home
  }

  private constructor(thinks: (prompt: string) => boolean = () => false) {
    this.#node = spokenNode((prompt) =>
      thinks(prompt)
        ? new Promise((resolve) => this.#thinking.push(() => resolve(readingsOf(prompt))))
        : readingsOf(prompt),
    )
  }

  get host(): MemoryHost {
    return this.#host
  }

  /** Those that the model was asked in. */
  get contexts(): ReturnType<typeof spokenNode>['contexts'] {
    return this.#node.contexts
  }

  async say(prompt: string): Promise<void> {
    this.#runtime?.publish('home.said', prompt)
    await this.pass(0)
  }

  /** The model comes to an end with the prompt that it thinks about. */
  async answer(): Promise<void> {
    const answer = this.#thinking.shift()
    if (answer === undefined) throw new Error('the model does not think about any prompt')
    answer()
    await this.pass(0)
  }

  async pass(seconds: number): Promise<void> {
    await this.#host.advance(seconds * 1000)
  }

  async publish(wiring: Wiring): Promise<void> {
    const rebuilt = this.#flow?.rebuild(homeOf(wiring))
    await this.pass(0)
    await rebuilt
    await this.pass(0)
  }

  async stop(): Promise<void> {
    const stopped = this.#flow?.stop()
    await this.pass(0)
    await stopped
  }

  /** The engine dies now, and another one starts with what this one has kept. */
  async crash(awaySeconds: number): Promise<void> {
    const old = this.#runtime
    onTestFinished(() => void old?.close())
    const kept: KeptWork[] = structuredClone([...this.#host.work.items.values()])
    this.#host = memoryHost({ kept, startMs: this.#host.clock.now() + awaySeconds * 1000 })
    await this.#start()
    await this.pass(0)
  }

  /** Values of a message of `home`, or of another flow. */
  written(message: string): unknown[] {
    const name = message.includes('.') ? message : `home.${message}`
    return this.#host.records
      .filter((record) => record.message === name && record.node !== null)
      .map(({ value }) => value)
  }

  records(): Record<string, unknown>[] {
    return this.written('actions').flat() as Record<string, unknown>[]
  }

  async #start(): Promise<void> {
    this.#runtime = new LiveRuntime(this.#host, new NodeRegistry([this.#node.definition]))
    await this.#runtime.start(lights)
    this.#flow = await this.#runtime.start(homeOf({}))
  }
}
