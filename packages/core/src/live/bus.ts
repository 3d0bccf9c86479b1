/**
 * Messages of live flows: who reads each, and the way of a publication. A publication is recorded, shown and
 * delivered, in this order (S8); its dtype has been checked.
 * @module
 */
import { DtypeViolation, type NodePort } from '@flow-service/connector-sdk'
import { accepts, describeValue, type Dtype, type EngineEvent } from '@flow-service/protocol'

import type { FarFlowHost, FarValue } from '../far-host.ts'
import type { Host, ValueSource } from '../host.ts'
import type { Cause, WorkCause } from './cascade.ts'
import { IntervalGate } from './gate.ts'
import type { Loop, Receiver } from './loop.ts'

/** A delivery of several ports at once: what arrives together (G15). */
export const MANY = { is: 'many' } as const
/** A delivery without arrivals: a request to act. */
export const TRIGGER = { is: 'trigger' } as const
/** A delivery of a node's own timer; its value is a {@link DueTimer}. */
export const TIMER = { is: 'timer' } as const
/** What a delivery is: one input's value, several arrivals, a trigger, or a timer. */
export type What = InputPort | typeof MANY | typeof TRIGGER | typeof TIMER

/** A timer of a node that is due. */
export interface DueTimer {
  readonly key: string
  readonly dueMs: number
  readonly data: unknown
  /** Of an execution that is tried again: the number of the attempt. */
  readonly attempt?: number
}

/** A node that messages are delivered to. */
export interface Consumer extends Receiver<What> {
  /** `<flow>/<node>` */
  readonly key: string
  readonly loop: Loop<Consumer, What>
  /** Keeps a delivery by itself, as begun in an earlier life where it is that; the caller lets go of its work. */
  apart(what: What, value: unknown, cause: Cause, hasBegun: boolean): WorkCause
}

/** An input port of a live node and the latest value that arrived there. */
export class InputPort {
  // what each value needs comes first: the beginning of an object is one line of the processor's cache
  readonly is = 'input'
  readonly consumer: Consumer
  readonly dtype: Dtype
  readonly trigger: boolean
  /** Whether there is a value. */
  filled = false
  /** Null until there is one. */
  latest: unknown = null
  readonly port: string
  readonly message: string
  /** Position among the node's inputs. */
  readonly index: number

  constructor(consumer: Consumer, { port, message, dtype, trigger }: NodePort, index: number) {
    this.consumer = consumer
    this.port = port
    this.message = message
    this.dtype = dtype
    this.trigger = trigger
    this.index = index
  }

  fill(value: unknown): void {
    this.filled = true
    this.latest = value
  }

  empty(): void {
    this.filled = false
    this.latest = null
  }

  /** Keeps a value that has arrived, or answers why the port does not take it. */
  take(value: unknown): DtypeViolation | null {
    if (this.dtype !== 'any' && !accepts(this.dtype, value)) {
      const what = `${describeValue(value)} of "${this.message}"`
      return new DtypeViolation(`input "${this.port}" is ${this.dtype}, which ${what} is not`)
    }
    this.filled = true
    this.latest = value
    return null
  }
}

/** One value of a delivery of several. */
export interface Arrival {
  readonly input: InputPort
  readonly value: unknown
}

/** Values by port name as arrivals, of those ports that there are. */
export const arrivalsAt = (
  inputs: readonly InputPort[],
  values: readonly (readonly [port: string, value: unknown])[],
): Arrival[] =>
  values.flatMap(([port, value]) => {
    const input = inputs.find((candidate) => candidate.port === port)
    return input === undefined ? [] : [{ input, value }]
  })

/** A message that active flows use. */
export class Channel {
  // what each value needs comes first, as above
  #only: InputPort | null = null
  #isRead = false
  #isTogether = false
  #inputs: InputPort[] = []
  #loop: Loop<Consumer, What> | null = null
  /** Whether somebody has the list of inputs: another one is made then where it would change. */
  #isLent = false
  readonly name: string
  /** Ports of active flows that name the message, either way. */
  users = 0

  constructor(name: string) {
    this.name = name
  }

  /** The inputs that read the message, in the order in which their nodes began to. */
  get inputs(): readonly InputPort[] {
    return this.#inputs
  }

  /** The one input that reads the message; null when there is none, or more. */
  get only(): InputPort | null {
    return this.#only
  }

  /** Whether anything reads the message. */
  get isRead(): boolean {
    return this.#isRead
  }

  /** Whether a node reads the message with several inputs: a value comes to all of them in one delivery. */
  get isTogether(): boolean {
    return this.#isTogether
  }

  /** The loop of all inputs; null where they have several. */
  get loop(): Loop<Consumer, What> | null {
    return this.#loop
  }

  /** The inputs as they are now: the list that is given is never changed. */
  lend(): readonly InputPort[] {
    this.#isLent = true
    return this.#inputs
  }

  /** For all inputs of a node that name the message. */
  connect(inputs: readonly InputPort[]): void {
    const loop = inputs[0]!.consumer.loop
    this.#loop = this.#inputs.length === 0 || this.#loop === loop ? loop : null
    if (this.#isLent) this.#inputs = [...this.#inputs, ...inputs]
    else for (const input of inputs) this.#inputs.push(input)
    if (inputs.length > 1) this.#isTogether = true
    this.#summarize()
  }

  disconnect(consumers: ReadonlySet<Consumer>): void {
    this.#inputs = this.#inputs.filter(({ consumer }) => !consumers.has(consumer))
    this.#isTogether = new Set(this.#inputs.map(({ consumer }) => consumer)).size < this.#inputs.length
    const loops = new Set(this.#inputs.map(({ consumer }) => consumer.loop))
    this.#loop = loops.size === 1 ? [...loops][0]! : null
    this.#summarize()
  }

  #summarize(): void {
    this.#isLent = false
    this.#isRead = this.#inputs.length > 0
    this.#only = this.#inputs.length === 1 ? this.#inputs[0]! : null
  }
}

/** An output port of a live node. */
export interface OutputPort extends ValueSource {
  readonly node: string
  readonly port: string
  readonly dtype: Dtype
  /** How errors call it. */
  readonly subject: string
  readonly channel: Channel
  readonly gate: IntervalGate<ValueEvent> | null
  /** Seconds between two values that are published; null: all are. */
  readonly limit: number | null
}

/** What a socket is shown of a publication. */
export type ValueEvent = Extract<EngineEvent, { type: 'value' }>

/** The messages of all active flows. */
export class Bus {
  /** The flows elsewhere that values are passed on to. */
  readonly far = new Map<string, FarFlowHost>()
  readonly #host: Host
  readonly #channels = new Map<string, Channel>()

  constructor(host: Host) {
    this.#host = host
  }

  /** The channel of a message, for one more port; `leave` gives it back. */
  join(message: string): Channel {
    let channel = this.#channels.get(message)
    if (channel === undefined) {
      channel = new Channel(message)
      this.#channels.set(message, channel)
    }
    channel.users++
    return channel
  }

  leave(channel: Channel): void {
    if (--channel.users === 0) this.#channels.delete(channel.name)
  }

  /** Whether a node of a flow that is not paused reads a message. */
  isRead(message: string): boolean {
    return this.#channels.get(message)?.inputs.some(({ consumer }) => !consumer.loop.paused) ?? false
  }

  /** A gate before the frames of a port that shows a value each `interval` seconds at most. */
  gate(interval: number | null): IntervalGate<ValueEvent> | null {
    if (interval === null || interval === 0) return null
    return new IntervalGate(this.#host.clock, interval * 1000, (event) => this.#host.event(event))
  }

  /** Publishes one value. */
  publish(output: OutputPort, value: unknown, cause: Cause, atMs?: number): void {
    this.#tell(output, value, cause, atMs ?? this.#host.clock.now())
    const { channel } = output
    const { only } = channel
    // the way of nearly every value
    if (only !== null && cause.work === null) only.consumer.loop.deliver(only.consumer, only, value, cause)
    else if (channel.isRead) deliver(channel, value, cause)
  }

  /** Publishes several values as one delivery to each reader; `values` are in the order of `outputs`. */
  publishMany(outputs: readonly OutputPort[], values: readonly unknown[], cause: Cause, atMs?: number): void {
    const at = atMs ?? this.#host.clock.now()
    for (const [index, output] of outputs.entries()) this.#tell(output, values[index], cause, at)
    deliverMany(readOf(outputs, values), cause)
  }

  /** Publishes values that an earlier life of the engine may have published already. */
  publishAgain(outputs: readonly OutputPort[], values: readonly unknown[], cause: Cause, atMs: number): void {
    const { cascade } = cause
    for (const [index, output] of outputs.entries()) {
      const { message, flow, node, port } = output
      const value = values[index]
      this.#host.record({ message, flow, node, port, again: true }, value, atMs, cascade)
      if (this.#host.isWatched()) this.#show(output, value)
    }
    deliverMany(readOf(outputs, values), cause)
  }

  /** Publishes a value from outside; answers whether an active flow reads it. */
  publishOutside(source: ValueSource, value: unknown, cause: Cause, atMs: number): boolean {
    const { flow, message, node, port } = source
    this.#host.record(source, value, atMs, cause.cascade)
    if (this.#host.isWatched()) {
      this.#host.event({
        type: 'value',
        message,
        value: value as ValueEvent['value'],
        flow,
        node,
        port,
        run: null,
        step: null,
      })
    }
    const channel = this.#channels.get(message)
    if (channel?.isRead !== true) return false
    deliver(channel, value, cause)
    return true
  }

  /** Delivers values that another engine has published, as one delivery to each node of a flow that reads them. */
  deliverFar(values: readonly FarValue[], flow: string, cause: Cause): void {
    const near = values.flatMap(({ message, value }) => {
      const inputs =
        this.#channels.get(message)?.inputs.filter(({ consumer }) => consumer.key.startsWith(`${flow}/`)) ?? []
      return inputs.length > 0 ? [{ inputs, value }] : []
    })
    deliverMany(near, cause)
  }

  #tell(output: OutputPort, value: unknown, cause: Cause, atMs: number): void {
    this.#host.record(output, value, atMs, cause.cascade)
    if (this.#host.isWatched()) this.#show(output, value)
  }

  #show({ message, flow, node, port, gate }: OutputPort, value: unknown): void {
    const event: ValueEvent = {
      type: 'value',
      message,
      value: value as ValueEvent['value'],
      flow,
      node,
      port,
      run: null,
      step: null,
    }
    if (gate === null) this.#host.event(event)
    else gate.offer(event)
  }
}

/** Delivers, but not what the consumer was done with in an earlier life of the engine. */
function hand(consumer: Consumer, what: What, value: unknown, cause: Cause): void {
  const { loop } = consumer
  if (cause.work === null) loop.deliver(consumer, what, value, cause)
  else if (cause.isApart) {
    const reader = consumer.key + cause.next(consumer.key).mark
    if (cause.work.hasEnded(reader)) return
    const own = consumer.apart(what, value, cause, cause.work.hasBegun(reader))
    loop.deliver(consumer, what, value, own)
    own.work.leave()
  } else {
    const own = cause.next(consumer.key)
    if (!cause.work.hasEnded(consumer.key + own.mark)) loop.deliver(consumer, what, value, own)
  }
}

/** A value, and the inputs that read it. */
interface Read {
  readonly inputs: readonly InputPort[]
  readonly value: unknown
}

const readOf = (outputs: readonly OutputPort[], values: readonly unknown[]): Read[] =>
  outputs.map(({ channel }, index) => ({ inputs: channel.inputs, value: values[index] }))

function deliverMany(read: readonly Read[], cause: Cause): void {
  const together = new Map<Consumer, Arrival[]>()
  for (const { inputs, value } of read) {
    for (const input of inputs) {
      const arrivals = together.get(input.consumer)
      if (arrivals === undefined) together.set(input.consumer, [{ input, value }])
      else arrivals.push({ input, value })
    }
  }
  for (const [consumer, arrivals] of together) deliverTogether(consumer, arrivals, cause)
}

function deliver(channel: Channel, value: unknown, cause: Cause): void {
  const { inputs, isTogether, loop } = channel
  if (isTogether) deliverMany([{ inputs, value }], cause)
  else if (loop !== null && cause.work === null) loop.deliverEach(channel.lend(), value, cause)
  else for (const input of inputs) hand(input.consumer, input, value, cause)
}

/** Delivers arrivals to one consumer, in the order of its ports. */
export function deliverTogether(consumer: Consumer, arrivals: Arrival[], cause: Cause): void {
  const [first] = arrivals
  if (arrivals.length === 1) hand(consumer, first!.input, first!.value, cause)
  else
    hand(
      consumer,
      MANY,
      arrivals.toSorted((a, b) => a.input.index - b.input.index),
      cause,
    )
}
