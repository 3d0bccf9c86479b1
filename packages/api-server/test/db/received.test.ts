import { expect, test } from 'vitest'

import { Received } from '../../src/db/received.ts'

test('answers of any length come whole, one after the other, and share no memory', () => {
  const received = new Received()
  const bytes = (length: number, seed: number): Uint8Array =>
    Uint8Array.from({ length }, (_, at) => (at * 7 + seed) % 251)
  const given: [Uint8Array, Uint8Array][] = []
  for (const [round, length] of [0, 5, 65_536, 65_537, 400_000, 3, 200_000].entries()) {
    const all = bytes(length, round)
    const memory = new Uint8Array(8192)
    for (let at = 0; at < length; at += memory.length) {
      const part = all.subarray(at, at + memory.length)
      memory.set(part)
      received.add(memory.subarray(0, part.length))
    }
    memory.fill(255)
    given.push([all, received.take()])
  }
  for (const [all, answer] of given) expect(Buffer.compare(answer, all)).toBe(0)
  const buffers = given.map(([, answer]) => answer.buffer)
  expect(new Set(buffers).size).toBe(buffers.length)
})
