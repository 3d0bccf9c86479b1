/** What a service acknowledges, while its engine is killed again and again. */
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { ApiError } from '@flow-service/client-sdk'

import type { DataDirectory, EngineProcess } from './engine-process.ts'

/** Work for an engine, and the book of what was acknowledged. */
export interface Load {
  /** Once, at an engine that is not killed. */
  setUp(engine: EngineProcess): Promise<void>
  /** Writers that go on until the engine is gone; each calls `acknowledged` after a write. */
  lanes(engine: EngineProcess, acknowledged: () => void): Promise<never>[]
  /** At each engine, before its lanes: what is not as it was acknowledged. */
  check(engine: EngineProcess): Promise<string[]>
  /** At the last engine: waits for what is under way, and looks at everything. */
  settle(engine: EngineProcess): Promise<string[]>
}

/** How often to tell of the progress, in milliseconds. */
const TELL_EVERY_MS = 30_000

interface Kills {
  /** What to call it in the progress. */
  readonly name: string
  readonly env: NodeJS.ProcessEnv
  readonly kills: number
  /** Chooses moments: 0 ≤ x < 1. */
  readonly random: () => number
}

/**
 * Kills `kills` engines, one after the other on the same data, at moments that `random` chooses. Resolves with how many
 * writes were acknowledged and what was wrong with them; tells now and then how far it is, and at once what is wrong.
 */
export async function underKills(
  data: DataDirectory,
  loads: readonly Load[],
  { name, env, kills, random }: Kills,
): Promise<{ acknowledged: number; wrong: string[] }> {
  // most of a cycle is the start of its engine
  const own = { NODE_COMPILE_CACHE: join(tmpdir(), 'flow-service-compiled'), ...env }
  const wrong: string[] = []
  let acknowledged = 0
  let startingMs = 0
  const begun = performance.now()
  let toldAt = begun
  const tell = (life: number): void => {
    toldAt = performance.now()
    const perMinute = ((life * 60_000) / (toldAt - begun)).toFixed(1)
    const starts = `${Math.round(startingMs / life)} ms for a start`
    console.log(`${name}: ${life} of ${kills} kills, ${perMinute} a minute, ${starts}; ${acknowledged} writes`)
    if (wrong.length > 0) console.log(`${name}: wrong so far: ${wrong.join('; ')}`)
  }
  const first = await data.start(own)
  for (const load of loads) await load.setUp(first)
  // it leaves its compiled code to the others, which an engine that is killed does not
  await first.end('SIGTERM')
  for (let life = 0; life < kills; life++) {
    const startedAt = performance.now()
    const engine = await data.start(own)
    startingMs += performance.now() - startedAt
    for (const load of loads) wrong.push(...(await load.check(engine)))
    const { count, refused } = await loadUntilKilled(engine, loads, {
      until: 5 + random() * 40,
      delayMs: random() * 200,
    })
    acknowledged += count
    wrong.push(...refused)
    if (performance.now() - toldAt >= TELL_EVERY_MS || life === kills - 1) tell(life + 1)
  }
  const last = await data.start(own)
  for (const load of loads) wrong.push(...(await load.settle(last)))
  await last.end('SIGTERM')
  return { acknowledged, wrong }
}

/** Resolves with how many writes were acknowledged, and the refusals, which nobody expects. */
async function loadUntilKilled(
  engine: EngineProcess,
  loads: readonly Load[],
  { until, delayMs }: { until: number; delayMs: number },
): Promise<{ count: number; refused: string[] }> {
  let count = 0
  const acknowledged = (): void => {
    count += 1
    if (count >= until && count < until + 1) setTimeout(() => void engine.end('SIGKILL'), delayMs)
  }
  const ends = await Promise.allSettled(loads.flatMap((load) => load.lanes(engine, acknowledged)))
  await engine.end('SIGKILL')
  const reasons = ends.map((end) => (end.status === 'rejected' ? (end.reason as unknown) : null))
  return { count, refused: reasons.filter((reason) => reason instanceof ApiError).map(String) }
}
