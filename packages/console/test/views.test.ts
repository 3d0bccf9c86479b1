/** What is kept in a browser may have been written by anybody. */
import { expect, test } from 'vitest'

import { viewsIn } from '../src/runs/views.ts'

test('views are read; what is none is passed over', () => {
  const view = { name: 'mine', query: 'filter=params.lr<1' }
  expect(viewsIn(JSON.stringify([view]))).toEqual([view])
  expect(viewsIn(JSON.stringify([null, 1, {}, { name: 1, query: '' }, { ...view, more: 2 }]))).toEqual([view])
  for (const text of [null, '', '{', '{}', 'null', '7']) expect(viewsIn(text)).toEqual([])
})
