/** Requests that go to any engine that lives, all the time: durable webhooks, and changes of flows. */
import { ApiError } from '@flow-service/client-sdk'

import { publishFlow } from './documents.ts'
import type { EngineProcess } from './engine-process.ts'
import type { Answer, HookBook } from './hook-book.ts'
import { changing } from './many-engines-flows.ts'

const LANES = 3
/** Between two requests of a lane: the history keeps the newest thousand values. */
const PACE_MS = 60
const CHANGE_PACE_MS = 500
const PATIENCE_MS = 20_000
/** What the engine says where a flow was made anew while the request came: it was not taken. */
const LEFT = 'the flow stopped before the request was'

interface RequestDeps {
  readonly living: () => readonly EngineProcess[]
  readonly books: readonly HookBook[]
  readonly documents: ReadonlyMap<string, (form: number) => object>
  readonly random: () => number
}

/** Asks until it is ended. */
export class ManyRequests {
  /** Answers that nobody should have had. */
  readonly wrong: string[] = []
  /** Changes of flows that were done, as their sender was told. */
  changes = 0
  readonly #deps: RequestDeps
  #lanes: Promise<unknown> = Promise.resolve()
  #isEnding = false
  #form = 1
  #name: string = changing.renamed[0]
  /** Whether a change may have stopped a flow and not begun it again: its engine has ended, or its database was away. */
  #isStopped = false

  constructor(deps: RequestDeps) {
    this.#deps = deps
  }

  begin(): void {
    const knock = async (engine: EngineProcess): Promise<void> => {
      const book = this.#one(this.#deps.books)
      if (book) await this.#knock(engine, book)
    }
    const lanes = Array.from({ length: LANES }, () => this.#lane(PACE_MS, knock))
    this.#lanes = Promise.all([...lanes, this.#lane(CHANGE_PACE_MS, (engine) => this.#change(engine))])
  }

  /** Every flow runs again then. */
  async end(): Promise<void> {
    this.#isEnding = true
    await this.#lanes
    while (this.#isStopped) {
      const [engine] = this.#deps.living()
      if (!engine) throw new Error('no engine lives')
      await this.#begunAgain(engine).catch((error: unknown) => {
        if (!isUnreachable(error) && !(error instanceof ApiError && error.status === 503)) throw error
      })
    }
  }

  /** One more request to each webhook, until it is promised; the numbers. */
  async knockAll(): Promise<number[]> {
    const sent: number[] = []
    for (const book of this.#deps.books) {
      let n: number
      do {
        const [engine] = this.#deps.living()
        if (!engine) throw new Error('no engine lives')
        n = await this.#knock(engine, book)
      } while (book.answerOf(n) !== 'promised')
      sent.push(n)
    }
    return sent
  }

  async #lane(paceMs: number, act: (engine: EngineProcess) => Promise<void>): Promise<void> {
    while (!this.#isEnding) {
      const engine = this.#one(this.#deps.living())
      if (engine) await act(engine)
      await new Promise((resolve) => setTimeout(resolve, paceMs * this.#deps.random() * 2))
    }
  }

  async #knock(engine: EngineProcess, book: HookBook): Promise<number> {
    const n = book.number()
    book.note(n, 'unknown')
    book.note(n, await this.#answer(engine, book.flow, n))
    return n
  }

  async #answer({ origin }: EngineProcess, flow: string, n: number): Promise<Answer> {
    try {
      const response = await fetch(`${origin}/hooks/${flow}/n`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ n }),
        signal: AbortSignal.timeout(PATIENCE_MS),
      })
      const text = await response.text()
      if (response.status === 202) return 'promised'
      const isLeft = flow === changing.hook && response.status === 422 && text.includes(LEFT)
      if (response.status !== 503 && !isLeft) this.wrong.push(`${response.status} for ${flow} ${n}: ${text}`)
      return isUndecided(text) ? 'unknown' : 'refused'
    } catch {
      // its engine has ended, or stands still
      return 'unknown'
    }
  }

  async #begunAgain({ client }: EngineProcess): Promise<void> {
    await client.http.flows.start({ name: changing.stopped })
    this.#isStopped = false
  }

  async #change(engine: EngineProcess): Promise<void> {
    const { client } = engine
    const { published, stopped, renamed, hook } = changing
    const form = this.#form++
    const publish = async (name: string): Promise<void> => {
      const { version } = await client.http.flows.get({ name })
      await publishFlow(client, name, { ...this.#deps.documents.get(name)?.(form), version })
    }
    const to = renamed.find((name) => name !== this.#name) ?? ''
    const acts: readonly (() => Promise<unknown>)[] = [
      () => publish(published),
      () => publish(hook),
      () => {
        this.#isStopped = true
        return client.http.flows.stop({ name: stopped }).then(() => this.#begunAgain(engine))
      },
      () => client.http.flows.rename({ path_name: this.#name, body_name: to }).then(() => (this.#name = to)),
    ]
    const at = Math.floor(this.#deps.random() * acts.length)
    try {
      await acts[at]?.()
      this.changes += 1
    } catch (error) {
      // its engine has ended
      if (isUnreachable(error)) return
      if (!(error instanceof ApiError)) this.wrong.push(`change ${at}: ${String(error)}`)
      else if (error.status === 404 && at === 3) this.#name = to
      else if (![409, 503].includes(error.status)) this.wrong.push(`change ${at}: ${error.message}`)
    }
  }

  #one<T>(of: readonly T[]): T | undefined {
    return of[Math.floor(this.#deps.random() * of.length)]
  }
}

/** Whether the engine says that it may be done. */
const isUndecided = (text: string): boolean => /may have|has committed nothing/.test(text)

/** Whether the connection has failed: the client and `fetch` throw a cause with that, and with nothing else. */
const isUnreachable = (error: unknown): boolean => error instanceof TypeError && error.cause !== undefined
