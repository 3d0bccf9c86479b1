import type { MetricComparison } from '@flow-service/protocol'
import { expect, test } from 'vitest'

import { publish, startService } from './service.ts'

const train = {
  mode: 'batch',
  inputs: [{ name: 'lr', dtype: 'float', initial: 0.5 }],
  outputs: [{ name: 'best' }],
  nodes: [
    {
      id: 'fit',
      type: 'python',
      source:
        'def run(lr):\n    for step in range(3):\n        yield {"loss": lr * step}\n    return {"best": float("inf")}\n',
      ports: [
        { direction: 'input', name: 'lr', dtype: 'float' },
        { direction: 'output', name: 'loss', dtype: 'float', stream: true },
        { direction: 'output', name: 'best', dtype: 'float' },
      ],
    },
  ],
}

test('points of Python code reach the event socket while the run goes on, and then names, comparison and exports [R510, R511, R513, R514]', async () => {
  await using at = await startService()
  await publish(at, 'train', train)
  const frames = at.client.events()
  await frames.next()
  const { id } = await at.client.http.runs.submit({ name: 'train', params: { lr: 2 } })
  const told: unknown[] = []
  for (let isOver = false; !isOver;) {
    const { value: frame } = await frames.next()
    if (frame?.type === 'value' && frame.message === 'train.loss') told.push([frame.run, frame.step, frame.value])
    isOver = frame?.type === 'run' && frame.run.id === id && frame.run.status === 'ok'
  }
  await frames.return(undefined)
  // told before the end, each with the step that it is stored under
  expect(told).toEqual([
    [id, 0, 0],
    [id, 1, 2],
    [id, 2, 4],
  ])
  expect((await at.send('GET', '/runs/metrics/names?flow=train')).body).toEqual([{ name: 'train.loss', runs: 1 }])
  const compared = await at.send('GET', `/runs/series/compare?ids=${id}&metric=train.loss`)
  expect((compared.body as unknown as MetricComparison).series).toMatchObject([
    {
      run: id,
      params: { lr: 2 },
      points: [
        { x: 0, y: 0 },
        { x: 1, y: 2 },
        { x: 2, y: 4 },
      ],
    },
  ])
  const text = async (path: string) => {
    const response = await fetch(`${at.baseUrl}${path}`, { headers: { authorization: `Bearer ${at.token}` } })
    expect([response.status, response.headers.get('content-length')]).toEqual([200, null])
    return response.text()
  }
  const runs = (await text('/runs/export/runs')).split('\r\n')
  expect(runs[0]).toMatch(/,params\.lr,metrics\.best$/)
  expect(runs[1]).toMatch(new RegExp(`^${id},train,ok,.*,2,inf$`))
  const points = (await text('/runs/export/metrics?format=jsonl&params=lr')).trim().split('\n')
  expect(points.map((line) => JSON.parse(line) as unknown)).toMatchObject(
    [0, 1, 2].map((step) => ({ run: id, flow: 'train', name: 'train.loss', step, value: 2 * step, params: { lr: 2 } })),
  )
})
