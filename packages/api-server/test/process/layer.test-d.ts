import type * as Layer from 'effect/Layer'
import { expectTypeOf, test } from 'vitest'

import { begins, contextOf, inOrder, makes, noun, opens } from '../../src/process/layer.ts'

const size = noun<number>()('size')
const box = noun<{ readonly size: number }>()('box')
const shelf = noun<{ readonly boxes: number }>()('shelf')
const boxLayer = makes(box, { size }, (deps) => deps)
const shelfLayer = makes(shelf, { box }, () => ({ boxes: 1 }))
const given = contextOf({ size }, { size: 3 })

test('layers in an order need what none before them makes, by name', () => {
  expectTypeOf(inOrder(boxLayer, shelfLayer)).toEqualTypeOf<Layer.Layer<'box' | 'shelf', never, 'size'>>()
  expectTypeOf(inOrder(shelfLayer, boxLayer)).toEqualTypeOf<Layer.Layer<'box' | 'shelf', never, 'box' | 'size'>>()
})

test('an engine does not compile while a noun that it needs is missing, or comes too late', () => {
  const whole = opens(given, inOrder(boxLayer, shelfLayer), [begins({ shelf }, () => {})])
  expectTypeOf(whole).not.toBeAny()
  // @ts-expect-error -- nobody has made the box
  opens(given, shelfLayer, [])
  // @ts-expect-error -- the box comes after the shelf
  opens(given, inOrder(shelfLayer, boxLayer), [])
  // @ts-expect-error -- the step needs a shelf
  opens(given, boxLayer, [begins({ shelf }, () => {})])
})

test('a noun is made as its type says', () => {
  expectTypeOf(makes(shelf, {}, () => ({ boxes: 1 }))).toEqualTypeOf<Layer.Layer<'shelf'>>()
  // @ts-expect-error -- the number of boxes is a number
  makes(shelf, {}, () => ({ boxes: 'one' }))
})
