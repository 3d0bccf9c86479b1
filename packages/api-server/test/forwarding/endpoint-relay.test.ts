/** What becomes of a call whose flow moves, or is made anew, while it is answered. */
import { expect, test, vi } from 'vitest'

import { mayBeDone } from '../../src/flows/flow-homes.ts'
import { EndpointRelay, type EndpointRelayDeps } from '../../src/forwarding/endpoint-relay.ts'
import { ProblemError } from '../../src/http/errors.ts'

const notActive = (): ProblemError => new ProblemError('not_active', 'flow "porch" is not active')
const step = { id: 'step', method: 'post', place: { names: 'flow', param: 'name' } } as never
const call = {
  params: { name: 'porch' },
  query: {},
  body: {},
  principal: undefined,
  request: {},
  signal: undefined,
} as never
const relayOf = (homes: object): EndpointRelay =>
  new EndpointRelay({ homes, links: { answer() {} } } as unknown as EndpointRelayDeps)

test('what is refused while its flow is made anew is done here once the flow is there', async () => {
  const here = vi
    .fn<() => Promise<never>>()
    .mockRejectedValueOnce(notActive())
    .mockResolvedValueOnce({ status: 200, value: 'done' } as never)
  const isAway = vi.fn<() => boolean>().mockReturnValueOnce(false).mockReturnValue(true)
  const relay = relayOf({ isAway, ask: async () => null })
  expect(await relay.handle(step, call, here)).toEqual({ status: 200, value: 'done' })
})

test('what is refused of a flow that nobody runs is refused; what has failed otherwise is not done again', async () => {
  const stopped = vi.fn<() => Promise<never>>().mockRejectedValue(notActive())
  await expect(relayOf({ isAway: () => true, ask: async () => null }).handle(step, call, stopped)).rejects.toThrow(
    'is not active',
  )
  const broken = vi.fn<() => Promise<never>>().mockRejectedValue(new Error('broken'))
  await expect(relayOf({ isAway: () => false }).handle(step, call, broken)).rejects.toThrow('broken')
  expect(broken).toHaveBeenCalledTimes(1)
})

test('what another engine may have done is not done here', async () => {
  const here = vi.fn<() => Promise<never>>()
  const homes = { isAway: () => true, ask: async () => Promise.reject(mayBeDone('porch')) }
  await expect(relayOf(homes).handle(step, call, here)).rejects.toMatchObject({ code: 'unavailable' })
  expect(here).not.toHaveBeenCalled()
})
