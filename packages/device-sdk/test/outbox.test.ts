/** Values over connections that end at any time (outbox.O1 to outbox.O3). */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'

import { Rig } from './fake-socket.ts'

const step = fc.oneof(
  fc.record({ verb: fc.constant('publish' as const), count: fc.integer({ min: 1, max: 30 }) }),
  fc.record({ verb: fc.constant('acknowledge' as const), count: fc.integer({ min: 1, max: 30 }) }),
  fc.constant({ verb: 'break' as const, count: 0 }),
  fc.constant({ verb: 'online' as const, count: 0 }),
)

/** A device whose engine takes what the steps say, and keeps the values in the order in which they first came. */
class Play {
  readonly rig = new Rig()
  readonly arrived: number[] = []
  readonly resolved: number[] = []
  published = 0
  #read = 0
  #unanswered: string[] = []

  async take({ verb, count }: { verb: 'publish' | 'acknowledge' | 'break' | 'online'; count: number }): Promise<void> {
    if (verb === 'publish') for (let at = 0; at < count; at++) this.#publish()
    if (verb === 'online') this.rig.online()
    this.#arrive()
    if (verb === 'acknowledge') {
      for (const id of this.#unanswered.splice(0, count)) this.rig.socket.say({ type: 'published', id, ts: null })
    }
    if (verb === 'break') {
      this.rig.socket.end(1006)
      this.#read = 0
      this.#unanswered = []
    }
    // until the next attempt, or until more may leave
    await this.rig.clock.advance(verb === 'break' ? 30_000 : 3000)
    this.#arrive()
  }

  /** Online, with everything acknowledged. */
  async end(): Promise<void> {
    await this.take({ verb: 'online', count: 0 })
    await this.take({ verb: 'acknowledge', count: 10_000 })
  }

  #publish(): void {
    const value = this.published++
    void this.rig.device.publish('temp', value).then(() => this.resolved.push(value))
  }

  #arrive(): void {
    for (const { value, id } of this.rig.socket.texts.slice(this.#read)) {
      this.#read++
      this.#unanswered.push(id as string)
      if (!this.arrived.includes(value as number)) this.arrived.push(value as number)
    }
  }
}

test('every value arrives, in its order, and is acknowledged, however often the connection breaks [R129]', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 15 }), async (steps) => {
      const play = new Play()
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      for (const taken of steps) await play.take(taken)
      await play.end()
      const all = Array.from({ length: play.published }, (_, at) => at)
      expect([play.arrived, play.resolved.toSorted((a, b) => a - b)]).toEqual([all, all])
      play.rig.device.close()
    }),
    { numRuns: 200 },
  )
})
