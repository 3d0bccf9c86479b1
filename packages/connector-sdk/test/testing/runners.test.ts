/** The contract suite under the test runners of packages. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { contractSuite } from '../../src/testing.ts'
import { fixtures, Meter, params } from './meter.ts'

/** How many tests of a file `node --test` has passed, failed and skipped. */
async function underNode(file: string): Promise<{ passed: number; failed: number; skipped: number; output: string }> {
  const { VITEST: _own, NODE_TEST_CONTEXT: _other, ...env } = process.env
  const args = [
    '--conditions=@flow-service/source',
    '--test',
    '--test-reporter=tap',
    join(import.meta.dirname, 'under-node', file),
  ]
  const output = await new Promise<string>((resolve) => {
    execFile(process.execPath, args, { env }, (_error, stdout, stderr) => resolve(`${stdout}${stderr}`))
  })
  const count = (word: string): number => Number(new RegExp(`^# ${word} (\\d+)$`, 'm').exec(output)?.[1])
  return { passed: count('pass'), failed: count('fail'), skipped: count('skipped'), output }
}

test('node --test runs the suite without more words', async () => {
  const { output, ...counts } = await underNode('meter-suite.ts')
  expect(counts).toEqual({ passed: 18, failed: 0, skipped: 3 })
  expect(output).toContain('Meter publishes what its device says by itself (skipped: there is no fixtures.push) # SKIP')
  expect(output).toContain('# SKIP it pins nothing')
})

test('node --test fails with what is wrong', async () => {
  const { failed, output } = await underNode('faulty-suite.ts')
  expect(failed).toBeGreaterThan(0)
  expect(output).toContain('poll() is not called: a start() that overrides has to call super.start(app)')
})

test('under vitest the test function has to be given, so that no test is registered where nobody runs it', () => {
  expect(() => contractSuite(Meter, { params, fixtures })).toThrow('import { test } from "vitest", and hand it over')
})
