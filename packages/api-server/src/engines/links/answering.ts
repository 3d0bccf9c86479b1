/**
 * Asks of the other engine on one link, until this one has answered them.
 * @module
 */
import { ProblemError } from '../../http/errors.ts'
import type { Log } from '../../process/log.ts'
import { kinds, MAX_PAYLOAD_BYTES, readSubject } from './frames.ts'
import { Ids } from './ids.ts'
import { malformed } from './link-fault.ts'
import { refusalOf, refusalOfUnknown } from './refusals.ts'
import type { Wire } from './wire.ts'

/** Who asks, and whether the answer is still waited for. */
interface Asked {
  readonly from: string
  /** Aborts when the asker waits no more, or its link is gone. */
  readonly signal: AbortSignal
}

/** Answers a subject; what it throws is the refusal that the asker gets. */
export type Answerer = (payload: Buffer, asked: Asked) => Promise<Uint8Array> | Uint8Array

/** What answers need of their link. */
export interface AnsweringDeps {
  readonly engine: string
  readonly wire: Wire
  readonly answerers: ReadonlyMap<string, Answerer>
  readonly log: Pick<Log, 'error'>
}

/** An ask under way. Most handlers never look at its signal, which would cost more than the ask. */
class OpenAsk implements Asked {
  readonly from: string
  #controller: AbortController | null = null
  #isOver = false

  constructor(from: string) {
    this.from = from
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.#isOver) this.#controller.abort()
    return this.#controller.signal
  }

  abort(): void {
    this.#isOver = true
    this.#controller?.abort()
  }
}

/** Answers on one link. */
export class Answering {
  readonly #deps: AnsweringDeps
  readonly #open = new Map<number, OpenAsk>()
  readonly #ids = new Ids(1, 1)

  constructor(deps: AnsweringDeps) {
    this.#deps = deps
  }

  asked(id: number, payload: Buffer): void {
    const { engine, answerers, wire } = this.#deps
    const { subject, rest } = readSubject(payload)
    if (!this.#ids.note(id)) throw malformed(`${id} is asked twice`)
    const answerer = answerers.get(subject)
    if (!answerer) return wire.write(kinds.refuse, id, refusalOfUnknown(subject))
    const ask = new OpenAsk(engine)
    try {
      const answer = answerer(rest, ask)
      if (answer instanceof Uint8Array) return this.#answer(id, answer)
      this.#open.set(id, ask)
      answer.then(
        (late) => this.#close(id, ask) && this.#answer(id, late),
        (error: unknown) => this.#close(id, ask) && this.#refuse(id, error),
      )
    } catch (error) {
      this.#refuse(id, error)
    }
  }

  cancelled(id: number, payload: Buffer): void {
    if (payload.length > 0 || !this.#ids.isKnown(id)) throw malformed(`${id} is cancelled and was not asked`)
    const ask = this.#open.get(id)
    this.#open.delete(id)
    ask?.abort()
  }

  /** The link is over: nobody waits any more. */
  ended(): void {
    const open = [...this.#open.values()]
    this.#open.clear()
    for (const ask of open) ask.abort()
  }

  /** Whether its answer is still waited for. */
  #close(id: number, ask: OpenAsk): boolean {
    return this.#open.get(id) === ask && this.#open.delete(id)
  }

  #answer(id: number, answer: Uint8Array): void {
    if (answer.length <= MAX_PAYLOAD_BYTES) return this.#deps.wire.write(kinds.answer, id, answer)
    const detail = `the answer of the engine that runs the flow takes ${answer.length} bytes, and ${MAX_PAYLOAD_BYTES} can come this way: ask for less at once`
    this.#refuse(id, new ProblemError('unavailable', detail))
  }

  #refuse(id: number, error: unknown): void {
    this.#deps.wire.write(kinds.refuse, id, refusalOf(error, this.#deps.log))
  }
}
