/**
 * How a live node publishes: checked against the dtypes of its ports, in the cascade of the execution that runs, else in
 * a new one (node.N4, node.N6).
 * @module
 */
import type { Values } from '@flow-service/connector-sdk'

import { conform, namedPorts, unknownOutput } from '../conform.ts'
import type { OutputPort } from './bus.ts'
import type { Cause } from './cascade.ts'
import type { ForeignOutputs } from './foreign-outputs.ts'
import type { Home, HomeNode } from './node-home.ts'
import { type CheckedValue, ThinnedOutputs } from './thinned-outputs.ts'

/** Ports, and the values that they are to publish. */
interface Checked {
  readonly outputs: readonly OutputPort[]
  readonly sent: readonly unknown[]
}

/** The output ports of one node. */
export class NodeOutputs {
  readonly #home: Home
  readonly #node: HomeNode
  readonly #outputs: readonly OutputPort[]
  /** Null for nearly every node. */
  readonly #foreign: ForeignOutputs | null
  /** Null for nearly every node, too. */
  readonly #thinned: ThinnedOutputs | null
  /** Made for nodes that need it: most publish on their only port. */
  #ports: ReadonlyMap<string, OutputPort> | null = null

  /** `node` tells what begins when nothing executes. */
  constructor(home: Home, node: HomeNode, outputs: readonly OutputPort[], foreign: ForeignOutputs | null) {
    this.#home = home
    this.#node = node
    this.#outputs = outputs
    this.#foreign = foreign
    this.#thinned = ThinnedOutputs.of(home.timers.clock, outputs, (waited) => this.#publishLate(waited))
  }

  /** The output of a node that has one, in its own flow, and publishes all that it sends. */
  get only(): OutputPort | null {
    const isPlain = this.#foreign === null && this.#thinned === null
    return this.#outputs.length === 1 && isPlain ? this.#outputs[0]! : null
  }

  /** The ports by name. */
  get ports(): ReadonlyMap<string, OutputPort> {
    this.#ports ??= new Map(this.#outputs.map((output) => [output.port, output]))
    return this.#ports
  }

  /** Publishes what an interval holds back: the node is about to end. */
  close(): void {
    this.#thinned?.close()
  }

  /** Publishes one value. `cause` is that of the execution that runs. */
  send(port: string, value: unknown, cause: Cause | null, atMs?: number): void {
    const output = this.ports.get(port)
    if (output === undefined) throw unknownOutput(port, this.ports)
    const sent = conform(output.dtype, value, output.subject)
    if (this.#foreign?.takes(output, sent) === false) return
    if (this.#thinned?.admits({ output, value: sent }) === false) return
    if (cause !== null) this.#home.publish(output, sent, cause.caused, atMs)
    else this.#publishFirst(output, sent, atMs)
  }

  /** As `send`, for several values as one delivery; all are checked before one is published. */
  emit(values: Values, cause: Cause | null, atMs?: number): void {
    let count = 0
    let last = ''
    for (const port in values) {
      last = port
      count++
    }
    if (count === 1 && values[last] !== undefined) this.send(last, values[last], cause, atMs)
    else if (count > 1) this.#emitMany(values, cause, atMs)
  }

  /** The ports that values name and that take them, and the values as they are published. */
  checked(values: Values): Checked {
    const outputs = namedPorts(values, this.ports)
    const sent = outputs.map((output) => conform(output.dtype, values[output.port], output.subject))
    if (this.#foreign === null) return { outputs, sent }
    const taken = outputs.map((output, at) => this.#foreign?.takes(output, sent[at]))
    return { outputs: outputs.filter((_, at) => taken[at]), sent: sent.filter((_, at) => taken[at]) }
  }

  #emitMany(values: Values, cause: Cause | null, atMs: number | undefined): void {
    const { outputs, sent } = this.#admitted(this.checked(values))
    if (outputs.length === 0) return
    if (cause !== null) this.#home.publishMany(outputs, sent, cause.caused, atMs)
    else {
      const cascade = this.#home.newCascade(this.#node.beginning())
      this.#home.publishMany(outputs, sent, cascade, atMs)
      cascade.leave()
    }
  }

  /** Those that are published now. */
  #admitted(checked: Checked): Checked {
    const thinned = this.#thinned
    if (thinned === null) return checked
    const { outputs, sent } = checked
    const now = outputs.map((output, at) => thinned.admits({ output, value: sent[at] }))
    return { outputs: outputs.filter((_, at) => now[at]), sent: sent.filter((_, at) => now[at]) }
  }

  #publishLate({ output, value }: CheckedValue): void {
    this.#publishFirst(output, value)
  }

  /** Publishes what sets a cascade off. */
  #publishFirst(output: OutputPort, value: unknown, atMs?: number): void {
    const cascade = this.#home.newCascade(this.#node.beginning())
    this.#home.publish(output, value, cascade, atMs)
    cascade.leave()
  }
}
