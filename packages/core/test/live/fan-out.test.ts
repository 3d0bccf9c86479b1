/** A message that many nodes read: each is given it in its turn, whatever is done to the flow before all of them had it (loop.L7). */
import { expect, test } from 'vitest'

import { flow, input, output, type } from '../documents.ts'
import { engine } from './live-engine.ts'
import { anySettings, rebuild } from './rebuilding.ts'

const readers = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ id: `n${at}`, type: 'heard', ports: [input('x')] }))

/** Notes who has had which value, and calls back at one of the nodes. */
function heard() {
  const told: string[] = []
  const at: { node: string; act: () => void } = { node: '', act: () => {} }
  const definition = type('heard', ({ node }) => ({
    onValue(_port, value) {
      told.push(`${node}:${String(value)}`)
      if (node === at.node) at.act()
    },
  }))
  return { told, at, definition: { ...definition, settings: anySettings } }
}

test('the deliveries of one message come before those of the next, and what they cause comes after both', async () => {
  const { told, definition } = heard()
  const { start, runtime } = engine([definition])
  const live = await start(
    flow([
      ...readers(3),
      { id: 'pass', type: 'pass', ports: [input('x'), output('y')] },
      { id: 'last', type: 'heard', ports: [input('y')] },
    ]),
  )
  runtime.publish('f.x', 1)
  runtime.publish('f.x', 2)
  await live.idle()
  expect(told).toEqual(['n0:1', 'n1:1', 'n2:1', 'n0:2', 'n1:2', 'n2:2', 'last:1', 'last:2'])
})

test('a pause in the middle holds the rest, one by one, and all of what comes', async () => {
  const { told, at, definition } = heard()
  const { start, runtime } = engine([definition])
  const live = await start(flow(readers(5)))
  Object.assign(at, { node: 'n1', act: () => live.pause() })
  runtime.publish('f.x', 1)
  runtime.publish('f.x', 2)
  await live.idle()
  runtime.publish('f.x', 3)
  expect([told, live.held]).toEqual([['n0:1', 'n1:1'], 13])
  at.node = ''
  expect([live.step(), live.step()]).toEqual([1, 1])
  expect([told.slice(2), live.held]).toEqual([['n2:1', 'n3:1'], 11])
  live.resume()
  await live.idle()
  expect(told.slice(4, 7)).toEqual(['n4:1', 'n0:2', 'n1:2'])
  expect([told.length, new Set(told).size]).toEqual([15, 15])
})

test('a stop in the middle gives the rest up, and the cascade is over', async () => {
  const { told, at, definition } = heard()
  const { start, runtime, host } = engine([definition])
  const live = await start(flow(readers(5)))
  let stopped: Promise<void> | undefined
  Object.assign(at, { node: 'n1', act: () => (stopped = live.stop()) })
  runtime.publish('f.x', 1)
  await live.idle()
  await stopped
  expect(told).toEqual(['n0:1', 'n1:1'])
  expect(host.deadLetters.map(({ node, reason }) => `${node} ${reason}`)).toEqual([
    'n2 stopped',
    'n3 stopped',
    'n4 stopped',
  ])
  expect(host.cascades.map(({ executions, status }) => [executions, status])).toEqual([[2, 'abandoned']])
})

test('a node that is made anew in the middle has what its predecessor has not had', async () => {
  const { told, at, definition } = heard()
  const own = engine([definition])
  const live = await own.start(flow(readers(4)))
  const next = flow(readers(4).map((node) => (node.id === 'n2' ? { ...node, settings: { form: 2 } } : node)))
  let rebuilt: Promise<unknown> | undefined
  Object.assign(at, { node: 'n1', act: () => (rebuilt ??= rebuild(own, live, next)) })
  own.runtime.publish('f.x', 1)
  await live.idle()
  expect(await rebuilt).toEqual(['n2'])
  await live.idle()
  expect(told.toSorted()).toEqual(['n0:1', 'n1:1', 'n2:1', 'n3:1'])
})

test('a reader that comes while a message waits has those after it alone', async () => {
  const { told, definition } = heard()
  const { start, runtime } = engine([definition])
  const live = await start(flow(readers(3), { name: 'f' }))
  const other = flow([{ id: 'late', type: 'heard', ports: [input('f.x')] }], { name: 'g' })
  runtime.publish('f.x', 1)
  const late = await start(other)
  runtime.publish('f.x', 2)
  await live.idle()
  await late.idle()
  expect(told.filter((text) => text.startsWith('late'))).toEqual(['late:2'])
  expect(told).toHaveLength(7)
})
