/** How long the failure marker of a live node stays. */
import { expect, test } from 'vitest'

import { type LiveFlow, LiveRuntime, NodeRegistry } from '../../src/index.ts'
import { flow, input, type } from '../documents.ts'
import { engine } from './live-engine.ts'

/** Fails with every value, and tells it. */
const picky = {
  ...type('picky', () => ({
    onValue(_port, value) {
      throw new RangeError(`${String(value)} is too much`)
    },
  })),
  settings: type('x', () => ({})).settings.loose(),
}

const reading = (settings: object = {}, { name = 'f', ...more } = {}) =>
  flow(
    [
      { id: 'a', type: 'picky', settings: { ...settings }, ports: [input('x')], ...more },
      { id: 'b', type: 'picky', ports: [input('y')] },
    ],
    { name },
  )

const marks = (live: LiveFlow | undefined): (string | null)[] =>
  live?.nodeStates().map(({ error }) => error?.message ?? null) ?? []

/** A flow whose first node has failed. */
async function failing() {
  const own = engine([picky], { secrets: {} })
  const live = await own.start(reading())
  own.runtime.publish('f.x', 1)
  await live.idle()
  expect(marks(live)).toEqual(['1 is too much', null])
  return { ...own, live }
}

test('it stays over a stop and a start, until it is acknowledged', async () => {
  const { host, live, runtime, start } = await failing()
  await live.stop()
  const [state] = runtime.failedNodes(reading())
  expect(state).toEqual({
    flow: 'f',
    node: 'a',
    status: 'failed',
    health: 'ok',
    message: null,
    error: { type: 'RangeError', message: '1 is too much', traceback: expect.any(String), ts: expect.any(String) },
  })
  const again = await start(reading())
  expect(again.nodeStates()).toMatchObject([{ status: 'failed', error: state?.error }, { status: 'idle' }])
  expect(again.acknowledge('a')).toMatchObject({ status: 'idle', error: null })
  expect(host.events.at(-1)).toMatchObject({ type: 'node', node: 'a', status: 'idle', error: null })
  await again.stop()
  expect(runtime.failedNodes(reading())).toEqual([])
  expect(marks(await start(reading()))).toEqual([null, null])
})

test('it stays when the node is made anew with an equal content, and goes when that changes', async () => {
  const { host, live } = await failing()
  const titled = reading({}, { title: 'A' } as object)
  expect(await live.rebuild(titled, { restart: true })).toEqual(['a', 'b'])
  expect(marks(live)).toEqual(['1 is too much', null])
  expect(await live.rebuild(reading({ limit: 2 }))).toEqual(['a'])
  expect(marks(live)).toEqual([null, null])
  expect(host.events.at(-1)).toMatchObject({ type: 'node', node: 'a', status: 'idle', error: null })
  expect(host.markers.of('f').size).toBe(0)
})

test('the settings of a node are its content in any order', async () => {
  const { start, runtime } = engine([picky])
  const live = await start(reading({ low: 1, high: 2 }))
  runtime.publish('f.x', 3)
  await live.idle()
  await live.stop()
  expect(marks(await start(reading({ high: 2, low: 1 })))).toEqual(['3 is too much', null])
})

test.each([
  ['another content', reading({ limit: 2 })],
  ['no such node', flow([{ id: 'b', type: 'picky', ports: [input('y')] }])],
])('a start with %s clears it, also for the first content', async (_, other) => {
  const { live, runtime, start } = await failing()
  await live.stop()
  expect(runtime.failedNodes(other)).toEqual([])
  await (await start(other)).stop()
  expect(marks(await start(reading()))).toEqual([null, null])
})

test('under another name of the flow it is the same content', async () => {
  const { host, live, start } = await failing()
  await live.stop()
  for (const [node, marker] of host.markers.of('f')) host.markers.set('g', node, marker)
  expect(marks(await start(reading({}, { name: 'g' })))).toEqual(['1 is too much', null])
})

test('the version of the package that brings the type is content', async () => {
  const { host, live } = await failing()
  const installed = (version: string) => ({
    types: [{ definition: picky, origin: { package: 'acme', version } }],
    absent: new Map<string, string>(),
  })
  const runtimeOf = (version: string) => new LiveRuntime(host, new NodeRegistry([], installed(version)))
  await live.stop()
  const first = runtimeOf('1.0.0')
  expect(first.failedNodes(reading())).toEqual([])
  const packaged = await first.start(reading())
  first.publish('f.x', 2)
  await packaged.idle()
  await packaged.stop()
  expect(runtimeOf('1.0.0').failedNodes(reading())).toHaveLength(1)
  expect(runtimeOf('1.0.1').failedNodes(reading())).toEqual([])
})

test('a value of a secret is content', async () => {
  const secrets: Record<string, string> = { token: 'first value' }
  const own = engine([picky], { secrets })
  const document = reading({ key: { $secret: 'token' } })
  const live = await own.start(document)
  own.runtime.publish('f.x', 1)
  await live.idle()
  await live.stop()
  expect(own.runtime.failedNodes(document)).toHaveLength(1)
  secrets['token'] = 'second value'
  expect(own.runtime.failedNodes(document)).toEqual([])
  expect(marks(await own.start(document))).toEqual([null, null])
})

test('a rebuild that is not committed leaves it', async () => {
  const { live } = await failing()
  const commit = (): Promise<void> => Promise.reject(new Error('no disk'))
  await expect(live.rebuild(reading({ limit: 2 }), { commit })).rejects.toThrow('no disk')
  expect(marks(live)).toEqual(['1 is too much', null])
})

test('a flow that starts neither with the new content nor with the old one keeps it', async () => {
  let isBroken = false
  const shy = type('shy', () => {
    if (isBroken) throw new Error('no broker')
    return {
      onValue() {
        throw new Error('no such door')
      },
    }
  })
  const { start, runtime } = engine([{ ...shy, settings: picky.settings }])
  const document = (settings = {}) => flow([{ id: 'a', type: 'shy', settings, ports: [input('x')] }])
  const live = await start(document())
  runtime.publish('f.x', 1)
  await live.idle()
  isBroken = true
  await expect(live.rebuild(document({ limit: 2 }))).rejects.toThrow('no broker')
  expect(runtime.failedNodes(document())).toMatchObject([{ error: { message: 'no such door' } }])
})

test('the host hears of each failure, also of one that is known', async () => {
  const { host, live, runtime } = await failing()
  const heard: unknown[] = []
  host.nodeFailed = (failure) => void heard.push(failure)
  for (const value of [1, 1, 2]) runtime.publish('f.x', value)
  await live.idle()
  const failure = (message: string) => ({
    flow: 'f',
    node: 'a',
    run: null,
    type: 'RangeError',
    message,
    traceback: expect.any(String),
  })
  expect(heard).toEqual([failure('1 is too much'), failure('1 is too much'), failure('2 is too much')])
})
