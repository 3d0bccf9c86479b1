/**
 * Values between flows that different engines run: each engine tells the others what its flows read of other flows, and
 * whoever publishes that passes it on.
 *
 * - far-values.V1 what a flow reads is told before it starts, and answered with the values that there are: it starts with
 *   the last ones, and misses none that comes after.
 * - far-values.V2 what is no kept work is passed on once, in the order of its publisher, and lost with a link that breaks.
 * - far-values.V3 kept work stays with its publisher until the engine of the reader has committed it, and is asked of
 *   whoever reads it then: twice where an answer was lost. What nobody has read for {@link UNREAD_MS} is done.
 * - far-values.V4 an engine whose lease was over is forgotten as a reader by those who have seen that: it tells them anew once
 *   it has another one, and whoever has not heard it is told again.
 * @module
 */
import type { Clock, FarHost, FarReader, FarValue, LiveRuntime } from '@flow-service/core'
import { type FlowDocument, flowPart } from '@flow-service/protocol'

import type { Fence } from '../engines/fence.ts'
import type { EngineLease } from '../engines/lease.ts'
import { Elsewhere, type Links } from '../engines/links/links.ts'
import type { LastValues } from '../messages/last-values.ts'
import type { FarMessages } from '../messages/messages.ts'
import type { Log } from '../process/log.ts'
import type { Secrets } from '../secrets/secrets.ts'
import type { LiveWork } from '../work/work.ts'
import type { FlowNews } from './flow-news.ts'
import type { PublishedFlows } from './published-flows.ts'

const WANT = 'values.want'
const TELL = 'values'
const KEEP = 'values.keep'
/** How long a flow waits for the values that it starts with. */
const BEFORE_MS = 500
/** Between two attempts to have kept work taken. */
const AGAIN_MS = 500
const KEEP_MS = 15_000
/** How long kept work waits for a flow that reads it and is between two engines. */
const UNREAD_MS = 15_000
/** How long changes of flows are gathered. */
const SOON_MS = 50

/** Values that came together, and how many executions their cascade has caused. */
interface Passed {
  readonly values: readonly (FarValue & { readonly us: number })[]
  readonly executions: number
}

/** What spreading values takes. */
export interface FarValuesDeps {
  readonly clock: Clock
  readonly lease: Pick<EngineLease, 'engines' | 'id' | 'onEngines' | 'onReturn'>
  readonly links: Pick<Links, 'answer' | 'ask' | 'hear' | 'onChange' | 'reach' | 'send'>
  readonly runtime: Pick<LiveRuntime, 'deliverFar' | 'farReader'>
  readonly published: Pick<PublishedFlows, 'isPublishedByOthers' | 'onChange'>
  readonly lastValues: Pick<LastValues, 'get' | 'hear' | 'newestOf'>
  readonly work: Pick<LiveWork, 'written'>
  /** Whether this engine runs a flow. */
  readonly isMine: (flow: string) => boolean
  /** A value as it may be shown. */
  readonly mask: (value: unknown) => unknown
  readonly log: Pick<Log, 'warn'>
}

/** What an engine opens it with. */
interface OpenDeps extends Omit<FarValuesDeps, 'isMine' | 'links' | 'mask'> {
  readonly fence: Pick<Fence, 'has'>
  readonly links: FarValuesDeps['links'] | null
  readonly secrets: Pick<Secrets, 'mask'>
}

/** Begins to answer and to hear the other engines; null where there is one alone. */
export function openFarValues({ fence, links, secrets, ...deps }: OpenDeps): FarValues | null {
  if (links === null) return null
  const isMine = (flow: string): boolean => fence.has(flow)
  const made = new FarValues({ ...deps, links, isMine, mask: (value) => secrets.mask(value) })
  made.open()
  return made
}

/** Has the last values of flows that other engines run read, as far as they are written, when the result is called. */
export const lookElsewhere =
  (deps: {
    readonly flowNews: Pick<FlowNews, 'engineOf'>
    readonly lastValues: Pick<LastValues, 'look'>
    readonly lease: Pick<EngineLease, 'id'>
    readonly published: Pick<PublishedFlows, 'all'>
  }) =>
  async (): Promise<void> => {
    const engines = deps.published.all().map(({ name }) => [name, deps.flowNews.engineOf(name)] as const)
    const others = engines.filter(([, engine]) => engine !== null && engine !== deps.lease.id)
    if (others.length > 0) await deps.lastValues.look(others.map(([name]) => name))
  }

/** What the flows of this engine read of others, and what others read here. */
export class FarValues implements FarMessages {
  readonly #deps: FarValuesDeps
  /** The flows of this engine, as they execute. */
  readonly #documents = new Map<string, FlowDocument>()
  /** What they read that other flows publish, as the others were told it. */
  #wanted: readonly string[] = []
  /** What is followed here beside that. */
  #watched: readonly string[] = []
  readonly #readers = new Map<string, { readonly reader: FarReader; readonly messages: ReadonlySet<string> }>()
  /** What waits for the end of the turn, by engine. */
  readonly #waiting = new Map<string, Passed[]>()
  /** The other engines that lived at the last look. */
  #known: ReadonlySet<string> = new Set()
  #cancel: (() => void) | null = null
  #end: () => void = () => {}
  #isClosed = false

  constructor(deps: FarValuesDeps) {
    this.#deps = deps
  }

  /** Answers and hears others from now on. */
  open(): void {
    const { clock, lease, links, published } = this.#deps
    links.answer(WANT, (payload, { from }) => this.#want(from, JSON.parse(payload.toString()) as string[]))
    links.answer(KEEP, (payload) => this.#keep(JSON.parse(payload.toString()) as Passed))
    links.hear(TELL, (payload) => this.#hear(JSON.parse(payload.toString()) as Passed[]))
    // an engine that has begun anew knows nothing of what was wanted before; a link that has broken is opened again
    links.onChange((engine) => {
      if (this.#wanted.length > 0 && this.#others.includes(engine)) void this.#tellWant(engine)
    })
    lease.onEngines(() => this.#followEngines())
    lease.onReturn(async () => void this.#tellWants(this.#others))
    // another flow may publish from now on what is read here
    this.#end = published.onChange(() => {
      this.#cancel ??= clock.setTimer(SOON_MS, () => {
        this.#cancel = null
        void this.#follow()
      })
    })
  }

  close(): void {
    this.#isClosed = true
    this.#end()
    this.#cancel?.()
    for (const { reader } of this.#readers.values()) reader.end()
    this.#readers.clear()
  }

  /** A flow is about to start here, or to have that content: resolves when others know what it reads. */
  async before(document: FlowDocument): Promise<void> {
    this.#documents.set(document.name, document)
    await this.#follow()
  }

  /** A flow does not run here any more. */
  after(flow: string): void {
    if (this.#documents.delete(flow)) void this.#follow()
  }

  watch(messages: readonly string[]): void {
    this.#watched = messages
    void this.#follow()
  }

  /** Tells the others what is read here, when that has changed. */
  async #follow(): Promise<void> {
    const read = [...this.#documents.values()].flatMap((document) => this.#readFrom(document))
    const wanted = [...new Set([...read, ...this.#watched])].toSorted()
    if (wanted.join('\n') === this.#wanted.join('\n')) return
    this.#wanted = wanted
    await this.#tellWants(this.#others)
  }

  get #others(): string[] {
    const { engines, id } = this.#deps.lease
    return engines.flatMap((engine) => (engine.id === id ? [] : [engine.id]))
  }

  /** Messages that a flow reads and that others publish: those of other flows, and its own that others publish too. */
  #readFrom({ name, nodes }: FlowDocument): string[] {
    const inputs = nodes.flatMap(({ ports }) =>
      ports.flatMap(({ direction, message }) => (direction === 'input' ? [message] : [])),
    )
    const { published } = this.#deps
    return inputs.filter((message) => flowPart(message) !== name || published.isPublishedByOthers(message))
  }

  async #tellWants(engines: readonly string[]): Promise<void> {
    await Promise.all(engines.map((engine) => this.#tellWant(engine)))
  }

  /** Tells an engine what is read here, once more in a moment when it has not heard it. */
  async #tellWant(engine: string): Promise<void> {
    const { clock, links, log } = this.#deps
    const wanted = this.#wanted
    try {
      const payload = Buffer.from(JSON.stringify(wanted))
      this.#hearNewest(await links.ask(engine, WANT, payload, { timeoutMs: BEFORE_MS }))
    } catch (error) {
      log.warn({ err: error, engine }, 'an engine could not be told yet what flows here read of its flows')
      clock.setTimer(AGAIN_MS, () => {
        // what has changed meanwhile was told by itself
        const isDue = wanted === this.#wanted && !this.#isClosed && this.#others.includes(engine)
        if (isDue) void this.#tellWant(engine)
      })
    }
  }

  #hearNewest(answer: Buffer): void {
    for (const { message, value, us } of JSON.parse(answer.toString()) as Passed['values'])
      this.#deps.lastValues.hear(message, value, us)
  }

  /** What another engine reads from now on; answered with what is known here of it. */
  #want(engine: string, messages: readonly string[]): Buffer {
    const { isMine, lastValues, runtime } = this.#deps
    const { reader } = this.#readers.get(engine) ?? { reader: runtime.farReader(engine, this.#hostOf(engine)) }
    reader.read(messages)
    this.#readers.set(engine, { reader, messages: new Set(messages) })
    const own = messages.filter((message) => isMine(flowPart(message)))
    return Buffer.from(JSON.stringify(own.flatMap((message) => lastValues.newestOf(message) ?? [])))
  }

  #hostOf(engine: string): FarHost {
    return {
      tell: (values, executions) => this.#pass(engine, this.#passed(values, executions)),
      keep: (values, executions) => this.#passKept(engine, this.#passed(values, executions)),
    }
  }

  #passed(values: readonly FarValue[], executions: number): Passed {
    const { clock, lastValues } = this.#deps
    const us = (message: string): number => lastValues.newestOf(message)?.us ?? Math.round(clock.now() * 1000)
    return { values: values.map((each) => ({ ...each, us: us(each.message) })), executions }
  }

  /** Passes values on at the end of the turn, with all others of it. */
  #pass(engine: string, passed: Passed): void {
    const waiting = this.#waiting.get(engine)
    if (waiting) {
      waiting.push(passed)
      return
    }
    this.#waiting.set(engine, [passed])
    setImmediate(() => {
      const all = this.#waiting.get(engine) ?? []
      this.#waiting.delete(engine)
      this.#deps.links.send(engine, TELL, Buffer.from(JSON.stringify(all)))
    })
  }

  /** Has kept work taken by the engine that reads it, which may be another one by then (far-values.V3). */
  async #passKept(first: string, passed: Passed): Promise<void> {
    const { clock, lease, links } = this.#deps
    // the others have their own part of it
    const served = new Set(this.#readersOf(passed).filter((engine) => engine !== first))
    const payload = Buffer.from(JSON.stringify(passed))
    let engine: string | undefined = first
    let readAtMs = clock.now()
    while (!this.#isClosed) {
      try {
        // oxlint-disable-next-line no-await-in-loop -- the next attempt follows the failure of this one
        if (engine !== undefined) return void (await links.ask(engine, KEEP, payload, { timeoutMs: KEEP_MS }))
        if (clock.now() - readAtMs > UNREAD_MS) return
      } catch {
        // it may have it: then its reader gets it twice
        readAtMs = clock.now()
      }
      // oxlint-disable-next-line no-await-in-loop -- as above
      await new Promise<void>((resolve) => clock.setTimer(AGAIN_MS, resolve))
      const readers = this.#readersOf(passed).filter((each) => !served.has(each))
      engine = readers.find((each) => lease.engines.some(({ id }) => id === each))
      if (engine === undefined && this.#deliverHere(passed, true)) {
        // oxlint-disable-next-line no-await-in-loop -- as above
        await this.#deps.work.written().catch(() => {})
        return
      }
    }
    // the work is left for the next start of its flow
    await new Promise<never>(() => {})
  }

  /** The engines that read one of these values. */
  #readersOf({ values }: Passed): string[] {
    return [...this.#readers].flatMap(([engine, { messages }]) =>
      values.some(({ message }) => messages.has(message)) ? [engine] : [],
    )
  }

  #hear(all: readonly Passed[]): void {
    for (const passed of all) this.#deliverHere(passed, false)
  }

  async #keep(passed: Passed): Promise<Buffer> {
    if (!this.#deliverHere(passed, true)) throw new Elsewhere('nothing here reads that any more')
    await this.#deps.work.written()
    return Buffer.alloc(0)
  }

  #deliverHere({ values, executions }: Passed, isKept: boolean): boolean {
    const { lastValues, mask, runtime } = this.#deps
    for (const { message, value, us } of values) lastValues.hear(message, mask(value), us)
    return runtime.deliverFar(values, { executions, isKept })
  }

  /** Engines that have ended read nothing; to those that have come, or come back, it is told what is read here. */
  #followEngines(): void {
    const others = new Set(this.#others)
    for (const [engine, { reader }] of this.#readers) {
      if (others.has(engine)) continue
      reader.end()
      this.#readers.delete(engine)
    }
    const come = [...others].filter((engine) => !this.#known.has(engine))
    this.#known = others
    if (this.#wanted.length > 0) void this.#tellWants(come)
  }
}
