import type { EventFrame } from '@flow-service/protocol'
import { expect, test } from 'vitest'

import { pointsOf } from '../src/curve.ts'
import type { Run } from '../src/index.ts'

/** A run that is over, with so many points of which an answer has the first three. */
const source = (count: number) => ({
  run: async () => ({ id: 'a', flow: 'fit', status: 'ok' }) as Run,
  stored: async () => {
    const points = [0, 1, 2].map((step) => ({ step, ts: '', value: step }))
    return [{ name: 'fit.loss', node: 'fit', port: 'loss', run: 'a', count, points }]
  },
  async *events() {
    yield { type: 'snapshot' } as EventFrame
  },
})

async function read(count: number) {
  const seen: number[] = []
  const curve = pointsOf(source(count), { id: 'a', name: 'loss', flow: 'fit', stride: 2 }, new AbortController().signal)
  try {
    for await (const { step } of curve) seen.push(step)
    return { seen, failure: null }
  } catch (error) {
    return { seen, failure: (error as Error).message }
  }
}

test('a curve with more points than an answer ends with how to get them, not as if it were whole', async () => {
  expect(await read(3)).toEqual({ seen: [0, 2], failure: null })
  expect(await read(4)).toEqual({
    seen: [0, 2],
    failure:
      'run "a" has 4 points of "loss", and an answer the first 3; ask for fewer by "stride" of runs.metrics, or export them',
  })
})
