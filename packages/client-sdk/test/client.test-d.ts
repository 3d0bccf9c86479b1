import { batchFlow, input, liveFlow, stage, t } from '@flow-service/flow-sdk'
import { expectTypeOf, test } from 'vitest'

import { type Client, grid, repeat } from '../src/index.ts'

const work = stage('work', { in: { n: t.int, raw: t.str }, out: { y: t.float }, run: ({ n }) => ({ y: n }) })
const optional = batchFlow('optional', { n: input(t.int, 1), raw: input(t.str, '') }, (p, use) => use(work, p))
const required = batchFlow('required', { n: input(t.int, 1), raw: t.str }, (p, use) => use(work, p))
const live = liveFlow('live', { temp: t.float, frame: t.image }, () => {})

test('parameters and results are those of the flow object', async () => {
  const client = {} as Client
  const result = await (await client.runs.submit(optional)).result()
  expectTypeOf(result.y).toEqualTypeOf<number>()
  await client.runs.submit(required, { params: { raw: 'x' } })
  // @ts-expect-error a misspelled parameter
  await client.runs.submit(optional, { params: { m: 1 } })
  // @ts-expect-error a parameter of another type
  await client.runs.submit(optional, { params: { n: 'many' } })
  // @ts-expect-error a parameter without an initial value is left out
  await client.runs.submit(required, { params: { n: 2 } })
  // @ts-expect-error the same, with no parameters at all
  await client.runs.submit(required)
  // @ts-expect-error no such result
  expectTypeOf(result.z)
})

test('sweeps and plans take the parameters of the flow', async () => {
  const client = {} as Client
  const { runs } = await client.runs.sweep(optional, { grid: { n: [1, 2] }, seeds: [3] })
  expectTypeOf((await runs[0]!.result()).y).toEqualTypeOf<number>()
  await client.runs.plan(optional, { runs: [{ n: 1 }, { raw: 'x' }] })
  await client.runs.plan(optional, { params: { n: 1 }, seed: 4 })
  // and without a flow object, by its name
  await client.http.runs.sweep({ name: 'optional', ...repeat(grid({ n: [1, 2] }), [3]) })
  // @ts-expect-error a misspelled axis
  await client.runs.sweep(optional, { grid: { m: [1] } })
  // @ts-expect-error values of another type
  await client.runs.sweep(optional, { grid: { n: ['many'] } })
  // @ts-expect-error a list and a grid at once
  await client.runs.sweep(optional, { grid: { n: [1] }, runs: [{}] })
})

test('a message takes values of its type alone', async () => {
  const client = {} as Client
  await client.messages.publish(live.messages.temp, 21.5)
  // @ts-expect-error a string is no temperature
  await client.messages.publish(live.messages.temp, 'warm')
  for await (const { value } of client.messages.subscribe(live.messages.temp))
    expectTypeOf(value).toEqualTypeOf<number>()
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

test('operations take names or what has them, and options in camelCase', async () => {
  const client = {} as Client
  const flow = await client.flows.get(optional, { published: true })
  expectTypeOf(flow.published_version).toEqualTypeOf<number | null>()
  await client.flows.publish('optional', { version: 3, restart: true })
  const run = await client.runs.submit('optional', { params: { n: 1 }, noCache: true })
  await client.runs.update(run, { pinned: true })
  expectTypeOf((await client.runs.metrics(run))[0]!.points).toBeArray()
  expectTypeOf((await client.runs.metrics(run, { points: 10 }))[0]!.x).toEqualTypeOf<number[]>()
  // @ts-expect-error a name of the wire
  await client.runs.submit('optional', { no_cache: true })
  // @ts-expect-error the version is to be said
  await client.flows.publish('optional')
  // @ts-expect-error a number is no run
  await client.runs.get(7)
  // @ts-expect-error no such option
  await client.runs.list({ flows: 'optional' })
})
