import { expect, test } from 'vitest'

import { LiveLogs } from '../../src/node-logs/live-logs.ts'

const KEPT = 65_536
const ALL = 16 * 1024 * 1024

test('the end of what each node prints is kept, and where each piece begins is told', () => {
  const logs = new LiveLogs()
  expect(logs.add({ flow: 'f', node: 'a' }, 'größe\n')).toEqual({ offset: 0, text: 'größe\n' })
  expect(logs.add({ flow: 'f', node: 'a' }, '\0')).toEqual({ offset: 8, text: '\uFFFD' })
  expect(logs.add({ flow: 'g', node: 'a' }, 'x')).toEqual({ offset: 0, text: 'x' })
  expect(logs.read('f', 'a')).toEqual({ text: 'größe\n\uFFFD', bytes: 11 })
  expect(logs.read('f', 'b')).toEqual({ text: '', bytes: 0 })
  logs.add({ flow: 'f', node: 'a' }, 'y'.repeat(KEPT))
  expect(logs.read('f', 'a')).toEqual({ text: 'y'.repeat(KEPT), bytes: KEPT + 11 })
})

test('all texts together are bounded: nodes that printed nothing for longest lose theirs, and go on to be counted', () => {
  const logs = new LiveLogs()
  const full = ALL / KEPT
  for (let at = 0; at < full; at += 1) logs.add({ flow: 'f', node: `n${at}` }, 'x'.repeat(KEPT))
  const kept = () =>
    Array.from({ length: full + 1 }, (_, at) => logs.read('f', `n${at}`).text.length).reduce((sum, size) => sum + size)
  expect(kept()).toBe(ALL)
  logs.add({ flow: 'f', node: 'n0' }, 'again')
  logs.add({ flow: 'f', node: `n${full}` }, 'one more')
  expect(kept()).toBeLessThan(ALL)
  expect(logs.read('f', 'n1')).toEqual({ text: '', bytes: KEPT })
  expect(logs.read('f', 'n0').text.endsWith('xagain')).toBe(true)
  expect(logs.add({ flow: 'f', node: 'n1' }, 'back')).toEqual({ offset: KEPT, text: 'back' })
  expect(logs.read('f', 'n1')).toEqual({ text: 'back', bytes: KEPT + 4 })
})

test('however many nodes have printed, as many are counted', () => {
  const logs = new LiveLogs()
  for (let at = 0; at <= 65_536; at += 1) logs.add({ flow: 'f', node: `n${at}` }, '')
  expect(logs.read('f', 'n0')).toEqual({ text: '', bytes: 0 })
  logs.add({ flow: 'f', node: 'n1' }, 'x')
  logs.add({ flow: 'f', node: 'other' }, 'y')
  expect([logs.read('f', 'n1').bytes, logs.read('f', 'other').bytes]).toEqual([1, 1])
})

test('a flow that is renamed takes its logs along, and one that is gone leaves none to the next of its name', () => {
  const logs = new LiveLogs()
  logs.add({ flow: 'f', node: 'a' }, 'first')
  logs.add({ flow: 'g', node: 'a' }, 'other')
  logs.rename({ from: 'f', to: 'g' })
  expect([logs.read('f', 'a').text, logs.read('g', 'a').text]).toEqual(['', 'first'])
  logs.forget('g')
  expect(logs.read('g', 'a')).toEqual({ text: '', bytes: 0 })
})
