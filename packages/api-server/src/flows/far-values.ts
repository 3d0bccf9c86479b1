/**
 * Passes what flows here publish to the engines whose flows or devices read it: the runtime calls it with each such value,
 * `live.ts` before each start of a flow. Every engine knows all published flows and who runs them, so the one that publishes a
 * value knows which flows elsewhere read it.
 *
 * - far-values.V1 a flow that is about to start tells so, and what it reads, and is answered with the values that there are:
 *   it starts with the last ones, and what comes after goes to its engine, however late others hear of its place and its
 *   content otherwise.
 * - far-values.V2 what is no kept work is passed on once, in the order of its publisher, and lost with a link that breaks, or
 *   while its reader is between two engines. Where there is no link one is opened first.
 * - far-values.V3 kept work stays with its publisher until the engine that runs its reader has committed it, whoever that is by
 *   then: in the order of its publisher, and twice where an answer was lost or its commit has failed. A reader that is stopped, or gone,
 *   reads nothing; one that is just starting here, or has just ended, is waited for like one that is between two engines. What waits
 *   for one that starts here may be overtaken by what it reads by itself then.
 * - far-values.V4 devices follow messages at whichever engine they are connected; that is told to all engines, and told again
 *   when a link or an engine comes.
 * @module
 */
import type { Clock, FarDelivery, FarReader, FarValue, LiveRuntime, WorkNotes } from '@flow-service/core'
import { type FlowDocument, flowPart } from '@flow-service/protocol'

import type { Fence } from '../engines/fence.ts'
import type { EngineLease } from '../engines/lease.ts'
import { Elsewhere, type Links, TooLong } from '../engines/links/links.ts'
import { StandingWish } from '../engines/links/standing-wish.ts'
import { TurnMail } from '../engines/links/turn-mail.ts'
import type { LastValues } from '../messages/last-values.ts'
import type { FarMessages } from '../messages/messages.ts'
import type { Log } from '../process/log.ts'
import type { Secrets } from '../secrets/secrets.ts'
import type { LiveWork } from '../work/work.ts'
import type { FlowNews } from './flow-news.ts'
import { KeptMail } from './kept-mail.ts'
import type { PublishedFlows } from './published-flows.ts'

const START = 'values.start'
const WATCH = 'values.watch'
const TELL = 'values'
const KEEP = 'values.keep'
const NOTHING = Buffer.alloc(0)
/** How long a flow waits for the values that it starts with. */
const BEFORE_MS = 500
const KEEP_MS = 15_000
/** How long what an engine says of a start counts for more than what is read of it. */
const START_MS = 10_000
/** How long changes of flows and places are gathered. */
const SOON_MS = 20

/** Values that came together, for a flow; null: for whoever watches. */
interface Passed extends FarDelivery {
  readonly flow: string | null
  readonly values: readonly (FarValue & { readonly us: number })[]
}

/** The same of kept work. */
interface PassedWork extends Passed, WorkNotes {}

/** A flow that is about to start, and what it reads of others. */
interface Start {
  readonly flow: string
  readonly messages: readonly string[]
}

/** What an engine has said of a start. */
interface Started {
  readonly engine: string
  readonly messages: readonly string[]
  readonly untilMs: number
  /** Whether the engine was among those that live: one that has just opened may tell of a start before that is known. */
  wasSeen: boolean
}

/** What spreading values takes. */
export interface FarValuesDeps {
  readonly clock: Clock
  readonly fence: Pick<Fence, 'has' | 'isLost'>
  readonly flowNews: Pick<FlowNews, 'engineOf' | 'isBetween' | 'onPlaces'>
  readonly lease: Pick<EngineLease, 'id' | 'onEngines' | 'others'>
  readonly links: Pick<Links, 'answer' | 'ask' | 'hear' | 'onChange' | 'reach' | 'send'>
  readonly runtime: Pick<LiveRuntime, 'deliverFar' | 'farReader' | 'get' | 'onReads' | 'reads'>
  readonly published: Pick<PublishedFlows, 'all' | 'get' | 'isPublishedByOthers' | 'onChange'>
  readonly lastValues: Pick<LastValues, 'hear' | 'learn' | 'look' | 'newestOf'>
  readonly work: Pick<LiveWork, 'written'>
  /** Makes what is shown and kept of values. */
  readonly secrets: Pick<Secrets, 'mask'>
  readonly log: Pick<Log, 'warn'>
}

/** Begins to answer and to hear the other engines; null where there is one alone. */
export function openFarValues({
  links,
  ...deps
}: Omit<FarValuesDeps, 'links'> & { readonly links: FarValuesDeps['links'] | null }): FarValues | null {
  if (links === null) return null
  const made = new FarValues({ ...deps, links })
  made.open()
  return made
}

/** Has the last values of flows that this engine does not run read, as far as others have written them, when the result is called. */
export const lookElsewhere =
  (deps: {
    readonly fence: Pick<Fence, 'has'>
    readonly lastValues: Pick<LastValues, 'look'>
    readonly lease: Pick<EngineLease, 'id'>
    readonly published: Pick<PublishedFlows, 'all'>
  }) =>
  async (): Promise<void> => {
    if (deps.lease.id === null) return
    const others = deps.published.all().flatMap(({ name }) => (deps.fence.has(name) ? [] : [name]))
    if (others.length > 0) await deps.lastValues.look(others)
  }

/** The flows elsewhere that read messages, and what is watched here of other engines. */
export class FarValues implements FarMessages {
  readonly #deps: FarValuesDeps
  readonly #mail: TurnMail
  /** Flows that others run, or that are between two engines, and read messages of other flows. */
  readonly #flows = new Map<string, { readonly reader: FarReader; messages: string }>()
  /** Flows that have just started elsewhere, until that is known otherwise. */
  readonly #started = new Map<string, Started>()
  readonly #kept: KeptMail<PassedWork>
  /** Other engines that watch messages. */
  readonly #watchers = new Map<string, FarReader>()
  readonly #wish: StandingWish
  #watched: readonly string[] = []
  #cancelReview: (() => void) | null = null
  #cancelWatch: (() => void) | null = null
  #ends: (() => void)[] = []
  #isClosed = false

  constructor(deps: FarValuesDeps) {
    this.#deps = deps
    this.#mail = new TurnMail(TELL, deps.links, deps.log)
    this.#wish = new StandingWish(WATCH, '[]', deps)
    this.#kept = new KeptMail((flow, all) => this.#takenBy(flow, all), deps)
  }

  /** Answers and hears others from now on. */
  open(): void {
    const { flowNews, lease, links, published, runtime } = this.#deps
    const soon = (): void => this.#soon()
    this.#ends = [
      links.answer(START, (payload, { from }) => this.#start(from, JSON.parse(payload.toString()) as Start)),
      links.answer(WATCH, (payload, { from }) => this.#watch(from, JSON.parse(payload.toString()) as string[])),
      links.answer(KEEP, (payload) => this.#keep(JSON.parse(payload.toString()) as PassedWork[])),
      links.hear(TELL, (payload) => {
        for (const passed of JSON.parse(payload.toString()) as Passed[]) this.#hear(passed)
      }),
      flowNews.onPlaces(soon),
      published.onChange(soon),
      runtime.onReads((flow) => this.#turned(flow)),
    ]
    lease.onEngines(() => {
      for (const [engine, reader] of this.#watchers) {
        if (lease.others.includes(engine)) continue
        reader.end()
        this.#watchers.delete(engine)
      }
      soon()
    })
    this.#wish.open()
    this.#review()
  }

  close(): void {
    this.#isClosed = true
    this.#kept.close()
    this.#wish.close()
    for (const end of this.#ends) end()
    this.#cancelReview?.()
    this.#cancelWatch?.()
    for (const { reader } of this.#flows.values()) reader.end()
    for (const reader of this.#watchers.values()) reader.end()
  }

  /** A flow is about to start here, or to have that content: resolves when others have answered (far-values.V1). */
  async before(document: FlowDocument): Promise<void> {
    const { fence, lastValues, lease } = this.#deps
    const messages = this.#readBy(document)
    if (messages.length === 0) return
    const start: Start = { flow: document.name, messages }
    const payload = Buffer.from(JSON.stringify(start))
    const flows = new Set(messages.map(flowPart).filter((flow) => !fence.has(flow)))
    await Promise.all([
      // of those that nobody runs
      flows.size > 0 ? lastValues.look([...flows]) : null,
      ...lease.others.map((engine) => this.#askStart(engine, payload)),
    ])
  }

  watch(messages: readonly string[]): void {
    this.#watched = messages
    this.#cancelWatch ??= this.#deps.clock.setTimer(SOON_MS, () => {
      this.#cancelWatch = null
      this.#wish.set(JSON.stringify(this.#watched.toSorted()))
    })
  }

  /** Messages that a flow reads and that others publish: those of other flows, and its own that others publish too. */
  #readBy({ name, nodes }: FlowDocument): string[] {
    const { published } = this.#deps
    const inputs = nodes.flatMap(({ ports }) =>
      ports.flatMap(({ direction, message }) => (direction === 'input' ? [message] : [])),
    )
    return [...new Set(inputs)].filter(
      (message) => flowPart(message) !== name || published.isPublishedByOthers(message),
    )
  }

  /** The other engine that runs a flow; null while none does. */
  #homeOf(flow: string): string | null {
    const { clock, flowNews, lease } = this.#deps
    const started = this.#started.get(flow)
    const engine = started && clock.now() < started.untilMs ? started.engine : flowNews.engineOf(flow)
    return engine === lease.id ? null : engine
  }

  #soon(): void {
    if (this.#isClosed) return
    this.#cancelReview ??= this.#deps.clock.setTimer(SOON_MS, () => {
      this.#cancelReview = null
      this.#review()
    })
  }

  /** Finds the flows that are to be passed values. */
  #review(): void {
    const { fence, lease, published } = this.#deps
    const gone = new Set(this.#flows.keys())
    for (const [flow, started] of this.#started) {
      const isSeen = lease.others.includes(started.engine)
      if (fence.has(flow) || (started.wasSeen && !isSeen) || this.#isKnown(flow, started)) this.#started.delete(flow)
      else this.#follow(flow, started.messages, gone)
      started.wasSeen = isSeen
    }
    for (const document of published.all()) {
      const { mode, name } = document
      if (mode === 'live' && this.#isAway(name) && !this.#started.has(name))
        this.#follow(name, this.#readBy(document), gone)
    }
    for (const flow of gone) {
      this.#flows.get(flow)?.reader.end()
      this.#flows.delete(flow)
    }
  }

  /** Whether a flow does not read by itself what is published here, and runs elsewhere, is to, or is to run here in a moment. */
  #isAway(name: string): boolean {
    const { fence, flowNews } = this.#deps
    if (this.#isReadHere(name)) return false
    // one that has just ended here is known to be elsewhere, or stopped, a moment later
    const isKnown = this.#homeOf(name) !== null || flowNews.engineOf(name) !== null
    return isKnown || fence.has(name) || flowNews.isBetween(name)
  }

  /** A flow has begun to read by itself what is published here, or has just ended. */
  #turned(name: string): void {
    const document = this.#deps.published.get(name)
    if (document?.mode === 'live' && this.#isAway(name) && !this.#flows.has(name))
      this.#follow(name, this.#readBy(document), new Set())
    this.#soon()
  }

  /** Whether the place and the content of a flow are known as its engine has told them, or that was long ago. */
  #isKnown(flow: string, { engine, messages, untilMs }: Started): boolean {
    const { clock, flowNews, published } = this.#deps
    if (clock.now() >= untilMs) return true
    const document = published.get(flow)
    const isRead = document !== undefined && this.#readBy(document).join('\n') === messages.join('\n')
    return isRead && flowNews.engineOf(flow) === engine
  }

  #follow(flow: string, messages: readonly string[], gone: Set<string>): void {
    if (messages.length === 0) return
    gone.delete(flow)
    const text = messages.join('\n')
    const known = this.#flows.get(flow)
    if (known?.messages === text) return
    const reader = known?.reader ?? this.#readerFor(flow)
    reader.read(messages)
    this.#flows.set(flow, { reader, messages: text })
  }

  #readerFor(flow: string): FarReader {
    return this.#deps.runtime.farReader({
      flow,
      tell: (values) => {
        const engine = this.#isReadHere(flow) ? null : this.#homeOf(flow)
        if (engine !== null) this.#mail.add(engine, this.#passed(flow, values))
      },
      keep: async ({ begun, ended, ...values }) => {
        if (!this.#isReadHere(flow)) await this.#kept.pass(flow, { ...this.#passed(flow, values), begun, ended })
      },
    })
  }

  /** Whether a flow that was elsewhere a moment ago reads the same by itself, and what it does counts. */
  #isReadHere(flow: string): boolean {
    const { fence, runtime } = this.#deps
    return runtime.reads(flow) && !fence.isLost(flow)
  }

  #passed(flow: string | null, { values, executions }: FarDelivery): Passed {
    const { clock, lastValues } = this.#deps
    const us = (message: string): number => lastValues.newestOf(message)?.us ?? Math.round(clock.now() * 1000)
    return { flow, values: values.map((each) => ({ ...each, us: us(each.message) })), executions }
  }

  /** Whether kept work was taken, or nobody is to read it. Throws a `TooLong`. */
  async #takenBy(flow: string, all: readonly PassedWork[]): Promise<boolean> {
    const { links } = this.#deps
    const engine = this.#homeOf(flow)
    try {
      if (engine !== null) await links.ask(engine, KEEP, Buffer.from(JSON.stringify(all)), { timeoutMs: KEEP_MS })
      else if (this.#isRunning(flow)) await this.#keep(all)
      else return !this.#isAway(flow)
      return true
    } catch (error) {
      if (error instanceof TooLong) throw error
      return false
    }
  }

  #isRunning(flow: string): boolean {
    const { fence, runtime } = this.#deps
    return fence.has(flow) && runtime.get(flow) !== undefined
  }

  /** Takes kept work for a flow that runs here; refuses it with `Elsewhere` unless it is committed. */
  async #keep(all: readonly PassedWork[]): Promise<Buffer> {
    const { fence, work } = this.#deps
    const flow = all[0]?.flow ?? ''
    if (!this.#isRunning(flow)) throw new Elsewhere(`flow "${flow}" does not run here`)
    for (const passed of all) this.#deliver(passed, passed)
    await work.written()
    if (!fence.has(flow) || fence.isLost(flow)) throw new Elsewhere(`flow "${flow}" does not run here any more`)
    return NOTHING
  }

  #hear(passed: Passed): void {
    const { lastValues, secrets } = this.#deps
    if (passed.flow !== null) return this.#deliver(passed, null)
    for (const { message, value, us } of passed.values) lastValues.hear(message, secrets.mask(value), us)
  }

  #deliver({ flow, values, executions }: Passed, kept: WorkNotes | null): void {
    const { lastValues, runtime, secrets } = this.#deps
    for (const { message, value, us } of values) lastValues.learn(message, secrets.mask(value), us)
    runtime.deliverFar(flow ?? '', { values, executions }, kept)
  }

  async #askStart(engine: string, payload: Uint8Array): Promise<void> {
    const { lastValues, links } = this.#deps
    try {
      const answer = await links.ask(engine, START, payload, { timeoutMs: BEFORE_MS })
      for (const { message, value, us } of JSON.parse(answer.toString()) as Passed['values'])
        lastValues.learn(message, value, us)
    } catch {
      // it hears of the place in a moment, and the flow starts with what is known here
    }
  }

  /** A flow is about to start at another engine; answered with what is known here of what it reads. */
  #start(engine: string, { flow, messages }: Start): Buffer {
    const { clock, fence } = this.#deps
    if (!fence.has(flow)) {
      this.#started.set(flow, { engine, messages, untilMs: clock.now() + START_MS, wasSeen: false })
      this.#review()
    }
    return Buffer.from(JSON.stringify(this.#known(messages)))
  }

  /** What another engine watches from now on, which is sent what is known here of it; that may be more than an answer takes. */
  #watch(engine: string, messages: readonly string[]): Buffer {
    const reader =
      this.#watchers.get(engine) ??
      this.#deps.runtime.farReader({
        engine,
        tell: (values) => this.#mail.add(engine, this.#passed(null, values)),
      })
    reader.read(messages)
    this.#watchers.set(engine, reader)
    for (const value of this.#known(messages)) this.#mail.add(engine, { flow: null, values: [value], executions: 0 })
    return NOTHING
  }

  /** The last values of messages whose flows run here. */
  #known(messages: readonly string[]): Passed['values'] {
    const { fence, lastValues } = this.#deps
    return messages.flatMap((message) => (fence.has(flowPart(message)) ? (lastValues.newestOf(message) ?? []) : []))
  }
}
