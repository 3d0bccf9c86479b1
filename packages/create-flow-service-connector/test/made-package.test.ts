import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { connectorKinds } from '../src/index.ts'
import { MadePackage, root } from './made-package.ts'

const tool = (name: string): string => join(root, 'node_modules/.bin', name)
const source = ['@flow-service/source']

test.each(Object.keys(connectorKinds))(
  'a package of the kind %s compiles, lints and passes its tests',
  { timeout: 180_000 },
  async (kind) => {
    using made = new MadePackage('@me/solar-panel', kind)
    await made.run(tool('tsc'), '--customConditions', ...source)
    expect(await made.run(tool('oxlint'))).toContain('Found 0 warnings and 0 errors')
    await made.run(tool('oxfmt'), '--check', '--config', join(root, '.oxfmtrc.json'), '.')
    const config = join(made.home, 'vitest.config.mjs')
    const resolve = { conditions: source }
    writeFileSync(config, `export default ${JSON.stringify({ resolve, ssr: { resolve } })}\n`)
    const report = join(made.home, 'report.json')
    await made.run(tool('vitest'), 'run', '--config', config, '--reporter', 'json', '--outputFile', report)
    const { numFailedTests, numPassedTests } = JSON.parse(readFileSync(report, 'utf8')) as Record<string, number>
    expect(numFailedTests).toBe(0)
    expect(numPassedTests).toBeGreaterThan(15)
  },
)
