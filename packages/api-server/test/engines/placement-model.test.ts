/**
 * Who runs which flow, whatever happens to engines, their clocks and their database: random programs over the lease, the
 * fence, the claims and the placement of the product. A failure prints its seed, its path and its `replayPath`:
 * `PLACEMENT_REPLAY='<seed> <path> <replayPath>'` does that program again, and `PLACEMENT_PROGRAMS` sets how many there are.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'

import { ModelWorld } from './model-world.ts'
import { FLOWS, programs } from './placement-commands.ts'

const numRuns = Number(process.env['PLACEMENT_PROGRAMS'] ?? 400)
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
