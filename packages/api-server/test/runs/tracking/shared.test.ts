import { afterEach, beforeEach, expect, test } from 'vitest'

import { openEngine, type TestEngine } from '../engine.ts'
import { begin, silent, tell } from './tracker.ts'

let one: TestEngine
let two: TestEngine
beforeEach(async () => {
  one = await openEngine()
  two = await openEngine({ databaseDir: one.dataDir, flows: one.flows })
})
afterEach(async () => {
  await one?.[Symbol.asyncDispose]()
  await two?.[Symbol.asyncDispose]()
})

const heard = ({ events }: TestEngine, id: string): string[] =>
  events.flatMap((event) => (event.type === 'run' && event.run.id === id ? [event.run.status] : []))

test('what one engine was told the other one knows, and each takes the next', async () => {
  const { id } = (await begin(one)).run
  for (let seq = 1; seq <= 10; seq += 1) {
    const metrics = [{ name: 'loss', steps: [seq], values: [seq] }]
    // oxlint-disable-next-line no-await-in-loop -- one after the other, as a program sends them
    await tell(seq % 2 ? one : two, id, { seq, metrics })
  }
  for (const engine of [one, two]) {
    const [series] = await engine.runs.metrics(id, { stride: 1 })
    expect(series?.points.map(({ step }) => step)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    expect((await begin(engine, { id })).created).toBe(false)
  }
})

test('the same request at both is stored once', async () => {
  const { id } = (await begin(one)).run
  for (let seq = 1; seq <= 20; seq += 1) {
    const body = { seq, metrics: [{ name: 'loss', steps: [seq], values: [seq] }] }
    // oxlint-disable-next-line no-await-in-loop -- one after the other, as a program sends them
    const answers = await Promise.all([tell(one, id, body), tell(two, id, body)])
    expect(answers).toMatchObject([
      { seq, dropped: {} },
      { seq, dropped: {} },
    ])
  }
  const [series] = await two.runs.metrics(id, { stride: 1 })
  expect(series?.points.map(({ value }) => value)).toEqual(Array.from({ length: 20 }, (_, at) => at + 1))
})

test('a run that one engine cancels takes nothing in at the other, and both tell of it', async () => {
  const { id } = (await begin(one)).run
  await tell(one, id, { seq: 1 })
  await two.runs.cancel(id)
  expect(await tell(one, id, { seq: 2, status: 'ok' })).toMatchObject({ cancelled: true, seq: 1 })
  for (const engine of [one, two]) await expect.poll(() => heard(engine, id).at(-1)).toBe('cancelled')
})

test('a run that is given up and goes on is told so at both, whichever it comes back to', async () => {
  const { id } = (await begin(one)).run
  await silent(one, 61)
  await expect.poll(async () => (await one.runs.get(id)).status).toBe('abandoned')
  for (const engine of [one, two]) await expect.poll(() => heard(engine, id).at(-1)).toBe('abandoned')
  await tell(two, id, { seq: 1 })
  for (const engine of [one, two]) await expect.poll(() => heard(engine, id).at(-1)).toBe('running')
  await tell(one, id, { seq: 2, status: 'ok' })
  for (const engine of [one, two]) await expect.poll(() => heard(engine, id).at(-1)).toBe('ok')
})
