/** Runs of flows that the engine has in memory (`readLast`), and that were changed since. */
import type { FlowDocumentInput, Run } from '@flow-service/protocol'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { scaled } from '../runs/flows.ts'
import { type LiveService, startLive } from './live-service.ts'

let at: LiveService
beforeEach(async () => {
  at = await startLive()
})
afterEach(() => at[Symbol.asyncDispose]())

const batch = (...of: Parameters<typeof scaled>): FlowDocumentInput => ({ mode: 'batch', ...scaled(...of) })
const submit = (name: string, params: object = {}) => at.root<Run>('POST', `/runs/flows/${name}`, { params })
const resultOf = async ({ value: { id } }: { value: Run }): Promise<unknown> => {
  await expect.poll(async () => (await at.root<Run>('GET', `/runs/${id}`)).value.status).toBe('ok')
  return (await at.root<Run>('GET', `/runs/${id}`)).value.result
}

describe('a run that is submitted again', () => {
  beforeEach(async () => {
    await at.publish('sum', batch(2))
    for (let times = 0; times < 2; times++) await resultOf(await submit('sum', { x: 3 }))
  })

  test('executes what was published since, with the inputs of that', async () => {
    await at.next('sum', batch(5, 'z'))
    const run = await submit('sum', { z: 3 })
    expect(run.value).toMatchObject({ status: 'queued', params: { z: 3 } })
    expect(await resultOf(run)).toEqual({ y: 15 })
    expect(await submit('sum', { x: 3 })).toMatchObject({ status: 422, problem: { code: 'validation_failed' } })
  })

  test('finds the flow by the name that it has, and not by that of before', async () => {
    expect((await at.root('POST', '/flows/sum/rename', { name: 'total' })).status).toBe(200)
    expect(await submit('sum')).toMatchObject({ status: 404, problem: { code: 'not_found' } })
    const run = await submit('total', { x: 4 })
    expect(run.value.flow).toBe('total')
    expect(await resultOf(run)).toEqual({ y: 8 })
  })

  test('is of the flow that has the name now', async () => {
    expect((await at.root('DELETE', '/flows/sum')).status).toBe(204)
    expect(await submit('sum')).toMatchObject({ status: 404 })
    await at.publish('sum', batch(7))
    expect(await resultOf(await submit('sum', { x: 1 }))).toEqual({ y: 7 })
  })

  test('is known by its key', async () => {
    const again = () => at.root<Run>('POST', '/runs/flows/sum', { params: { x: 1 }, idempotency_key: 'once' })
    const [first, second] = [await again(), await again()]
    expect(second.value.id).toBe(first.value.id)
  })
})
