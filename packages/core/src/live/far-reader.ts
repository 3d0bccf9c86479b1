/**
 * Readers of messages in another engine of the same database: they stand in the channels of this one like nodes, and the
 * host passes on what comes to them. Where no other engine reads anything there is none.
 *
 * - far-reader.F1 what comes together is passed on together, and in the order in which it was published.
 * - far-reader.F2 what is kept work stays so until the host says that the other engine keeps it.
 * @module
 */
import type { FarValue } from '../host.ts'
import { type Arrival, type Bus, type Channel, type Consumer, InputPort, type What } from './bus.ts'
import { type Cause, Work, WorkCause } from './cascade.ts'
import { Loop } from './loop.ts'

/** How the host passes values on. */
export interface FarHost {
  /** Must not block, nor throw. `executions` are those that the cascade has caused so far. */
  tell(values: readonly FarValue[], executions: number): void
  /** The same of kept work: settles once the other engine keeps it; never rejects. */
  keep(values: readonly FarValue[], executions: number): Promise<void>
}

/** The readers in one other engine. */
export class FarReader implements Consumer {
  readonly key: string
  readonly loop = new Loop<Consumer, What>({
    held: (_reader, _what, _value, cause) => cause,
    overflow: (_reader, _what, _value, cause) => cause.leave(),
    closed: (_reader, _what, _value, cause) => cause.leave(),
  })
  readonly #bus: Pick<Bus, 'join' | 'leave'>
  readonly #host: FarHost
  readonly #channels: Channel[] = []

  /** `key` tells it from all nodes and other engines. */
  constructor(key: string, bus: Pick<Bus, 'join' | 'leave'>, host: FarHost) {
    this.key = key
    this.#bus = bus
    this.#host = host
  }

  /** Reads these messages, by qualified name, and no others. */
  read(messages: readonly string[]): void {
    this.end()
    for (const message of messages) {
      const channel = this.#bus.join(message)
      const input = new InputPort(this, { port: '', message, dtype: 'any', stream: false, trigger: true }, 0)
      channel.connect({ consumer: this, inputs: [input] })
      this.#channels.push(channel)
    }
  }

  /** Reads nothing any more. */
  end(): void {
    for (const channel of this.#channels.splice(0)) {
      channel.disconnect(new Set([this]))
      this.#bus.leave(channel)
    }
  }

  receive(what: What, value: unknown, cause: Cause): void {
    const values = valuesIn(what, value)
    const { executions } = cause.cascade
    if (cause.work === null) {
      this.#host.tell(values, executions)
      cause.leave()
    } else {
      void this.#host.keep(values, executions).then(() => {
        // who does the work again need not pass it on again
        if (cause.work?.isShared === true) cause.work.end(this.key + cause.mark)
        cause.leave()
      })
    }
  }

  /** The work behind it goes on for as long as the other engine does not keep it. */
  apart(_what: What, _value: unknown, { cascade, work }: Cause): WorkCause {
    work?.enter()
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

/** Who notes what becomes of work that is kept elsewhere. */
export const nothingKept = {
  keep: async () => {},
  arrive: async (_work: unknown, publish: () => void) => publish(),
  begin: async () => {},
  end: () => {},
  drop: () => {},
  together: <T>(change: () => T): T => change(),
  left: async () => [],
  attempt: async () => {},
}
