/**
 * How well the grammar understands what it has not seen: the goals of the corpus's page, and for the rest bounds just below
 * what is reached, which only ever rise. `npm run commands-lm:score` shows more; whoever changes the grammar looks at errors
 * of the fit split alone, and fits the table of confidence anew.
 */
import { readFileSync } from 'node:fs'

import { grammarModel } from '@flow-service/commands-lm'
import { expect, test } from 'vitest'

import { calibrationFile } from '../corpus/calibration-file.ts'
import { calibration, calibrationError, judge, measure, percentOf } from '../corpus/measure.ts'
import { readSplit } from '../corpus/sentence.ts'

const judged = await judge(grammarModel, readSplit('held-out'))
const { exact, harmless, confident, written } = measure(judged)

test('96.5 of 100 sentences of the held-out split are understood exactly', () => {
  expect(percentOf(exact)).toBeGreaterThanOrEqual(96.5)
})

test('2 of 1,000 sentences at most write what was not said', () => {
  expect(percentOf(harmless)).toBeGreaterThanOrEqual(99.8)
})

test('99.5 of 100 calls that are confident enough to be written are what was said', () => {
  expect(percentOf(confident)).toBeGreaterThanOrEqual(99.5)
})

test('87.5 of 100 calls that are meant are written', () => {
  expect(percentOf(written)).toBeGreaterThanOrEqual(87.5)
})

test('confidence is the share of readings that are right, within 5 of 100 on average', () => {
  expect(calibrationError(calibration(judged))).toBeLessThan(0.05)
})

test('the table of confidence is what the calibration split makes of it', () => {
  const { path, text } = calibrationFile()
  expect(readFileSync(path, 'utf8')).toBe(text)
})
