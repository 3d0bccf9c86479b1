/**
 * News of runs between the engines of one database. Whoever misses one finds out by itself: the queue polls, and a
 * cancelled run's writes have no effect.
 *
 * - engine-channel.E1 news of the same moment travel together, at most {@link GATHER_MS} after the first of them.
 * - engine-channel.E2 an engine hears the news of others in the order in which they were sent, one message after the
 *   other.
 */
import type { Clock } from '@flow-service/core'
import type { RunStatus, RunSummary } from '@flow-service/protocol'

import type { Database } from '../db/database.ts'
import type { Log } from '../process/log.ts'
import { newId } from '../process/new-id.ts'

/** A run and the state that it has reached. */
export interface RunNews {
  readonly id: string
  readonly status: RunStatus
}

/** Dependencies of the channel. */
export interface ChannelDeps {
  readonly database: Database
  readonly clock: Clock
  /** Hears the news of other engines. */
  readonly onNews: (news: readonly RunNews[]) => Promise<void>
  readonly log: Pick<Log, 'error'>
}

interface Message {
  readonly from: string
  readonly news: readonly RunNews[]
}

const CHANNEL = 'runs'
const GATHER_MS = 25
/** As many as fit into a notification: about 60 bytes each. */
const MESSAGE_NEWS = 100

/** Tells and hears news; on the embedded database, which has one engine, there is nothing to do. */
export class EngineChannel {
  readonly #deps: ChannelDeps
  readonly #self = newId()
  #news: RunNews[] = []
  #cancelTimer: (() => void) | null = null
  #hearing = Promise.resolve()
  #stop: (() => Promise<void>) | null = null

  constructor(deps: ChannelDeps) {
    this.#deps = deps
  }

  /** Begins to hear. */
  async open(): Promise<void> {
    const { database } = this.#deps
    if (database.backend === 'server') this.#stop = await database.listen(CHANNEL, (payload) => this.#hear(payload))
  }

  /** Tells the other engines; does not wait for it. */
  tell({ id, status }: RunSummary): void {
    if (this.#deps.database.backend !== 'server') return
    this.#news.push({ id, status })
    this.#cancelTimer ??= this.#deps.clock.setTimer(GATHER_MS, () => void this.#send())
  }

  /** Tells what has gathered and hears nothing more. */
  async close(): Promise<void> {
    this.#cancelTimer?.()
    await this.#send()
    await this.#stop?.()
    await this.#hearing
  }

  async #send(): Promise<void> {
    const { database, log } = this.#deps
    this.#cancelTimer = null
    try {
      while (this.#news.length > 0) {
        const message: Message = { from: this.#self, news: this.#news.splice(0, MESSAGE_NEWS) }
        // oxlint-disable-next-line no-await-in-loop -- in the order in which they were sent (engine-channel.E2)
        await database.notify(CHANNEL, JSON.stringify(message))
      }
    } catch (error) {
      log.error({ err: error }, 'other engines could not be told of runs')
    }
  }

  #hear(payload: string): void {
    this.#hearing = this.#hearing
      .then(() => this.#follow(payload))
      .catch((error: unknown) =>
        this.#deps.log.error({ err: error }, 'the news of another engine could not be followed'),
      )
  }

  /** Rejects what is no news: anybody with access to the database can send on the channel. */
  async #follow(payload: string): Promise<void> {
    const { from, news } = JSON.parse(payload) as Message
    if (from !== this.#self) await this.#deps.onNews(news)
  }
}
