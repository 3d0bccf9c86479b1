/** Arrays of numpy from one Python node of a flow to another, and to who downloads them. */
import { expect, test } from 'vitest'

import { pythonWith } from './components/python-packages.ts'
import { publishFlow } from './documents.ts'
import { startService } from './service.ts'

const python = pythonWith('numpy')

const make = `import numpy as np
def run():
    for step in (1, 2):
        yield {"images": np.full((2, 2), step, "u1")}
    return {"weights": np.arange(300_000, dtype="f4").reshape(3, -1)}
`
const sum = `def run(weights):
    array = to_numpy(weights)
    return {"total": float(array.sum(dtype="f8")), "shape": list(array.shape)}
`
const flow = {
  mode: 'batch',
  outputs: [{ name: 'total' }, { name: 'shape' }, { name: 'weights' }],
  nodes: [
    {
      id: 'make',
      type: 'python',
      source: make,
      ports: [
        { direction: 'output', name: 'images', dtype: 'artifact', stream: true },
        { direction: 'output', name: 'weights', dtype: 'artifact' },
      ],
    },
    {
      id: 'sum',
      type: 'python',
      source: sum,
      ports: [
        { direction: 'input', name: 'weights', dtype: 'artifact' },
        { direction: 'output', name: 'total', dtype: 'float' },
        { direction: 'output', name: 'shape', dtype: 'array' },
      ],
    },
  ],
}

test.skipIf(python === null)(
  'an array goes from node to node as an artifact, which the run has and who may downloads',
  async () => {
    await using at = await startService({ python: python as string })
    await publishFlow(at.client, 'arrays', flow)
    const { id } = await at.client.http.runs.submit({ name: 'arrays' })
    const run = await at.client.wait(id)
    expect([run.status, run.error]).toEqual(['ok', null])
    expect(run.result).toMatchObject({ total: 44_999_850_000, shape: [3, 100_000] })
    expect(run.artifacts.map(({ port, name }) => [port, name])).toEqual([
      ['images', 'images.npy'],
      ['images', 'images.npy'],
      ['weights', 'weights.npy'],
    ])
    const file = await fetch(`${at.baseUrl}/artifacts/${run.artifacts[2]?.digest}`, {
      headers: { authorization: `Bearer ${at.token}` },
    })
    expect(file.headers.get('content-type')).toBe('application/x-npy')
    const data = Buffer.from(await file.arrayBuffer())
    expect([data.toString('latin1', 1, 6), data.length, data.readFloatLE(128 + 4 * 299_999)]).toEqual([
      'NUMPY',
      1_200_128,
      299_999,
    ])
  },
)
