import { batchFlow, input, liveFlow, stage, t } from '@flow-service/flow-sdk'
import { expectTypeOf, test } from 'vitest'

import { type Client, grid, repeat } from '../src/index.ts'

const work = stage('work', { in: { n: t.int, raw: t.str }, out: { y: t.float }, run: ({ n }) => ({ y: n }) })
const optional = batchFlow('optional', { n: input(t.int, 1), raw: input(t.str, '') }, (p, use) => use(work, p))
const required = batchFlow('required', { n: input(t.int, 1), raw: t.str }, (p, use) => use(work, p))
const live = liveFlow('live', { temp: t.float, frame: t.image }, () => {})

test('parameters and results are those of the flow object', async () => {
  const client = {} as Client
  const result = await (await client.submit(optional)).result()
  expectTypeOf(result.y).toEqualTypeOf<number>()
  await client.submit(required, { params: { raw: 'x' } })
  // @ts-expect-error a misspelled parameter
  await client.submit(optional, { params: { m: 1 } })
  // @ts-expect-error a parameter of another type
  await client.submit(optional, { params: { n: 'many' } })
  // @ts-expect-error a parameter without an initial value is left out
  await client.submit(required, { params: { n: 2 } })
  // @ts-expect-error the same, with no parameters at all
  await client.submit(required)
  // @ts-expect-error no such result
  expectTypeOf(result.z)
})

test('sweeps and plans take the parameters of the flow', async () => {
  const client = {} as Client
  const { runs } = await client.sweep(optional, { grid: { n: [1, 2] }, seeds: [3] })
  expectTypeOf((await runs[0]!.result()).y).toEqualTypeOf<number>()
  await client.plan(optional, { runs: [{ n: 1 }, { raw: 'x' }] })
  await client.plan(optional, { params: { n: 1 }, seed: 4 })
  // and without a flow object, by its name
  await client.runs.sweep({ name: 'optional', ...repeat(grid({ n: [1, 2] }), [3]) })
  // @ts-expect-error a misspelled axis
  await client.sweep(optional, { grid: { m: [1] } })
  // @ts-expect-error values of another type
  await client.sweep(optional, { grid: { n: ['many'] } })
  // @ts-expect-error a list and a grid at once
  await client.sweep(optional, { grid: { n: [1] }, runs: [{}] })
})

test('a message takes values of its type alone', async () => {
  const client = {} as Client
  await client.publish(live.messages.temp, 21.5)
  // @ts-expect-error a string is no temperature
  await client.publish(live.messages.temp, 'warm')
  for await (const { value } of client.subscribe(live.messages.temp)) expectTypeOf(value).toEqualTypeOf<number>()
})

test('media are those of messages that refer to bytes', async () => {
  const client = {} as Client
  for await (const frame of client.media([live.messages.frame, 'other.frame'])) {
    expectTypeOf(frame.message).toEqualTypeOf<string>()
    expectTypeOf(frame.bytes).toEqualTypeOf<Uint8Array<ArrayBuffer>>()
  }
  // @ts-expect-error a temperature has no bytes
  client.media([live.messages.temp])
})
