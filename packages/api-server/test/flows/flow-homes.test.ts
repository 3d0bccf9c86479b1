/** Who is asked about a flow. */
import { VirtualClock } from '@flow-service/core/testing'
import { expect, test } from 'vitest'

import { Elsewhere, NotSent, Unanswered } from '../../src/engines/links/links.ts'
import { FlowHomes } from '../../src/flows/flow-homes.ts'

const homesOf = (engineOf: () => string | null, clock = new VirtualClock(0)): FlowHomes =>
  new FlowHomes({
    clock,
    engine: 'this',
    news: { engineOf, isBetween: () => false, freshOf: async () => {} },
    modeOf: (flow) => (flow === 'new' ? undefined : flow === 'job' ? 'batch' : 'live'),
    isMine: () => false,
    isRunning: () => false,
  })

test('what an engine may have done is told as that, and asked of nobody else (flow-homes.H3)', async () => {
  let asked = 0
  const ask = async (): Promise<object> => {
    asked++
    throw new Unanswered('no answer')
  }
  await expect(homesOf(() => 'other').ask('porch', ask)).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('"porch" was asked and has not answered: it may have done it'),
    extensions: { retry_after_s: 1 },
  })
  expect(asked).toBe(1)
})

test('what was certainly not done is asked of whoever has the flow by then, at most for 5 s (flow-homes.H2, flow-homes.H3)', async () => {
  const clock = new VirtualClock(0)
  let engine = 'first'
  const asked: string[] = []
  const homes = homesOf(() => engine, clock)
  const done = homes.ask('porch', async (at) => {
    asked.push(at)
    if (at === 'first') {
      engine = 'second'
      throw new Elsewhere('not here')
    }
    return { at }
  })
  await clock.advance(100)
  expect(await done).toEqual({ at: 'second' })
  expect(asked).toEqual(['first', 'second'])
  const never = homes.ask('porch', async () => {
    throw new NotSent('no link')
  })
  const [refused] = await Promise.all([never.catch((error: unknown) => error), clock.advance(6_000)])
  expect(refused).toMatchObject({ message: expect.stringContaining('on its way') })
})

test('what nobody runs is answered here (flow-homes.H1)', async () => {
  expect(await homesOf(() => null).ask('porch', async () => ({}))).toBeNull()
})

test('a flow that is not known here is looked for, a hundred times in a second at most; a batch flow is not (flow-homes.H1)', async () => {
  const clock = new VirtualClock(0)
  const homes = homesOf(() => null, clock)
  expect([homes.isAway('porch'), homes.isAway('job')]).toEqual([true, false])
  const looks = (): number => Array.from({ length: 150 }, () => homes.isAway('new')).filter(Boolean).length
  expect(looks()).toBe(100)
  await clock.advance(1_000)
  expect(looks()).toBe(100)
})
