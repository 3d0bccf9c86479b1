import { delayNode } from '@flow-service/node-types'
import { expect, test } from 'vitest'

import { codes, Rig } from './test-kit.ts'

const one = { inputs: { x: 'any' }, outputs: { y: 'any' } } as const
const sent = (rig: Rig): unknown[] => rig.emitted.map(({ y }) => y)

test('each message is held for the delay, fractions of a second too, and the order is kept [R248, R250]', async () => {
  const rig = await Rig.start(delayNode, { settings: { delay: 0.3 }, ...one })
  await rig.arrive({ x: 1 })
  await rig.arrive({ x: 2 })
  await rig.advance(0.2)
  await rig.arrive({ x: 3 })
  expect(sent(rig)).toEqual([])
  await rig.advance(0.11)
  expect(sent(rig)).toEqual([1, 2])
  await rig.advance(0.2)
  expect(sent(rig)).toEqual([1, 2, 3])
})

test('without settings messages pass at once', async () => {
  const rig = await Rig.start(delayNode, one)
  await rig.arrive({ x: null })
  expect(sent(rig)).toEqual([null])
  expect(rig.timers).toBe(0)
})

test('within the interval the latest message is held and sent at its end, which begins the next interval [R254]', async () => {
  const rig = await Rig.start(delayNode, { settings: { interval: 10 }, ...one })
  for (const x of [1, 2, 3]) await rig.arrive({ x })
  expect(sent(rig)).toEqual([1])
  await rig.advance(10)
  expect(sent(rig)).toEqual([1, 3])
  await rig.arrive({ x: 4 })
  expect(sent(rig)).toEqual([1, 3])
  await rig.advance(10)
  expect(sent(rig)).toEqual([1, 3, 4])
  await rig.advance(100)
  await rig.arrive({ x: 5 })
  expect(sent(rig)).toEqual([1, 3, 4, 5])
})

test('the delay comes first, then the rate is looked at [R249]', async () => {
  const rig = await Rig.start(delayNode, { settings: { delay: 1, interval: 10 }, ...one })
  await rig.arrive({ x: 1 })
  await rig.advance(0.5)
  await rig.arrive({ x: 2 })
  await rig.advance(0.6)
  expect(sent(rig)).toEqual([1])
  await rig.advance(9.8)
  expect(sent(rig)).toEqual([1])
  await rig.advance(0.2)
  expect(sent(rig)).toEqual([1, 2])
})

test('outputs are limited by themselves; inputs pair with them in order, or as mapped [R251, R252]', async () => {
  const two = { inputs: { a: 'any', b: 'any' }, outputs: { y: 'any', z: 'any' } } as const
  const paired = await Rig.start(delayNode, { settings: { interval: 10 }, ...two })
  await paired.arrive({ a: 1 })
  await paired.arrive({ b: 2 })
  expect(paired.emitted).toEqual([{ y: 1 }, { z: 2 }])
  const mapped = await Rig.start(delayNode, { settings: { mapping: { a: 'z', b: 'y' } }, ...two })
  await mapped.arrive({ a: 1, b: 2 })
  expect(mapped.emitted).toEqual([{ z: 1 }, { y: 2 }])
})

test('with a pattern and inputs each tick emits the latest message, and none before the first [R253, R256]', async () => {
  const rig = await Rig.start(delayNode, { settings: { cron: '* * * * *' }, ...one })
  await rig.advance(60)
  expect(rig.emitted.filter(({ y }) => y !== undefined)).toEqual([])
  await rig.arrive({ x: 1 })
  await rig.arrive({ x: 2 })
  await rig.advance(120)
  expect(sent(rig).filter((value) => value !== undefined)).toEqual([2, 2])
})

test('with a pattern and no inputs each tick emits the time [R255]', async () => {
  const rig = await Rig.start(delayNode, {
    settings: { cron: '* * * * *' },
    inputs: {},
    outputs: { text: 'str', seconds: 'float', whole: 'int' },
  })
  await rig.advance(60)
  const [{ text, seconds, whole } = {}] = rig.emitted
  expect(Date.parse(String(text)) / 1000).toBeCloseTo(Number(seconds))
  expect(whole).toBe(Math.floor(Number(seconds)))
})

test('in a run a message is held too; a rate on an output that has one value, and a schedule, are refused [R257]', async () => {
  const rig = await Rig.start(delayNode, { mode: 'batch', settings: { delay: 5 }, ...one })
  const arrival = rig.arrive({ x: 1 })
  await rig.advance(4.9)
  expect(sent(rig)).toEqual([])
  await rig.advance(0.2)
  await arrival
  expect(sent(rig)).toEqual([1])
  expect(codes(delayNode, { mode: 'batch', settings: { interval: 1 }, ...one })).toEqual(['interval_on_batch_port'])
  expect(codes(delayNode, { mode: 'batch', settings: { cron: '* * * * *' }, ...one })).toEqual(['live_only_node'])
})

test('ports that do not pair, unknown ones and types that do not fit are found', () => {
  expect(codes(delayNode, { inputs: { x: 'any' }, outputs: {} })).toEqual(['unsupported_ports'])
  expect(codes(delayNode, { settings: { mapping: { x: 'nope' } }, ...one })).toEqual(['unknown_output'])
  expect(codes(delayNode, { inputs: { x: 'str' }, outputs: { y: 'int' } })).toEqual(['dtype_mismatch'])
  expect(codes(delayNode, { settings: { cron: 'often' }, ...one })).toEqual(['bad_setting'])
})

test('what its timers hold is told as the message that came in, or that was to go out', () => {
  expect(delayNode.holds?.('delayed 3', { port: 'x', value: 'in' })).toEqual(['x', 'in'])
  expect(delayNode.holds?.('window y', { value: 'out' })).toEqual(['y', 'out'])
  expect(delayNode.holds?.('of another type', 1)).toBe(null)
})
