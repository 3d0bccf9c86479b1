/** A batch flow: estimate pi by throwing darts at a square and counting those that land in the circle. */
import { batchFlow, input, stage, stream, t } from '@flow-service/flow-sdk'
import * as z from 'zod'

/** Throws the darts; the estimate so far is a curve of the run. Equal seeds throw equal darts. */
export const draw = stage('draw', {
  in: { samples: t.int, seed: t.int },
  out: { hits: t.int, estimate: stream(t.float, { interval: 0.2 }) },
  settings: z.object({ points: z.int().min(1).default(20).describe('Points of the curve.') }),
  async *run({ samples, points }, ctx) {
    let hits = 0
    let next = samples / points
    for (let thrown = 1; thrown <= samples; thrown++) {
      const [x, y] = [ctx.random(), ctx.random()]
      if (x * x + y * y <= 1) hits++
      if (thrown < next) continue
      next += samples / points
      yield { estimate: (4 * hits) / thrown }
    }
    return { hits }
  },
})

/** Turns the count into the result. */
export const summarize = stage('summarize', {
  in: { hits: t.int, samples: t.int },
  out: { pi: t.float, summary: t.json(z.object({ samples: z.int(), error: z.number() })) },
  run({ hits, samples }) {
    const pi = (4 * hits) / samples
    return { pi, summary: { samples, error: Math.abs(pi - Math.PI) } }
  },
})

export const estimatePi = batchFlow(
  'estimate_pi',
  { samples: input(t.int, 200_000), seed: input(t.int, 42) },
  (p, use) => {
    const { hits } = use(draw, { samples: p.samples, seed: p.seed })
    const { pi, summary } = use(summarize, { hits, samples: p.samples })
    return { pi, summary }
  },
  { title: 'Estimate pi by throwing darts' },
)
