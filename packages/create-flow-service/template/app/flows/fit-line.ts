/** A batch flow: points are measured on a line, with noise, and the line is found again step by step. */
import { batchFlow, input, stage, stream, t } from '@flow-service/flow-sdk'
import * as z from 'zod'

const points = t.json(z.array(z.object({ x: z.number(), y: z.number() })))

/** Points near y = 2x + 1. Runs with the same count and seed take them from the cache. */
export const measure = stage('measure', {
  in: { count: t.int, seed: t.int },
  out: { points },
  run({ count }, ctx) {
    const point = () => {
      const x = ctx.random()
      return { x, y: 2 * x + 1 + 0.2 * (ctx.random() - 0.5) }
    }
    return { points: Array.from({ length: count }, point) }
  },
})

/** Gradient descent; how far off the line still is, is a curve of the run. */
export const fit = stage('fit', {
  in: { points, rate: t.float, steps: t.int },
  out: { loss: stream(t.float), slope: t.float, offset: t.float },
  *run({ points, rate, steps }) {
    let [slope, offset] = [0, 0]
    for (let step = 0; step < steps; step++) {
      const errors = points.map(({ x, y }) => ({ x, error: slope * x + offset - y }))
      yield { loss: mean(errors.map(({ error }) => error ** 2)) }
      slope -= rate * mean(errors.map(({ x, error }) => 2 * x * error))
      offset -= rate * mean(errors.map(({ error }) => 2 * error))
    }
    return { slope, offset }
  },
})

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

export const fitLine = batchFlow(
  'fit_line',
  { count: input(t.int, 100), rate: input(t.float, 0.3), steps: input(t.int, 200), seed: input(t.int, 1) },
  (p, use) => {
    const { points } = use(measure, { count: p.count, seed: p.seed })
    const { slope, offset } = use(fit, { points, rate: p.rate, steps: p.steps })
    return { slope, offset }
  },
)
