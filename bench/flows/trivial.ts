/** The trivial runs of run-http.bench.ts: one node each, never cached. */
import { batchFlow, input, python, stage, t } from '@flow-service/flow-sdk'

export const double = stage('double', {
  in: { n: t.int },
  out: { twice: t.int },
  cache: false,
  run: ({ n }) => ({ twice: 2 * n }),
})
export const doubling = batchFlow('doubling', { n: input(t.int, 21) }, (p, use) => use(double, p))

export const triple = python('triple', { file: './triple.py', in: { n: t.int }, out: { thrice: t.int }, cache: false })
export const tripling = batchFlow('tripling', { n: input(t.int, 14) }, (p, use) => use(triple, p))
