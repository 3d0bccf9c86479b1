import { expect, test } from 'vitest'

import { entriesOf, grid, repeat } from '../src/sweep.ts'

test('a grid is every combination, the last axis fastest', () => {
  expect(grid({ lr: [0.1, 0.3], epochs: [10, 20] })).toEqual([
    { lr: 0.1, epochs: 10 },
    { lr: 0.1, epochs: 20 },
    { lr: 0.3, epochs: 10 },
    { lr: 0.3, epochs: 20 },
  ])
  expect(grid({})).toEqual([{}])
  expect(grid({ lr: [], epochs: [1] })).toEqual([])
  expect(grid<{ lr: number }>({ lr: undefined })).toEqual([{}])
})

test('repeated entries carry one seed each', () => {
  expect(repeat([{ lr: 1 }, { lr: 2 }], [7, 8])).toEqual({
    runs: [{ lr: 1 }, { lr: 1 }, { lr: 2 }, { lr: 2 }],
    seeds: [7, 8, 7, 8],
  })
})

test('a sweep lists runs or spans a grid, once for each seed', () => {
  expect(entriesOf({ runs: [{ lr: 1 }] })).toEqual({ runs: [{ lr: 1 }] })
  expect(entriesOf({ grid: { lr: [1, 2] }, seeds: [3] })).toEqual({ runs: [{ lr: 1 }, { lr: 2 }], seeds: [3, 3] })
})
