/** What becomes of a request to a webhook whose flow moves, or is made anew, while it is answered. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { HookRefusal } from '@flow-service/connector-sdk'
import { expect, onTestFinished, test, vi } from 'vitest'

import { createHooks, type HookHandler, type HooksElsewhere } from '../../src/hooks/hooks.ts'
import { hookRoutes, hooksFirst } from '../../src/hooks/routes.ts'
import { AnonymousBodies } from '../../src/http/anonymous-bodies.ts'
import { errorAnswer } from '../../src/http/errors.ts'

test('a request whose flow stops as it is read, and that no other engine has, is taken here when the flow has come back', async () => {
  const hooks = createHooks()
  const taken: string[] = []
  const register = (handler: HookHandler) =>
    hooks.register('f', { path: 'in', secret: null, methods: ['GET'] }, handler)
  const first = register(() => {
    first.unmount()
    register(() => void taken.push('again')).open()
    throw new HookRefusal('the flow stopped before the request was taken')
  })
  first.open()
  const asked = vi.fn<HooksElsewhere['deliver']>().mockResolvedValue(false)
  const own = createServer(
    hooksFirst(
      hookRoutes({
        hooks,
        elsewhere: { isAway: () => true, deliver: asked },
        anonymous: new AnonymousBodies(),
        answerError: errorAnswer({ error: () => expect.unreachable() }),
      }),
      () => expect.unreachable(),
    ),
  ).listen(0, '127.0.0.1')
  onTestFinished(() => void own.close())
  await once(own, 'listening')
  const answer = await fetch(`http://127.0.0.1:${(own.address() as AddressInfo).port}/hooks/f/in`)
  expect([answer.status, taken]).toEqual([202, ['again']])
  expect(asked).toHaveBeenCalledTimes(1)
})
