/** The corpus keeps the rules of its own page: its lines, its splits, and what the generator makes. */
import { readFileSync } from 'node:fs'

import { expect, test } from 'vitest'

import { generatedFiles, templatesOf } from '../corpus/generated.ts'
import { randomOf } from '../corpus/random.ts'
import { readSplit, type Sentence, splits } from '../corpus/sentence.ts'
import { skeletonOf } from '../corpus/skeleton.ts'
import { fillingsOf, withChoices } from '../corpus/template.ts'

const corpus = splits.map((split) => ({ split, sentences: readSplit(split) }))
const all = corpus.flatMap(({ sentences }) => sentences)
const byHand = (sentences: readonly Sentence[]) => sentences.filter(({ file }) => file !== 'generated')

test('there are 3,000 sentences or more, and 1,000 or more were written by hand', () => {
  expect(all.length).toBeGreaterThanOrEqual(3000)
  expect(byHand(all).length).toBeGreaterThanOrEqual(1000)
  expect(all.length - byHand(all).length).toBeGreaterThanOrEqual(2000)
})

test.each(corpus)('a fifth or more of $split is to yield no call', ({ sentences }) => {
  const silent = sentences.filter(({ calls }) => calls.length === 0)
  expect(silent.length / sentences.length).toBeGreaterThanOrEqual(0.2)
})

test('no text stands twice, in whatever letters', () => {
  const texts = all.map(({ text }) => text.toLowerCase())
  expect(texts.filter((text, at) => texts.indexOf(text) < at)).toEqual([])
})

test('what is generated is what the templates make', () => {
  for (const { path, text } of generatedFiles()) expect([path, readFileSync(path, 'utf8')]).toEqual([path, text])
})

test('there are 400 templates or more, and 60 or more of them are held out', () => {
  expect(splits.flatMap((split) => templatesOf(split)).length).toBeGreaterThanOrEqual(400)
  expect(templatesOf('held-out').length).toBeGreaterThanOrEqual(60)
})

/** Skeletons of what a template can make, before noise. */
const skeletonsOfTemplates = (split: (typeof splits)[number]): string[] =>
  templatesOf(split).flatMap((template) => {
    const random = randomOf(template.text)
    return Array.from({ length: 20 }, () => {
      const fillings = fillingsOf(template, random)
      const text = withChoices(template.text, random)
      return skeletonOf(text.replaceAll(/\{[a-z]+\d*\}/g, (slot) => fillings.get(slot)?.[0] ?? ''))
    })
  })

test('the held-out split shares no skeleton with the others', () => {
  const skeletons = (split: (typeof splits)[number], sentences: readonly Sentence[]) => [
    ...sentences.map(({ text }) => skeletonOf(text)),
    ...skeletonsOfTemplates(split),
  ]
  const known = new Set(
    corpus.flatMap(({ split, sentences }) => (split === 'held-out' ? [] : skeletons(split, sentences))),
  )
  const held = corpus.flatMap(({ split, sentences }) => (split === 'held-out' ? skeletons(split, sentences) : []))
  expect(held.filter((skeleton) => known.has(skeleton))).toEqual([])
})

test.each([
  ['turn on the kitchen light', 'Could you turn on the lamps in my study, please?', false],
  ['turn on the kitchen light', 'Could you please turn on my front room lamps?', true],
  ['heating on for ten minutes', 'radiator on for an hour and a half', true],
  ['set the bedroom to 21', 'set the bath room to twenty two and a half degrees', true],
  ['lights off in the kitchen and the hall', 'lamp off in the office', true],
  ['lights off in the kitchen', 'lights on in the kitchen', false],
])('"%s" and "%s" have one skeleton: %s', (one, other, isSame) => {
  expect(skeletonOf(one) === skeletonOf(other)).toBe(isSame)
})
