/**
 * Who runs which flow, whatever happens to engines, their clocks and their database: random programs over the lease, the
 * claims and the placement of the product. `PLACEMENT_PROGRAMS` sets how many; a failure prints its seed and the program.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'

import { ModelWorld } from './model-world.ts'
import { FLOWS, programs } from './placement-commands.ts'

const [SEED, PATH, REPLAY] = (process.env['REPLAY'] ?? '').split(' ')
const NUM_RUNS = Number(process.env['PLACEMENT_PROGRAMS'] ?? 150)

test('whatever happens, a flow has one owner in an epoch, nobody acts for what another one has taken, what is told is written or refused, and what is wished runs (lease.L1, lease.L2, lease.L4, fence.F2, placement.P2, claims.C2)', async () => {
  await fc.assert(
    fc.asyncProperty(programs(40, REPLAY), async (commands) => {
      const world = new ModelWorld(FLOWS)
      await world.begin()
      await fc.asyncModelRun(() => ({ model: {}, real: world }), commands)
      await world.end()
      expect(world.faults).toEqual([])
    }),
    SEED ? { seed: Number(SEED), path: PATH ?? '', endOnFailure: true } : { numRuns: NUM_RUNS },
  )
})
