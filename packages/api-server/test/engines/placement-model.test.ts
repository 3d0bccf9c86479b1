/**
 * Who runs which flow, whatever happens to engines, their clocks and their database: random programs over the lease, the
 * fence, the claims and the placement of the product. A failure prints its seed, its path and its `replayPath`:
 * `PLACEMENT_REPLAY='<seed> <path> <replayPath>'` does that program again, and `PLACEMENT_PROGRAMS` sets how many there are.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'

import { ModelWorld } from './model-world.ts'
import { FLOWS, programs } from './placement-commands.ts'

const numRuns = Number(process.env['PLACEMENT_PROGRAMS'] ?? 600)
const [seed, path = '', replayPath] = (process.env['PLACEMENT_REPLAY'] ?? '').split(' ')

test('whatever happens, nobody acts for a flow that another engine has taken, what is told is written or refused, and what is wished runs (lease.L1, lease.L2, lease.L4, fence.F2, fence.F4, placement.P1, placement.P2, placement.P5, claims.C1, claims.C2)', async () => {
  await fc.assert(
    fc.asyncProperty(programs(40, replayPath), async (commands) => {
      const world = new ModelWorld(FLOWS)
      await world.begin()
      await fc.asyncModelRun(() => ({ model: {}, real: world }), commands)
      await world.end()
      expect(world.faults).toEqual([])
    }),
    seed ? { seed: Number(seed), path, endOnFailure: true } : { numRuns },
  )
})

type Step = (world: ModelWorld) => void | Promise<void>

const pass =
  (ms: number): Step =>
  (world) =>
    world.pass(ms)
const away: Step = (world) => world.leave()
const back: Step = (world) => world.comeBack()

/** What random programs have found. */
const found: readonly (readonly [rule: string, steps: readonly Step[]])[] = [
  [
    'what waits for the database longer than anybody waits is refused before its engine takes the flow again (placement.P2)',
    [away, pass(15_000), back, ({ engines }) => engines[0]?.stop(false), pass(7_000), away, pass(7_000)],
  ],
  [
    'a flow that was given up, and that nobody else can run, comes back to the engine that can (claims.C2)',
    [
      ({ engines }) => engines[1]?.stop(true),
      ({ engines, flows }) => void engines[0]?.broken.add(flows[1] ?? ''),
      pass(9_000),
      ({ engines, flows }) => void engines[1]?.broken.add(flows[0] ?? ''),
    ],
  ],
  [
    'what is written while the engine gets another lease is not refused, as its flows are still its own (fence.F4)',
    [
      (world) => world.open(),
      (world) => world.open(),
      pass(15_000),
      ({ engines }) => void (engines[2] && (engines[2].wire.delayMs = 900)),
      away,
      pass(100),
      pass(15_000),
    ],
  ],
]

test.each(found)('%s', async (_, steps) => {
  const world = new ModelWorld(FLOWS)
  await world.begin()
  for (const step of steps) {
    // oxlint-disable no-await-in-loop -- one thing after the other
    await step(world)
    await world.pass(1)
    // oxlint-enable no-await-in-loop
  }
  await world.end()
  expect(world.faults).toEqual([])
})
