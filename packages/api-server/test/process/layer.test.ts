import { beforeEach, expect, test } from 'vitest'

import { begins, contextOf, inOrder, makes, noun, nounsOf, opens } from '../../src/process/layer.ts'
import { Lifecycle } from '../../src/process/lifecycle.ts'

const seen: string[] = []
beforeEach(() => {
  seen.length = 0
})

const size = noun<number>()('size')
const box = noun<{ readonly size: number }>()('box')
const shelf = noun<{ readonly boxes: number }>()('shelf')

const boxLayer = makes(
  box,
  { size },
  async (deps) => {
    seen.push('box')
    return deps
  },
  ({ size: closed }) => seen.push(`box of ${closed} closed`),
)
const shelfLayer = makes(
  shelf,
  { box },
  () => {
    seen.push('shelf')
    return { boxes: 1 }
  },
  () => {
    seen.push('shelf closed')
    throw new Error('it does not close')
  },
)
const lend = begins(
  { box, shelf },
  ({ shelf: { boxes } }) => {
    seen.push(`lends ${boxes}`)
    return 'lending'
  },
  async (begun) => {
    await new Promise((resolve) => setImmediate(resolve))
    seen.push(`${begun} over`)
  },
)
const count = begins({ shelf }, () => void seen.push('counts'))
const given = contextOf({ size }, { size: 3 })

test('nouns open in their order and work begins after them; everything ends in reverse, whatever fails to close', async () => {
  const lifecycle = new Lifecycle()
  const opened = await lifecycle.openAll(opens(given, inOrder(boxLayer, shelfLayer), [lend, count]))
  expect(seen).toEqual(['box', 'shelf', 'lends 1', 'counts'])
  expect(nounsOf(opened, { box, size })).toEqual({ box: { size: 3 }, size: 3 })
  seen.length = 0
  await lifecycle.close()
  expect(seen).toEqual(['lending over', 'shelf closed', 'box of 3 closed'])
})

test('a noun or a step that fails rejects with its own error, and leaves nothing open', async () => {
  const refusal = new RangeError('no room')
  const full = makes(shelf, { box }, () => Promise.reject(refusal))
  const lifecycle = new Lifecycle()
  await expect(lifecycle.openAll(opens(given, inOrder(boxLayer, full), [lend]))).rejects.toBe(refusal)
  const fails = begins({ shelf }, () => {
    throw refusal
  })
  await expect(lifecycle.openAll(opens(given, inOrder(boxLayer, shelfLayer), [lend, fails]))).rejects.toBe(refusal)
  await lifecycle.close()
  const first = ['box', 'box of 3 closed']
  expect(seen).toEqual([...first, 'box', 'shelf', 'lends 1', 'lending over', 'shelf closed', 'box of 3 closed'])
})

test('a layer that is opened twice makes its noun twice: two engines share nothing', async () => {
  const lifecycle = new Lifecycle()
  const open = () => lifecycle.openAll(opens(given, boxLayer, []))
  const [one, two] = [nounsOf(await open(), { box }), nounsOf(await open(), { box })]
  await lifecycle.close()
  expect(one.box).not.toBe(two.box)
})
