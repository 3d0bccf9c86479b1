import { createClient, TrackCancelled, type TrackedRun } from '@flow-service/client-sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { startService, type TestService } from './service.ts'

let at: TestService
beforeAll(async () => {
  at = await startService()
})
afterAll(() => at[Symbol.asyncDispose]())

const stepsOf = async (id: string, name: string): Promise<number[] | undefined> => {
  const curves = await at.client.http.runs.metrics({ id, stride: 1 })
  return curves.find((curve) => curve.name === name)?.points.map(({ step }) => step)
}

test('a program logs its run, and ends it', async () => {
  const run = await at.client.track('fit', { params: { lr: 0.1 }, tags: ['a'], seed: 3, everyMs: 5 })
  for (let epoch = 0; epoch < 3; epoch += 1) run.log({ loss: 1 / (epoch + 1), acc: Number.NaN })
  run.log({ loss: 0.1 }, { step: 10 })
  run.print('done\n')
  run.params({ batch: 64 })
  run.result({ f1: 0.5 })
  await run.artifact('weights', 'model.txt')
  await run.end()
  expect(await at.client.http.runs.get({ id: run.id })).toMatchObject({
    flow: 'fit',
    status: 'ok',
    origin: 'track',
    seed: 3,
    tags: ['a'],
    params: { lr: 0.1, batch: 64 },
    result: { f1: 0.5 },
    artifacts: [{ name: 'model.txt', size: 7 }],
    nodes: [{ node: 'track', logs: 'done\n' }],
  })
  expect(await stepsOf(run.id, 'fit.loss')).toEqual([0, 1, 2, 10])
  expect(await stepsOf(run.id, 'fit.acc')).toEqual([0, 1, 2])
  expect(() => run.log({ loss: 1 })).toThrow(/has ended/)
})

test('an error ends it with what it was', async () => {
  const run = await at.client.track('fit')
  await run.end({ error: new TypeError('no data') })
  expect(await at.client.http.runs.get({ id: run.id })).toMatchObject({
    status: 'error',
    error: { type: 'TypeError', message: 'no data' },
  })
})

test('an engine that is gone, and answers that are lost, lose no point and double none', async () => {
  let calls = 0
  let logged = 0
  let run: TrackedRun | null = null
  const enough = Promise.withResolvers<void>()
  const log = (): void => run?.log({ loss: logged++ })
  // of three requests one does not arrive, and of one the answer is lost; meanwhile the program goes on
  const torn: typeof fetch = async (...request) => {
    const url = String(request[0] instanceof Request ? request[0].url : request[0])
    if (!/\/runs\/[^/]+\/track$/.test(url)) return fetch(...request)
    calls += 1
    if (calls < 12) log()
    else enough.resolve()
    if (calls % 3 === 0) throw new TypeError('fetch failed')
    const response = await fetch(...request)
    if (calls % 3 === 1) throw new TypeError('fetch failed')
    return response
  }
  const client = createClient({ baseUrl: at.baseUrl, token: at.token, fetch: torn })
  run = await client.track('fit', { everyMs: 1 })
  log()
  await enough.promise
  await run.end()
  expect(await stepsOf(run.id, 'fit.loss')).toEqual(Array.from({ length: logged }, (_, step) => step))
  expect(logged).toBe(12)
})

test('a cancellation aborts its signal, and the next log throws', async () => {
  const run: TrackedRun = await at.client.track('fit', { everyMs: 1 })
  run.log({ loss: 1 })
  await at.client.http.runs.cancel({ id: run.id })
  const logs = (): string => {
    try {
      run.log({ loss: 2 })
      return 'logged'
    } catch (error) {
      return error instanceof TrackCancelled ? 'cancelled' : String(error)
    }
  }
  await expect.poll(logs).toBe('cancelled')
  expect(run.signal.aborted).toBe(true)
  await expect(run.end()).rejects.toThrow(TrackCancelled)
  expect((await at.client.http.runs.get({ id: run.id })).status).toBe('cancelled')
})

test('what the engine refuses is thrown by what comes next', async () => {
  await expect(at.client.track('no name')).rejects.toMatchObject({ status: 422 })
  const run = await at.client.track('fit', { everyMs: 1 })
  run.log({ 'no name': 1 })
  await expect(run.end()).rejects.toMatchObject({ status: 422 })
})
