import { VirtualClock } from '@flow-service/core/testing'
import type { EngineEvent } from '@flow-service/protocol'
import { expect, test } from 'vitest'

import { LogPace, MAX_TEXT_BYTES } from '../../src/events/log-pace.ts'

/** A node that prints, and what is told of it. */
function printing() {
  const clock = new VirtualClock(0)
  const told: [atMs: number, node: string, offset: number, text: string][] = []
  const pace = new LogPace(clock, ({ node, offset, text }, atMs) => void told.push([atMs, node, offset, text]))
  const offsets = new Map<string, number>()
  const print = (text: string, node = 'a'): void => {
    const offset = offsets.get(node) ?? 0
    offsets.set(node, offset + Buffer.byteLength(text))
    const event: Extract<EngineEvent, { type: 'log' }> = { type: 'log', flow: 'f', node, run: null, offset, text }
    pace.add(event)
  }
  return { clock, told, pace, print }
}

test('what a node prints is told at once, then joined ten times a second; nodes do not wait for each other', async () => {
  const { clock, told, print } = printing()
  for (let at = 0; at < 15; at++) {
    print(`${at % 10}`)
    if (at === 0) print('x', 'b')
    await clock.advance(10)
  }
  await clock.advance(60_000)
  expect(told).toEqual([
    [0, 'a', 0, '0'],
    [0, 'b', 0, 'x'],
    [100, 'a', 1, '123456789'],
    [200, 'a', 10, '01234'],
  ])
  expect(clock.pending).toBe(0)
})

test('of more than a frame may have the end is told, from the begin of a character', async () => {
  const { clock, told, print } = printing()
  print('first')
  for (let at = 0; at < 3; at++) print('ü'.repeat(3000))
  print('.')
  await clock.advance(100)
  const [, [, , offset, text] = [0, '', 0, '']] = told
  const bytes = Buffer.byteLength(text)
  expect([offset + bytes, text.at(0), text.at(-1)]).toEqual([5 + 18_000 + 1, 'ü', '.'])
  expect(bytes).toBeGreaterThan(MAX_TEXT_BYTES - 4)
  expect(bytes).toBeLessThanOrEqual(MAX_TEXT_BYTES)
})

test('nothing waits when nobody listens any more', async () => {
  const { clock, told, pace, print } = printing()
  print('first')
  print('second')
  pace.close()
  await clock.advance(1000)
  expect([told.length, clock.pending]).toEqual([1, 0])
})
