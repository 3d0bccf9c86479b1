/** Who acted for a flow and when, as a ledger outside was told it: at any time one engine may. */
import type { Act } from './components/telling-service.ts'
import type { Entry } from './ledger.ts'

/** When processes were stopped, in milliseconds, by their id. */
export type Stops = ReadonlyMap<number, readonly number[]>

/** What was found. */
export interface Owners {
  /** How many acts there were. */
  readonly acts: number
  /** How many changes of hands. */
  readonly moves: number
  /** Acts by an engine after another one had acted. */
  readonly doubled: string[]
  /** Such acts that were decided before the engine was stopped, and came when it went on: nobody can call them back. */
  readonly overtaken: string[]
}

/** Looks at all that was told, by path. Each life of a node is another owner, as an engine may have a flow again. */
export function ownersOf(entries: readonly Entry[], stops: Stops): Owners {
  const [doubled, overtaken]: [string[], string[]] = [[], []]
  const flows = new Map<string, { now: Act; readonly lives: Set<string> }>()
  let moves = 0
  for (const { path, atMs, values } of entries) {
    const act = values as unknown as Act
    const flow = flows.get(path) ?? { now: act, lives: new Set() }
    flows.set(path, flow)
    const { pid } = flow.now
    if (!flow.lives.has(act.life)) {
      flow.lives.add(act.life)
      if (pid !== act.pid) moves += 1
      flow.now = act
    } else if (act.pid !== pid) {
      const text = `${path} by ${act.pid} after ${pid}, decided ${atMs - act.decidedMs} ms before it came`
      const isStopped = stops.get(act.pid)?.some((stopMs) => act.decidedMs <= stopMs && stopMs <= atMs) ?? false
      ;(isStopped ? overtaken : doubled).push(text)
    }
  }
  return { acts: entries.length, moves, doubled, overtaken }
}

/** Longest time between two acts of a path, in milliseconds, and when it began. */
export function silenceOf(entries: readonly Entry[], path: string): { ms: number; fromMs: number } {
  let longest = { ms: 0, fromMs: 0 }
  let lastMs: number | null = null
  for (const { atMs } of entries.filter((entry) => entry.path === path)) {
    if (lastMs !== null && atMs - lastMs > longest.ms) longest = { ms: atMs - lastMs, fromMs: lastMs }
    lastMs = atMs
  }
  return longest
}
