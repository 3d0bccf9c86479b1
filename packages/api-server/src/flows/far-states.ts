/**
 * How the live flows are that other engines of the database run: asked of all of them when somebody wants to see all flows.
 * An engine that does not answer soon is shown as it was; of what it has never told the row of the flow tells the rest.
 *
 * - far-states.S1 one asking at a time; who comes meanwhile waits for another one, which knows what they have done.
 * @module
 */
import type { EngineLease } from '../engines/lease.ts'
import type { Links } from '../engines/links/links.ts'
import type { LiveState } from './live-state.ts'

const SUBJECT = 'states'
/** How long the answer of an engine is waited for. */
const WITHIN_MS = 500

/** What is asked, and of whom. */
export interface FarStatesDeps {
  readonly lease: Pick<EngineLease, 'others'>
  readonly links: Pick<Links, 'answer' | 'ask'>
}

/** A flow by its name. */
type Named = readonly [name: string, state: LiveState]

/** The states of flows elsewhere; made by an engine that shares its database. */
export class FarStates {
  readonly #deps: FarStatesDeps
  readonly #told = new Map<string, Map<string, LiveState>>()
  #asking: Promise<void> | null = null
  #next: Promise<void> | null = null

  constructor(deps: FarStatesDeps) {
    this.#deps = deps
  }

  /** What was told of a flow last. */
  of(name: string): LiveState | undefined {
    for (const flows of this.#told.values()) {
      const state = flows.get(name)
      if (state) return state
    }
    return undefined
  }

  /** What was told of a flow is over: it has changed hands, or is wished otherwise. */
  forget(name: string): void {
    for (const flows of this.#told.values()) flows.delete(name)
  }

  /** Answers others with the flows that run here. */
  answer(own: () => readonly Named[]): void {
    this.#deps.links.answer(SUBJECT, () => Buffer.from(JSON.stringify(own())))
  }

  /** Resolves when the others have answered, or had their time. */
  async refresh(): Promise<void> {
    if (this.#asking === null) await this.#begin()
    else await (this.#next ??= this.#asking.then(() => this.#begin()))
  }

  async #begin(): Promise<void> {
    this.#next = null
    this.#asking = this.#ask()
    await this.#asking
    this.#asking = null
  }

  async #ask(): Promise<void> {
    const { others } = this.#deps.lease
    for (const engine of this.#told.keys()) if (!others.includes(engine)) this.#told.delete(engine)
    await Promise.all(others.map((engine) => this.#askOne(engine)))
  }

  async #askOne(engine: string): Promise<void> {
    try {
      const answer = await this.#deps.links.ask(engine, SUBJECT, Buffer.alloc(0), { timeoutMs: WITHIN_MS })
      this.#told.set(engine, new Map(JSON.parse(answer.toString()) as Named[]))
    } catch {
      // what it has told before is the best that there is
    }
  }
}
