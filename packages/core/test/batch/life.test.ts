/** The life of a node of a run: its start, its work, its stop, and what a cancel or a bound of time does to them. */
import type { NodeContext, NodeInstance } from '@flow-service/connector-sdk'
import { expect, test } from 'vitest'

import { batch, type } from '../documents.ts'
import { turn } from '../turn.ts'
import { run } from './batch-run.ts'

const never = (): Promise<never> => new Promise(() => {})
const cancelled = { status: 'cancelled', result: null, error: null }

/** A run of one node, and what has happened in it; `beginning` is what comes before the node. */
function life(
  start: (ctx: NodeContext, said: string[]) => NodeInstance | Promise<NodeInstance>,
  beginning?: (controller: AbortController) => void,
) {
  const said: string[] = []
  const controller = new AbortController()
  const at = run(batch([{ id: 'n', type: 'witness' }]), {
    types: [type('witness', (ctx) => start(ctx, said))],
    signal: controller.signal,
    beginning: async () => beginning?.(controller),
  })
  void at.outcome.then(({ status }) => said.push(status))
  const logs = (): string[] => at.events.flatMap((event) => (event.kind === 'log' ? [event.text] : []))
  return { ...at, said, controller, logs }
}

test('a cancelled node is stopped, and the run ends when that is over [batch.B8]', async () => {
  const stopping = Promise.withResolvers<void>()
  const { outcome, said, controller } = life((_ctx, told) => ({
    onTrigger: never,
    async stop() {
      told.push('stops')
      await stopping.promise
      told.push('has stopped')
    },
  }))
  await turn()
  controller.abort()
  await turn()
  expect(said).toEqual(['stops'])
  stopping.resolve()
  expect(await outcome).toEqual(cancelled)
  expect(said).toEqual(['stops', 'has stopped', 'cancelled'])
})

test('a cancel while a node stops after its work is a cancel of the node', async () => {
  const stopping = Promise.withResolvers<void>()
  const { outcome, controller } = life(() => ({ onTrigger: () => undefined, stop: () => stopping.promise }))
  await turn()
  controller.abort()
  stopping.resolve()
  expect(await outcome).toEqual(cancelled)
})

test('a node whose run is cancelled as it begins is not started', async () => {
  const { outcome, said } = life(
    (_ctx, told) => {
      told.push('starts')
      return { onTrigger: () => void told.push('works'), stop: () => void told.push('stops') }
    },
    (controller) => controller.abort(),
  )
  expect(await outcome).toEqual(cancelled)
  expect(said).toEqual(['cancelled'])
})

test('a stop has ten seconds: the run goes on without it, and the log of the node tells', async () => {
  const { outcome, host, logs, said } = life(() => ({ onTrigger: () => undefined, stop: never }))
  await host.advance(9_999)
  expect(said).toEqual([])
  await host.advance(1)
  expect(await outcome).toMatchObject({ status: 'ok' })
  expect(logs()).toEqual(['the node did not stop cleanly: it took longer than 10 s'])
})

test('a failing stop is told in the log of the node, and is no failure of the run', async () => {
  const { outcome, logs } = life(() => ({
    onTrigger: () => undefined,
    stop() {
      throw new RangeError('no')
    },
  }))
  expect(await outcome).toMatchObject({ status: 'ok' })
  expect(logs()).toEqual(['the node did not stop cleanly: RangeError: no'])
})

test.each<[string, () => never | Promise<never>]>([
  [
    'at once',
    () => {
      throw new RangeError('no')
    },
  ],
  ['later', () => Promise.reject(new RangeError('no'))],
])('a start that fails %s is the error of the node', async (_when, start) => {
  const { outcome } = life(start)
  expect(await outcome).toMatchObject({ status: 'error', error: { node: 'n', type: 'StartError', message: 'no' } })
})

test('a start has ten seconds; what comes later is stopped', async () => {
  const starting = Promise.withResolvers<NodeInstance>()
  const { outcome, host, said } = life(() => starting.promise)
  await host.advance(9_999)
  expect(said).toEqual([])
  await host.advance(1)
  const message = 'node "n" took longer than 10 s to start'
  expect(await outcome).toMatchObject({ status: 'error', error: { type: 'StartError', message } })
  starting.resolve({ stop: () => void said.push('stops') })
  await turn()
  expect(said).toEqual(['error', 'stops'])
})

test('a cancel waits for no start; what comes later is stopped, and no timer is left', async () => {
  const starting = Promise.withResolvers<NodeInstance>()
  const { outcome, host, said, controller } = life(() => starting.promise)
  await turn()
  controller.abort()
  expect(await outcome).toEqual(cancelled)
  expect(host.clock.pending).toBe(0)
  starting.resolve({ stop: () => void said.push('stops') })
  await turn()
  expect(said).toEqual(['cancelled', 'stops'])
})
