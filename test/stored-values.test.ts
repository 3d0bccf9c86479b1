/** Values of megabytes from node to node, over engine and workers, in both languages (V15). */
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { startAgent } from './agent-process.ts'
import { python } from './components/pythons.ts'
import { publishFlow } from './documents.ts'
import { startService } from './service.ts'

/** Two workers start and end beside the service. */
const slow = { timeout: 180_000 }

const port = (direction: string, name: string, dtype: string) => ({ direction, name, dtype })
const make = `def run(n):
    return {"rows": [{"at": at, "half": at / 2, "text": "\\u00e4\\U0001f600"} for at in range(n)]}
`
const sum = `def run(rows):
    return {"says": [len(rows), sum(row["at"] for row in rows), rows[-1]["text"], type(rows[0]["half"]).__name__]}
`
const flow = (first: string | null, second: string | null, more: object = {}) => ({
  mode: 'batch',
  inputs: [{ name: 'n', dtype: 'int', initial: 12_000 }],
  outputs: [{ name: 'says' }, { name: 'rows' }],
  nodes: [
    {
      id: 'make',
      type: 'python',
      source: make,
      worker: first,
      ports: [port('input', 'n', 'int'), port('output', 'rows', 'array')],
      ...more,
    },
    {
      id: 'sum',
      type: 'python',
      source: sum,
      worker: second,
      ports: [port('input', 'rows', 'array'), port('output', 'says', 'array')],
    },
  ],
})

test.skipIf(python === null)('values go from engine to worker, back, and between workers', slow, async () => {
  await using at = await startService({ python: python! })
  await Promise.all(['one', 'two'].map((name) => startAgent(at, name)))
  const says = [12_000, 71_994_000, 'ä😀', 'float']
  let digest: unknown = null
  for (const [first, second] of [
    [null, 'one'],
    ['one', null],
    ['one', 'two'],
  ] as const) {
    const name = `${first}-${second}`
    // oxlint-disable no-await-in-loop -- one after the other
    await publishFlow(at.client, name, flow(first, second))
    const { id } = await at.client.http.runs.submit({ name, no_cache: true })
    const { result, error } = await at.client.wait(id)
    expect([error, result?.['says']]).toEqual([null, says])
    const rows = result?.['rows'] as { digest: string; media_type: string; size: number }
    expect(rows).toMatchObject({ media_type: 'application/vnd.flow-service.value+json' })
    expect(rows.size).toBeGreaterThan(262_144)
    digest ??= rows.digest
    expect(rows.digest).toBe(digest)
    const { outputs } = await at.client.http.runs.nodeOutputs({ id, node: 'make' })
    expect(outputs).toEqual({ rows })
    // oxlint-enable no-await-in-loop
  }
})

test.skipIf(python === null)('code that is given a secret has nothing of what it returns stored', async () => {
  await using at = await startService({ python: python! })
  await at.client.http.secrets.set({ name: 'key', value: 'much-too-secret-1' })
  const source = 'def run(n, key):\n    return {"rows": [key] * 50000}\n'
  const length = 'def run(rows):\n    return {"says": [len(rows), len(rows[0])]}\n'
  const hidden = flow(null, null, { source, settings: { key: { $secret: 'key' } } })
  hidden.nodes[1]!.source = length
  await publishFlow(at.client, 'hidden', hidden)
  const { id } = await at.client.http.runs.submit({ name: 'hidden' })
  const { result, error } = await at.client.wait(id)
  expect([error, result?.['says']]).toEqual([null, [50_000, 17]])
  const { digest } = (result ?? {})['rows'] as { digest: string }
  const text = await (
    await fetch(`${at.baseUrl}/artifacts/${digest}`, { headers: { authorization: `Bearer ${at.token}` } })
  ).text()
  expect(text).not.toContain('much-too-secret')
})

test('TypeScript stages get values as they were returned', async () => {
  const project = mkdtempSync(join(tmpdir(), 'stored-'))
  try {
    const flows = join(project, 'flows')
    mkdirSync(flows)
    writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
    symlinkSync(join(import.meta.dirname, '../examples/quickstart/node_modules'), join(project, 'node_modules'))
    writeFileSync(
      join(flows, 'typed.ts'),
      `import { batchFlow, input, stage, t } from '@flow-service/flow-sdk'
export const fill = stage('fill', { in: { n: t.int }, out: { rows: t.array }, run: ({ n }) => ({ rows: Array.from({ length: n }, (_, at) => ({ at, text: 'ä😀\\\\u0000' })) }) })
export const count = stage('count', { in: { rows: t.array }, out: { says: t.array }, run: ({ rows }) => ({ says: [rows.length, (rows.at(-1) as { text: string }).text] }) })
export const typed = batchFlow('typed', { n: input(t.int, 30000) }, (p, use) => {
  const { rows } = use(fill, { n: p.n })
  const { says } = use(count, { rows })
  return { says, rows }
})
`,
    )
    await using at = await startService({ flows })
    expect(at.service.loadErrors).toEqual([])
    const { id } = await at.client.http.runs.submit({ name: 'typed' })
    const { result, error } = await at.client.wait(id)
    expect([error, result?.['says']]).toEqual([null, [30_000, 'ä😀\\u0000']])
    const { digest, size } = (result ?? {})['rows'] as { digest: string; size: number }
    const answer = await fetch(`${at.baseUrl}/artifacts/${digest}`, {
      headers: { authorization: `Bearer ${at.token}` },
    })
    const bytes = Buffer.from(await answer.arrayBuffer())
    expect([bytes.length, `sha256:${createHash('sha256').update(bytes).digest('hex')}`]).toEqual([size, digest])
  } finally {
    rmSync(project, { recursive: true, force: true })
  }
})
