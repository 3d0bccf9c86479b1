/** How flows are shown that other engines run. */
import { expect, test } from 'vitest'

import { FarStates } from '../../src/flows/far-states.ts'

test('what was told of a flow is over once it has changed hands; an engine that does not answer is shown as it was', async () => {
  const answers = new Map([['other', '[["porch",{"status":"active"}],["hall",{"status":"active"}]]']])
  const ask = async (engine: string): Promise<Buffer> => {
    const answer = answers.get(engine)
    if (answer === undefined) throw new Error('no answer')
    return Buffer.from(answer)
  }
  const lease = { others: ['other'] }
  const states = new FarStates({ lease, links: { ask } } as never)
  await states.refresh()
  states.forget('porch')
  answers.clear()
  await states.refresh()
  expect([states.of('porch'), states.of('hall')]).toEqual([undefined, { status: 'active' }])
  lease.others = []
  await states.refresh()
  expect(states.of('hall')).toBeUndefined()
})
