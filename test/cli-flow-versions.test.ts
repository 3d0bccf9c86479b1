/** `service flows log|diff|restore`: what was published, how it differs, and how it comes back. */
import type { Flow, FlowDiff, FlowVersion } from '@flow-service/client-sdk'
import { expect, test } from 'vitest'

import { runService } from './cli-process.ts'
import { publishFlow, pythonNode } from './documents.ts'
import { startService } from './service.ts'

const of = (factor: number) => ({
  mode: 'batch' as const,
  title: factor === 2 ? '' : 'Times',
  inputs: [{ name: 'n', dtype: 'int', initial: 1 }],
  outputs: [{ name: 'out' }],
  nodes: [pythonNode('scale', `def run(n):\n    return {"out": ${factor} * n}\n`)],
})

test('versions of a flow are listed, compared in words, and made the draft again [V23]', async () => {
  await using at = await startService()
  const service = (...args: string[]) => runService(args, { cwd: at.dataDir, env: { SERVICE_DATA_DIR: at.dataDir } })
  await publishFlow(at.client, 'times', of(2))
  const { status } = await at.client.runs.submit('times').then((run) => run.wait())
  expect(status).toBe('ok')
  await publishFlow(at.client, 'times', { ...of(3), version: 1 })

  const logged = await service('flows', 'log', 'times')
  expect([logged.code, logged.err]).toEqual([0, ''])
  expect(logged.out).toMatch(
    /^VERSION +PUBLISHED +BY +RUNS +DIGEST\n2 .* 0 +[0-9a-f]{12}\n1 .*admin@localhost +1 +[0-9a-f]{12}\n$/,
  )
  const versions = JSON.parse((await service('flows', 'log', 'times', '--json')).out) as FlowVersion[]
  expect(versions.map(({ version, runs }) => [version, runs])).toEqual([
    [2, 0],
    [1, 1],
  ])

  const diff = await service('flows', 'diff', 'times', '1')
  expect(diff.out).toBe(
    [
      'times: version 1 -> what is published',
      '  /title:  -> Times',
      'node scale',
      '  @@ -1,2 +1,2 @@',
      '   def run(n):',
      '  -    return {"out": 2 * n}',
      '  +    return {"out": 3 * n}',
      '',
    ].join('\n'),
  )
  expect((await service('flows', 'diff', 'times', '2', '--to', 'published')).out).toBe(
    'version 2 of times and what is published are equal\n',
  )
  const raw = JSON.parse((await service('flows', 'diff', 'times', '2', '--to', '1', '--json')).out) as FlowDiff
  expect(raw).toMatchObject({ from: 2, to: 1, nodes: [{ id: 'scale', change: 'changed' }] })

  expect((await service('flows', 'restore', 'times', '1')).out).toBe(
    'version 1 of times is its draft now, version 3\npublish it with: service flows publish times\n',
  )
  const { has_draft: hasDraft, nodes }: Flow = await at.client.flows.get('times')
  expect([hasDraft, nodes[0]?.source]).toEqual([true, expect.stringContaining('2 * n')])

  const missing = await service('flows', 'diff', 'times', '7')
  expect([missing.code, missing.out]).toEqual([1, ''])
  expect(missing.err).toContain('7')
  expect((await service('flows', 'diff', 'times', 'x')).code).toBe(2)
})
