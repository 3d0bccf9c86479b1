/**
 * The tests that every connector has to pass, registered with the test runner of its package.
 * @module
 */
import { test as nodeTest } from 'node:test'

import type * as z from 'zod'

import type { ConnectorClass } from '../connector-node.ts'
import type { Values } from '../node.ts'
import type { ContractFixtures } from './suite/fixtures.ts'
import { lifeRules } from './suite/life-rules.ts'
import { ContractFault, type Rule, textOf } from './suite/rule.ts'
import { settingsRules } from './suite/settings-rules.ts'
import { Subject } from './suite/subject.ts'
import { trustRules } from './suite/trust-rules.ts'
import { valueRules } from './suite/value-rules.ts'
import { unhandledWhile } from './unhandled.ts'

type Run = (context?: unknown) => Promise<void>

/** What test runners register a test with: `test` of vitest, `node:test`, or jest. */
export interface TestFunction {
  (title: string, run: Run): unknown
  readonly skip?: (title: string, run: Run) => unknown
}

/** What the suite needs beside the class. */
export interface ContractOptions<C extends ConnectorClass> {
  /** `test` of vitest has to be given; that of `node:test` and a global one are found. */
  readonly test?: TestFunction
  /** Settings with which the connector works, as a flow has them. */
  readonly params?: z.input<C['Params']>
  /** How its device answers. */
  readonly fixtures?: ContractFixtures<C>
}

const rules: readonly Rule[] = [...settingsRules, ...valueRules, ...lifeRules, ...trustRules]

/**
 * Registers a test for each rule of the contract of connectors. Each makes nodes of the class, on a virtual clock and without
 * a network but for that of the fixtures, and fails with what is wrong and what to do. A rule that says nothing of the class
 * is a skipped test, with the reason.
 * @example
 * import { test } from 'vitest'
 * import { contractSuite, recordedHttp } from '@flow-service/connector-sdk/testing'
 * import Meter from '../src/meter.ts'
 *
 * const { fetch } = recordedHttp(new URL('meter.json', import.meta.url))
 * contractSuite(Meter, { test, params: { url: 'http://meter.local' }, fixtures: { fetch, reading: { power: 230 } } })
 */
export function contractSuite<C extends ConnectorClass>(Class: C, options: ContractOptions<C> = {}): void {
  const { test = foundTest(), params = {}, fixtures = {} } = options
  const subject = (): Subject =>
    new Subject(Class, params as Values, fixtures as unknown as ContractFixtures<ConnectorClass>)
  const name = Class.name === '' ? 'the connector' : Class.name
  for (const rule of rules) {
    const reason = rule.skip?.(subject()) ?? null
    const title = `${name} ${rule.title}`
    if (reason === null) test(title, (context) => check(rule, subject(), context))
    else (test.skip ?? test)(`${title} (skipped: ${reason})`, async () => {})
  }
}

async function check(rule: Rule, subject: Subject, context: unknown): Promise<void> {
  let reason: string | void = undefined
  const unhandled = await unhandledWhile(async () => {
    try {
      reason = await rule.run(subject)
    } finally {
      await subject.end()
    }
  })
  if (unhandled.length > 0)
    throw new ContractFault(`an error of it has no handler: ${textOf(unhandled[0])}; await what may fail, or catch it`)
  if (reason !== undefined) (context as { skip?(reason: string): void } | undefined)?.skip?.(reason)
}

function foundTest(): TestFunction {
  const { test } = globalThis as { test?: unknown }
  if (typeof test === 'function') return test as TestFunction
  if (process.env['VITEST'] !== undefined)
    throw new Error('import { test } from "vitest", and hand it over: contractSuite(Class, { test, … })')
  return nodeTest
}
