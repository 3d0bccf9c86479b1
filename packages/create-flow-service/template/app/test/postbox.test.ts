import { testFlow } from '@flow-service/testing'
import { expect, test } from 'vitest'

import { postbox } from '../flows/postbox.ts'

test('the words of a letter are counted', async () => {
  const flow = await testFlow(postbox)
  await flow.hook('letters', { json: { letter: 'wish you were here' } })
  expect(flow.sent(postbox.messages.words)).toEqual([4])
})

test('the flag goes down a minute after the last letter', async () => {
  const flow = await testFlow(postbox)
  await flow.publish(postbox.messages.letter, 'hello')
  await flow.advance('50s')
  await flow.publish(postbox.messages.letter, 'hello again')
  await flow.advance('50s')
  expect(flow.sent(postbox.messages.flag)).toEqual([true])
  await flow.advance('10s')
  expect(flow.sent(postbox.messages.flag)).toEqual([true, false])
})
