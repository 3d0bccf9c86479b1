/**
 * Work on many items at once.
 * @module
 */
import { setImmediate } from 'node:timers/promises'

/** An item, and who waits for what becomes of it. */
export interface Waiting<T, R = void> {
  readonly item: T
  readonly resolve: (answer: R) => void
  readonly reject: (error: unknown) => void
}

/**
 * Has `work` settle items, one group of at most `limit` at a time: those of one turn of the event loop, and all that
 * gathered while the group before was at work. So an item alone waits for nobody. `work` never rejects.
 */
export function createGathering<T, R = void>(
  limit: number,
  work: (group: readonly Waiting<T, R>[]) => Promise<void>,
): (item: T) => Promise<R> {
  let gathered: Waiting<T, R>[] = []
  let isBusy = false

  const drain = async (): Promise<void> => {
    isBusy = true
    await setImmediate()
    while (gathered.length > 0) {
      const group = gathered.slice(0, limit)
      gathered = gathered.slice(limit)
      // oxlint-disable-next-line no-await-in-loop -- one group at a time is the point
      await work(group)
    }
    isBusy = false
  }

  return (item) =>
    new Promise((resolve, reject) => {
      gathered.push({ item, resolve, reject })
      if (!isBusy) void drain()
    })
}
