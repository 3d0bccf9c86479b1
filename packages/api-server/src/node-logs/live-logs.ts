/**
 * What the nodes of live flows have printed since the engine started: the end of it for each node, in memory (wire decision
 * V18). The host writes it, live control reads it, and flows that are renamed or deleted take it along.
 *
 * - live-logs.L1 of a node the last 64 KiB are kept, and of all nodes 16 MiB: beyond that the nodes that have printed
 *   nothing for longest lose their text.
 * - live-logs.L2 the count of a node's bytes goes on without its text: an offset means the same bytes as long as the engine
 *   runs. Nodes beyond {@link MAX_NODES} that have printed nothing for longest are forgotten.
 */
import { type KeptOutput, LogTail } from './log-tail.ts'

/** Bytes of all texts together. */
const MAX_SIZE = 16 * 1024 * 1024
/** Nodes whose bytes are counted. */
const MAX_NODES = 65_536

/** A node of a live flow. */
interface Place {
  readonly flow: string
  readonly node: string
}

/** The output of live nodes. */
export class LiveLogs {
  /** By flow and node, the one that has printed last at the end. */
  readonly #tails = new Map<string, { readonly place: Place; tail: LogTail }>()
  #size = 0

  /** Adds what a node has printed; where it begins in all of its output, and the text as it is kept. */
  add({ flow, node }: Place, output: string): { readonly offset: number; readonly text: string } {
    const key = keyOf(flow, node)
    const known = this.#tails.get(key) ?? { place: { flow, node }, tail: new LogTail() }
    const { bytes: offset, size } = known.tail
    const text = known.tail.add(output)
    this.#tails.delete(key)
    this.#tails.set(key, known)
    this.#size += known.tail.size - size
    if (this.#size > MAX_SIZE) this.#drop()
    if (this.#tails.size > MAX_NODES) this.#forgetOne()
    return { offset, text }
  }

  /** What is kept of a node; nothing of one that has not printed. */
  read(flow: string, node: string): KeptOutput {
    const tail = this.#tails.get(keyOf(flow, node))?.tail
    return tail ? { text: tail.read().text, bytes: tail.bytes } : { text: '', bytes: 0 }
  }

  /** The flow is gone: a later one of its name has printed nothing. */
  forget(flow: string): void {
    for (const [key, { place, tail }] of this.#tails) {
      if (place.flow !== flow) continue
      this.#tails.delete(key)
      this.#size -= tail.size
    }
  }

  /** The flow has another name. */
  rename({ from, to }: { readonly from: string; readonly to: string }): void {
    this.forget(to)
    for (const [key, { place, tail }] of this.#tails) {
      if (place.flow !== from) continue
      this.#tails.delete(key)
      this.#tails.set(keyOf(to, place.node), { place: { flow: to, node: place.node }, tail })
    }
  }

  /** Drops the texts of nodes that have printed nothing for longest, down to seven eighths of what is allowed. */
  #drop(): void {
    for (const known of this.#tails.values()) {
      if (this.#size <= (MAX_SIZE / 8) * 7) return
      const { bytes, size } = known.tail
      if (size === 0) continue
      known.tail = new LogTail({ text: '', bytes, truncated: true })
      this.#size -= size
    }
  }

  #forgetOne(): void {
    for (const [key, { tail }] of this.#tails) {
      this.#tails.delete(key)
      this.#size -= tail.size
      return
    }
  }
}

// no name has a space
const keyOf = (flow: string, node: string): string => `${flow} ${node}`
