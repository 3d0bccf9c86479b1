/** What an engine wants of all others. */
import { VirtualClock } from '@flow-service/core/testing'
import { expect, test } from 'vitest'

import { StandingWish } from '../../../src/engines/links/standing-wish.ts'

/** A wish among engines that are deaf as long as they are named so. */
function wishing() {
  const clock = new VirtualClock(0)
  const told: string[] = []
  const deaf = new Set<string>()
  const lease = { others: ['one'], onEngines: (listener: () => void) => void (hears.engines = listener) }
  const hears: { engines: () => void; link: (engine: string) => void } = { engines() {}, link() {} }
  const links = {
    ask: async (engine: string, _: string, payload: Uint8Array) => {
      told.push(`${engine} ${payload.toString()}`)
      if (deaf.has(engine)) throw new Error('no answer')
      return Buffer.alloc(0)
    },
    onChange: (listener: (engine: string) => void) => {
      hears.link = listener
      return () => {}
    },
  }
  const wish = new StandingWish('wish', 'none', { clock, lease, links } as never)
  wish.open()
  return { clock, told, deaf, hears, lease, wish }
}

test('is told to each until it has heard it, and one that is deaf holds up no other', async () => {
  const { clock, deaf, lease, told, wish } = wishing()
  lease.others.push('two')
  deaf.add('two')
  wish.set('a')
  await clock.advance(1_000)
  expect(told).toEqual(['one a', 'two a', 'two a', 'two a'])
  // what it hears at last is what is wanted by then
  wish.set('b')
  deaf.clear()
  await clock.advance(5_000)
  expect(told.slice(4)).toEqual(['one b', 'two b', 'two b'])
  wish.close()
})

test('is told again when a link or an engine comes, unless nothing is wanted; that nothing is wanted any more is told once', async () => {
  const { clock, hears, lease, told, wish } = wishing()
  hears.engines()
  hears.link('one')
  expect(told).toEqual([])
  wish.set('a')
  wish.set('a')
  hears.link('one')
  lease.others.push('two')
  hears.engines()
  await clock.advance(1_000)
  expect(told).toEqual(['one a', 'one a', 'one a', 'two a'])
  wish.set('none')
  hears.engines()
  await clock.advance(1_000)
  expect(told.slice(4)).toEqual(['one none', 'two none'])
  wish.close()
  wish.set('c')
  hears.engines()
  await clock.advance(1_000)
  expect(told).toHaveLength(6)
})

test('that nothing is wanted any more is told to one that was deaf', async () => {
  const { clock, deaf, told, wish } = wishing()
  deaf.add('one')
  wish.set('a')
  wish.set('none')
  await clock.advance(400)
  deaf.clear()
  await clock.advance(500)
  expect(told).toEqual(['one a', 'one none', 'one none'])
  wish.close()
})
