/**
 * How many cascades of a flow are kept one by one: enough of any quiet flow, few of a flood, and more of what failed or
 * lasted long. A bucket of tokens for each, which fills again with time.
 * @module
 */

interface Bucket {
  tokens: number
  atMs: number
}

interface Rate {
  readonly burst: number
  readonly perMs: number
}

const ORDINARY: Rate = { burst: 200, perMs: 5 / 1000 }
const NOTABLE: Rate = { burst: 1000, perMs: 20 / 1000 }

/** What is left of the allowance of every flow. */
export class Allowance {
  readonly #ordinary = new Map<string, Bucket>()
  readonly #notable = new Map<string, Bucket>()

  /** Whether one more of the flow may be kept. */
  take(flow: string, notable: boolean, nowMs: number): boolean {
    const buckets = notable ? this.#notable : this.#ordinary
    const { burst, perMs } = notable ? NOTABLE : ORDINARY
    let bucket = buckets.get(flow)
    if (bucket === undefined) {
      bucket = { tokens: burst, atMs: nowMs }
      buckets.set(flow, bucket)
    }
    if (nowMs > bucket.atMs) {
      bucket.tokens = Math.min(burst, bucket.tokens + (nowMs - bucket.atMs) * perMs)
      bucket.atMs = nowMs
    }
    if (bucket.tokens < 1) return false
    bucket.tokens--
    return true
  }

  /** Forgets flows that have not used theirs for an hour. */
  forget(nowMs: number): void {
    for (const buckets of [this.#ordinary, this.#notable]) {
      for (const [flow, { atMs }] of buckets) if (nowMs - atMs > HOUR_MS) buckets.delete(flow)
    }
  }
}

const HOUR_MS = 3_600_000
