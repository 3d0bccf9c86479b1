/** Requests to durable webhooks: what their senders were answered, and how often the history has each of them. */
import type { Client } from '@flow-service/client-sdk'

/** What a sender knows: it is taken, it is certainly not, or it may be. */
export type Answer = 'promised' | 'refused' | 'unknown'

/** History that is read again, as values of the end of an engine are recorded by the next one. */
const OVERLAP_MS = 120_000
const PAGE = 500

/** Of one webhook with an output `n`. */
export class HookBook {
  readonly flow: string
  readonly #told = new Map<number, Answer>()
  /** How often the history has a number, at the most that one reading has found. */
  readonly #counted = new Map<number, number>()
  #next = 0
  #readUntilMs = 0

  constructor(flow: string) {
    this.flow = flow
  }

  /** A number that nobody has sent. */
  number(): number {
    return this.#next++
  }

  note(n: number, answer: Answer): void {
    this.#told.set(n, answer)
  }

  answerOf(n: number): Answer | undefined {
    return this.#told.get(n)
  }

  /** How many had that answer. */
  count(answer: Answer): number {
    return [...this.#told.values()].filter((each) => each === answer).length
  }

  /** How many are in the history. */
  get counted(): number {
    return this.#counted.size
  }

  /** Reads what the history has now, which keeps the newest thousand. */
  async read(client: Client): Promise<void> {
    const found = new Map<number, number>()
    let newestMs = 0
    for (let before: string | undefined; ;) {
      const message = `${this.flow}.n`
      const page = await client.http.messages.history({ message, limit: PAGE, ...(before ? { before } : {}) })
      for (const { value } of page) found.set(Number(value), (found.get(Number(value)) ?? 0) + 1)
      newestMs = Math.max(newestMs, Date.parse(page[0]?.ts ?? ''))
      before = page.at(-1)?.ts
      if (page.length < PAGE || Date.parse(before ?? '') < this.#readUntilMs - OVERLAP_MS) break
    }
    for (const [n, times] of found) this.#counted.set(n, Math.max(times, this.#counted.get(n) ?? 0))
    this.#readUntilMs = newestMs
  }

  /** What was promised and is not there. */
  lost(): string[] {
    return this.#numbers('promised', (times) => times === 0)
  }

  /** What was certainly refused, and is there all the same. */
  unexpected(): string[] {
    return this.#numbers('refused', (times) => times > 0)
  }

  repeated(): string[] {
    return [...this.#counted].flatMap(([n, times]) => (times > 1 ? [`${this.flow} ${n}: ${times} times`] : []))
  }

  promised(): number[] {
    return [...this.#told].flatMap(([n, answer]) => (answer === 'promised' ? [n] : []))
  }

  #numbers(answer: Answer, isWrong: (times: number) => boolean): string[] {
    return [...this.#told].flatMap(([n, told]) =>
      told === answer && isWrong(this.#counted.get(n) ?? 0) ? [`${this.flow} ${n}`] : [],
    )
  }
}
