/**
 * Commands in English: the sentences of the corpus, prompts that nobody expects, and prompts of 10 kB, each against a copy of
 * its context, which is about what passing it to a worker would cost. Then the package as it is built, in fresh processes,
 * against the words that it shares with its nodes. The targets are absolute: 5 ms a sentence, 50 ms any prompt, 100 ms to load.
 */
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'

import { interpret } from '@flow-service/commands-lm'
import type { CommandContext } from '@flow-service/protocol'
import fc from 'fast-check'
import { expect, test } from 'vitest'

import { contextOf } from '../packages/commands-lm/corpus/context.ts'
import { readSplit, splits } from '../packages/commands-lm/corpus/sentence.ts'
import { contexts, longPrompts, prompts } from '../packages/commands-lm/test/prompts.ts'

const ROUNDS = 3
const SENTENCE_MS = 5
const PROMPT_MS = 50
const LOAD_MS = 100

type Prompt = readonly [text: string, context: CommandContext]

/** The shortest of some rounds: what else the machine does is left out. */
function shortest(work: () => unknown): number {
  const times = Array.from({ length: ROUNDS }, () => {
    const begun = performance.now()
    work()
    return performance.now() - begun
  })
  return Math.min(...times)
}

const sorted = (values: readonly number[]): number[] => values.toSorted((a, b) => a - b)
const at = (values: readonly number[], part: number): number =>
  sorted(values)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? Number.NaN
const shown = (values: readonly number[]): string =>
  [0.5, 0.99, 1]
    .map((part) => `${part === 1 ? 'worst' : `p${part * 100}`} ${at(values, part).toFixed(3)} ms`)
    .join(', ')

/** Times of prompts and of copies of their contexts, in turn. */
function timed(name: string, all: readonly Prompt[]): { own: number[]; copies: number[] } {
  const copies = all.map(([, context]) => shortest(() => structuredClone(context)))
  const own = all.map(([text, context]) => shortest(() => interpret(text, context)))
  const ratio = at(own, 0.5) / at(copies, 0.5)
  console.log(
    `${name}, ${all.length} of them: ${shown(own)}; copies ${shown(copies)}; ratio of medians ${ratio.toFixed(1)}`,
  )
  return { own, copies }
}

test('a sentence is understood within 5 ms, 99 of 100 times', () => {
  const corpus = splits.flatMap((split) => readSplit(split).map(({ text, context }): Prompt => [text, context]))
  for (const [text, context] of corpus.slice(0, 500)) interpret(text, context)
  const { own, copies } = timed('sentences', corpus)
  expect(at(own, 0.99)).toBeLessThan(SENTENCE_MS)
  expect(at(own, 0.5) / at(copies, 0.5)).toBeLessThan(200)
})

test('no prompt takes 50 ms', () => {
  const seed = 20_261_123
  const strange = timed('strange prompts', fc.sample(fc.tuple(prompts, contexts), { numRuns: 5_000, seed }))
  const long = timed('prompts of 10 kB', fc.sample(fc.tuple(longPrompts, contexts), { numRuns: 300, seed }))
  expect(at(strange.own, 1)).toBeLessThan(PROMPT_MS)
  expect(at(long.own, 1)).toBeLessThan(PROMPT_MS)
})

const folder = join(import.meta.dirname, '../packages/commands-lm')
const built = join(folder, 'node_modules/.bench')

/** Milliseconds in a process of its own: to load the words that nodes share, then the grammar with a first sentence. */
function loaded(): readonly [words: number, own: number] {
  const script = `
    const begun = performance.now()
    await import('@flow-service/protocol')
    const between = performance.now()
    const { interpret } = await import('./node_modules/.bench/index.js')
    interpret('turn the lights off in ten minutes', ${JSON.stringify(contextOf('presence=kitchen'))})
    console.log(JSON.stringify([between - begun, performance.now() - between]))`
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--conditions=@flow-service/source', '--input-type=module', '--eval', script],
    { cwd: folder, encoding: 'utf8' },
  )
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout) as [number, number]
}

test('the built package is loaded and has understood its first sentence within 100 ms', () => {
  const { status, stderr } = spawnSync('tsup', ['--no-dts', '--out-dir', built], { cwd: folder, encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  const times = Array.from({ length: 9 }, () => loaded())
  rmSync(built, { recursive: true })
  const words = times.map(([first]) => first)
  const own = times.map(([, second]) => second)
  console.log(`load: ${shown(own)}; the words: ${shown(words)}; ratio ${(at(own, 0) / at(words, 0)).toFixed(2)}`)
  expect(at(own, 0)).toBeLessThan(LOAD_MS)
  expect(at(own, 0) / at(words, 0)).toBeLessThan(1)
})
