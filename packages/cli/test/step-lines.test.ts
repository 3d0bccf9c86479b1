import { expect, test } from 'vitest'

import { StepLines } from '../src/step-lines.ts'

test('each table has a line when it is done, one that takes long has more, and artifacts are counted in bytes', () => {
  const lines: string[] = []
  let now = 0
  const steps = new StepLines(
    (line) => lines.push(line),
    () => now,
  )
  steps.add({ step: 'copy', table: 'account', rows: 1, of: 1 })
  steps.add({ step: 'copy', table: 'message_history', rows: 5_000, of: 1_000_000 })
  now += 2_500
  steps.add({ step: 'copy', table: 'message_history', rows: 245_000, of: 1_000_000 })
  expect(lines).toEqual([
    'copied account: 1 row',
    'copied message_history: 250,000 of 1,000,000 rows, 100,000 a second',
  ])
  now += 7_500
  steps.add({ step: 'copy', table: 'message_history', rows: 750_000, of: 1_000_000 })
  steps.add({ step: 'compare', table: 'account', rows: 1, of: 1 })
  steps.add({ step: 'copy', table: '', rows: 1_500_000, of: 0 })
  steps.end()
  expect(lines.slice(2)).toEqual([
    'copied message_history: 1,000,000 rows, 100,000 a second',
    'compared account: 1 row',
    'copied artifacts: 1.5 MB',
  ])
  steps.end()
  expect(lines).toHaveLength(5)
})
