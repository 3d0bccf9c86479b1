/**
 * What goes to other engines at the end of a turn of the event loop, as JSON lists: values and events, of which there may be
 * thousands in a turn. A list is no longer than a link takes; an item that is longer by itself is left out, and told once.
 * Where there is no link one is opened, and the lists wait for it: the newest, where they would be more than one link takes.
 * @module
 */
import type { Log } from '../../process/log.ts'
import type { Links } from './links.ts'

/** A list ends before it has more characters: each is at most four bytes, and a link takes 8 MiB. */
const LIST_LENGTH = 2_000_000
/** Characters that wait for a link. */
const HELD_LENGTH = 4 * LIST_LENGTH

/** The items of one subject. */
export class TurnMail {
  readonly #subject: string
  readonly #links: Pick<Links, 'reach' | 'send'>
  readonly #log: Pick<Log, 'warn'>
  readonly #waiting = new Map<string, unknown[]>()
  /** Lists that wait for a link. */
  readonly #held = new Map<string, string[]>()
  #isTold = false

  constructor(subject: string, links: Pick<Links, 'reach' | 'send'>, log: Pick<Log, 'warn'>) {
    this.#subject = subject
    this.#links = links
    this.#log = log
  }

  /** Has an item go to an engine with all others of this turn; it is lost where the engine cannot be reached. */
  add(engine: string, item: unknown): void {
    const waiting = this.#waiting.get(engine)
    if (waiting) {
      waiting.push(item)
      return
    }
    this.#waiting.set(engine, [item])
    setImmediate(() => {
      const items = this.#waiting.get(engine) ?? []
      this.#waiting.delete(engine)
      for (const list of this.#listsOf(items)) this.#send(engine, list)
    })
  }

  #send(engine: string, list: string): void {
    const held = this.#held.get(engine)
    if (held) {
      held.push(list)
      let length = held.reduce((sum, each) => sum + each.length, 0)
      while (length > HELD_LENGTH) length -= held.shift()?.length ?? 0
    } else if (!this.#links.send(engine, this.#subject, Buffer.from(list))) {
      this.#held.set(engine, [list])
      void this.#reach(engine)
    }
  }

  /** Opens a link, and sends what waits for it by then. */
  async #reach(engine: string): Promise<void> {
    const isUp = await this.#links.reach(engine).then(
      () => true,
      () => false,
    )
    const held = this.#held.get(engine) ?? []
    this.#held.delete(engine)
    if (isUp) for (const list of held) this.#links.send(engine, this.#subject, Buffer.from(list))
  }

  #listsOf(items: readonly unknown[]): string[] {
    const lists: string[][] = [[]]
    let length = 0
    for (const text of items.map((item) => JSON.stringify(item))) {
      if (text.length > LIST_LENGTH) {
        this.#tell(text.length)
        continue
      }
      if (length + text.length > LIST_LENGTH) {
        lists.push([])
        length = 0
      }
      lists.at(-1)?.push(text)
      length += text.length
    }
    return lists.flatMap((list) => (list.length === 0 ? [] : `[${list.join(',')}]`))
  }

  #tell(length: number): void {
    if (this.#isTold) return
    this.#isTold = true
    const detail = 'something is too long to be passed to another engine: put large data into artifacts'
    this.#log.warn({ subject: this.#subject, length }, detail)
  }
}
