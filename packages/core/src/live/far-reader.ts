/**
 * Readers of messages in another engine of the same database: they stand in the channels of this one like nodes, and the
 * host passes on what comes to them. Where no other engine reads anything there is none.
 *
 * - far-reader.F1 what comes together is passed on together, and in the order in which it was published.
 * - far-reader.F2 what is kept work for a flow stays so until the host says that the other engine keeps it. How far nodes of
 *   the flow were with it, when an earlier life of its publisher ended, goes along.
 * @module
 */
import type { FarHost, FarValue } from '../far-host.ts'
import { type Arrival, type Bus, type Channel, type Consumer, InputPort, type What } from './bus.ts'
import { type Cause, Work, WorkCause } from './cascade.ts'
import { Loop } from './loop.ts'
import { nothingKept } from './nothing-kept.ts'

/** A reader in another engine. */
export class FarReader implements Consumer {
  readonly key: string
  readonly loop = new Loop<Consumer, What>({
    held: (_reader, _what, _value, cause) => cause,
    overflow: (_reader, _what, _value, cause) => cause.leave(),
    closed: (_reader, _what, _value, cause) => cause.leave(),
  })
  readonly #bus: Pick<Bus, 'far' | 'join' | 'leave'>
  readonly #host: FarHost
  readonly #channels: Channel[] = []

  constructor(bus: Pick<Bus, 'far' | 'join' | 'leave'>, host: FarHost) {
    // keys of nodes have a slash
    this.key = 'flow' in host ? `flow ${host.flow}` : `engine ${host.engine}`
    this.#bus = bus
    this.#host = host
  }

  /** Reads these messages, by qualified name, and no others. */
  read(messages: readonly string[]): void {
    this.end()
    for (const message of messages) {
      const channel = this.#bus.join(message)
      const input = new InputPort(this, { port: '', message, dtype: 'any', stream: false, trigger: true }, 0)
      channel.connect([input])
      this.#channels.push(channel)
    }
    if ('flow' in this.#host) this.#bus.far.set(this.#host.flow, this.#host)
  }

  /** Reads nothing any more. */
  end(): void {
    for (const channel of this.#channels.splice(0)) {
      channel.disconnect(new Set([this]))
      this.#bus.leave(channel)
    }
    if ('flow' in this.#host && this.#bus.far.get(this.#host.flow) === this.#host) this.#bus.far.delete(this.#host.flow)
  }

  receive(what: What, value: unknown, cause: Cause): void {
    const { cascade, mark, work } = cause
    const passed = { values: valuesIn(what, value), executions: cascade.executions }
    if (work === null || 'engine' in this.#host) {
      this.#host.tell(passed)
      cause.leave()
    } else {
      void this.#host.keep({ ...passed, ...work.notesOf(this.#host.flow) }).then(() => {
        // who does the work again need not pass it on again
        if (work.isShared) work.end(this.key + mark)
        cause.leave()
      })
    }
  }

  /** The work behind it goes on for as long as the other engine does not keep it. */
  apart(_what: What, _value: unknown, { cascade, work }: Cause): WorkCause {
    work?.enter(1)
    const held = new Work(
      { ...nothingKept, drop: () => work?.leave() },
      { id: '', isShared: false, begun: [], ended: [] },
    )
    return new WorkCause(cascade, held, 0)
  }
}

function valuesIn(what: What, value: unknown): FarValue[] {
  if (what.is === 'input') return [{ message: what.message, value }]
  return (value as readonly Arrival[]).map((arrival) => ({ message: arrival.input.message, value: arrival.value }))
}
