/**
 * The warm processes of live nodes: one each, which keeps the module's state until its source or its interpreter
 * changes, it is released, or it dies. Calls of a node take turns (live-nodes.L1 in DESIGN.md).
 * @module
 */
import type { CallFrame } from '@flow-service/protocol'

import type { Call } from './call.ts'
import type { Language } from './language.ts'
import type { Process } from './process.ts'

/** Where a live node's process is, and what it holds. */
export interface Warm {
  readonly digest: string
  readonly process: Process
  /** Where the process comes from. */
  readonly language: Language
  /** Whether the source has reached it. */
  loaded: boolean
}

type NodeName = Pick<CallFrame, 'flow' | 'node'>

/** Warm processes by node. */
export class LiveNodes {
  readonly #warm = new Map<string, Warm>()
  readonly #turns = new Map<string, Promise<unknown>>()

  /** Settles when all earlier calls of the node are over. */
  async turn(call: Call): Promise<void> {
    const key = keyOf(call.frame)
    const earlier = this.#turns.get(key)
    const turn = Promise.all([earlier, call.over])
    this.#turns.set(key, turn)
    void turn.then(() => this.#turns.get(key) === turn && this.#turns.delete(key))
    await earlier
  }

  /** The node's process, if it holds this source, is of this language and can run it; ends one that cannot. */
  find(frame: CallFrame, language: Language): Warm | undefined {
    const warm = this.#warm.get(keyOf(frame))
    if (warm?.process.usable && warm.digest === frame.source_digest && warm.language === language) return warm
    this.release(frame)
    return undefined
  }

  /** Makes a process the node's. */
  keep(frame: CallFrame, process: Process, language: Language): void {
    const key = keyOf(frame)
    const warm = { digest: frame.source_digest, process, language, loaded: false }
    this.#warm.set(key, warm)
    void process.ended.then(() => this.#warm.get(key) === warm && this.#warm.delete(key))
  }

  /** Notes that the process has loaded the node's source. */
  loaded(frame: CallFrame): void {
    const warm = this.#warm.get(keyOf(frame))
    if (warm?.digest === frame.source_digest) warm.loaded = true
  }

  /** Lets the node's process end. */
  release(node: NodeName): void {
    const key = keyOf(node)
    this.#warm.get(key)?.process.retire()
    this.#warm.delete(key)
  }

  /** Lets processes of a language end, each after the calls that its node has now. */
  releaseOf(language: Language): void {
    for (const [key, warm] of this.#warm) {
      if (warm.language !== language) continue
      const release = (): void => {
        if (this.#warm.get(key) !== warm) return
        warm.process.retire()
        this.#warm.delete(key)
      }
      const turn = this.#turns.get(key)
      if (turn === undefined) release()
      else void turn.then(release)
    }
  }

  releaseAll(): void {
    for (const warm of this.#warm.values()) warm.process.retire()
    this.#warm.clear()
  }
}

const keyOf = ({ flow, node }: NodeName): string => `${flow} ${node}`
