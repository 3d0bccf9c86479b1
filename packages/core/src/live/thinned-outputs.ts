/**
 * Output ports with an interval whose values are thinned for their readers, too: those of connectors and devices (G80).
 * The first value of a window is published with what else its delivery has, the latest of the others at the end.
 * @module
 */
import type { Clock } from '../host.ts'
import type { OutputPort } from './bus.ts'
import { IntervalGate } from './gate.ts'

/** A value that has passed the checks of its port. */
export interface CheckedValue {
  readonly output: OutputPort
  readonly value: unknown
}

/** One object a node that has such ports. */
export class ThinnedOutputs {
  #gates: ReadonlyMap<string, IntervalGate<unknown>>

  private constructor(gates: ReadonlyMap<string, IntervalGate<unknown>>) {
    this.#gates = gates
  }

  /** Null for a node without such ports. `late` publishes what has waited. */
  static of(clock: Clock, outputs: readonly OutputPort[], late: (waited: CheckedValue) => void): ThinnedOutputs | null {
    const gates = outputs.flatMap((output) => {
      if (output.limit === null) return []
      const pass = (value: unknown): void => late({ output, value })
      return [[output.port, new IntervalGate(clock, output.limit * 1000, pass)] as const]
    })
    return gates.length === 0 ? null : new ThinnedOutputs(new Map(gates))
  }

  /** Whether a value is published now; otherwise it waits, in place of the one that has waited. */
  admits({ output, value }: CheckedValue): boolean {
    return this.#gates.get(output.port)?.admits(value) ?? true
  }

  /** The node is about to end: what waits is published, and what comes from now on at once. */
  close(): void {
    const gates = this.#gates
    this.#gates = new Map()
    for (const gate of gates.values()) gate.close()
  }
}
