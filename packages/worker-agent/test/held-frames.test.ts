import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, onTestFinished, test } from 'vitest'

import { HeldFrames } from '../src/remote/held-frames.ts'

const MIB = 1024 * 1024

function folder(): string {
  const directory = mkdtempSync(join(tmpdir(), 'held-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

/** A frame of so many bytes. */
function frame(seq: number, bytes = MIB / 4) {
  const text = JSON.stringify({ seq, pad: '' })
  return { seq, call: `call "${seq % 3}"`, text: text.replace('""', `"${'x'.repeat(bytes - text.length)}"`), bytes }
}

function all(held: HeldFrames): number[] {
  const found: number[] = []
  for (let next = held.after(0); next.length > 0; next = held.after(found.at(-1) ?? 0))
    found.push(...next.map(({ seq }) => seq))
  return found
}

const numbers = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, at) => from + at)

test('frames stay in memory until that is full, then go to files, and come back in their order', () => {
  const directory = folder()
  const held = new HeldFrames({ maxMemory: 8 * MIB, maxDisk: 1024 * MIB, directory: () => directory })
  for (const seq of numbers(1, 32)) expect(held.store(frame(seq))).toBe(true)
  expect(readdirSync(directory)).toEqual([])
  for (const seq of numbers(33, 100)) expect(held.store(frame(seq))).toBe(true)
  expect(readdirSync(directory)).toHaveLength(17)
  expect(held.bytes).toBe(25 * MIB)
  expect(all(held)).toEqual(numbers(1, 100))
  expect(held.after(40).slice(0, 2)).toEqual([frame(41), frame(42)])
})

test('what is acknowledged is forgotten, and its file is gone', () => {
  const directory = folder()
  const held = new HeldFrames({ maxMemory: 2 * MIB, maxDisk: 1024 * MIB, directory: () => directory })
  for (const seq of numbers(1, 40)) held.store(frame(seq))
  expect(readdirSync(directory)).toHaveLength(8)
  held.forget(3)
  expect(all(held)).toEqual(numbers(4, 40))
  held.forget(14)
  // a file goes as a whole
  expect(all(held)).toEqual(numbers(13, 40))
  expect(readdirSync(directory)).toHaveLength(7)
  held.keep(frame(41))
  held.forget(41)
  expect(held.bytes).toBe(0)
  expect(readdirSync(directory)).toEqual([])
  held.store(frame(42))
  held.clear()
  expect([held.bytes, all(held)]).toEqual([0, []])
})

test('beyond memory and files a frame is not taken', () => {
  const directory = folder()
  const held = new HeldFrames({ maxMemory: 2 * MIB, maxDisk: 4 * MIB, directory: () => directory })
  const taken = numbers(1, 40).filter((seq) => held.store(frame(seq)))
  expect(taken).toEqual(numbers(1, 24))
  expect(held.limit).toBe('2 MiB in memory and 4 MiB in files are full')
  held.keep(frame(25))
  expect(all(held)).toEqual(numbers(1, 25))
})

test('where a file cannot be written memory is all there is', () => {
  const held = new HeldFrames({ maxMemory: 2 * MIB, maxDisk: 4 * MIB, directory: () => '/nowhere/at/all' })
  const taken = numbers(1, 40).filter((seq) => held.store(frame(seq)))
  expect(taken).toEqual(numbers(1, 12))
  expect(held.limit).toMatch(/^ENOENT/)
  expect(all(held)).toEqual(numbers(1, 12))
  held.forget(8)
  expect(held.store(frame(13))).toBe(true)
})
