/**
 * A value of 10 MB of JSON from one Python stage to the next, stored by the engine on its way, against the same stages that
 * write JSON to an artifact and read it by hand. The rounds alternate; the fastest run of each kind counts, for whatever else
 * runs on the machine can only slow one down.
 */
import { expect, test } from 'vitest'

import { python } from '../test/components/pythons.ts'
import { publishFlow } from '../test/documents.ts'
import { startService } from '../test/service.ts'

const ROUNDS = 8

const make = 'rows = [{"at": at, "half": at / 2, "text": "abcdefghij" * 3} for at in range(150000)]'
const kinds = {
  value: {
    dtype: 'array',
    make: `def run(n):\n    ${make}\n    return {"rows": rows}\n`,
    read: 'def run(rows):\n    return {"out": len(rows)}\n',
  },
  'by hand': {
    dtype: 'artifact',
    make: `import json\ndef run(n):\n    ${make}\n    return {"rows": save_artifact(json.dumps(rows, separators=(",", ":")).encode())}\n`,
    read: 'import json\ndef run(rows):\n    return {"out": len(json.loads(load_artifact(rows)))}\n',
  },
} as const

const port = (direction: string, name: string, dtype: string) => ({ direction, name, dtype })
const flow = ({ dtype, make: first, read }: (typeof kinds)[keyof typeof kinds]) => ({
  mode: 'batch',
  inputs: [{ name: 'n', dtype: 'int', initial: 0 }],
  outputs: [{ name: 'out' }],
  nodes: [
    ['make', first, port('input', 'n', 'int'), port('output', 'rows', dtype)] as const,
    ['read', read, port('input', 'rows', dtype), port('output', 'out', 'int')] as const,
  ].map(([id, source, ...ports]) => ({ id, type: 'python', source, ports, cache: false })),
})

test.skipIf(python === null)('a value of 10 MB takes hardly longer than an artifact by hand', async () => {
  await using at = await startService({ python: python! })
  for (const [name, kind] of Object.entries(kinds)) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await publishFlow(at.client, name.replace(' ', '-'), flow(kind))
  }
  const seconds = async (name: string, round: number): Promise<number> => {
    const begun = performance.now()
    const { id } = await at.client.http.runs.submit({ name, params: { n: round } })
    const { result } = await at.client.wait(id)
    expect(result).toEqual({ out: 150_000 })
    return (performance.now() - begun) / 1000
  }
  const fastest = { value: Number.POSITIVE_INFINITY, 'by-hand': Number.POSITIVE_INFINITY }
  for (let round = 0; round < ROUNDS; round++) {
    for (const name of ['value', 'by-hand'] as const) {
      // oxlint-disable-next-line no-await-in-loop -- they are not to slow each other down
      fastest[name] = Math.min(fastest[name], await seconds(name, round))
    }
  }
  const ratio = fastest.value / fastest['by-hand']
  console.log(
    `10 MB: value ${fastest.value.toFixed(3)} s, by hand ${fastest['by-hand'].toFixed(3)} s, ratio ${ratio.toFixed(2)}`,
  )
  expect(ratio).toBeLessThan(2)
})
