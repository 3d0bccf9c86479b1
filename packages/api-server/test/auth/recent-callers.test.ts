import { expect, test } from 'vitest'

import { createRecentCallers } from '../../src/auth/recent-callers.ts'
import type { Principal } from '../../src/http/principal.ts'
import { user } from '../http/server.ts'

/** Callers whose looks are answered by hand. */
function looking() {
  const state = { nowMs: 0, looks: [] as PromiseWithResolvers<Principal | null>[] }
  const look = (): Promise<Principal | null> => {
    const asked = Promise.withResolvers<Principal | null>()
    state.looks.push(asked)
    return asked.promise
  }
  return Object.assign(
    state,
    createRecentCallers([look], () => state.nowMs),
  )
}

test('a token is looked up once a second, counted from the beginning of the look (recent-callers.R1)', async () => {
  const at = looking()
  const both = [at.verify('t'), at.verify('t')]
  at.nowMs = 900
  at.looks[0]?.resolve(user)
  expect(await Promise.all(both)).toEqual([user, user])
  at.nowMs = 999
  expect(await at.verify('t')).toBe(user)
  expect(at.looks).toHaveLength(1)
  at.nowMs = 1_000
  const again = at.verify('t')
  at.looks[1]?.resolve({ ...user, superuser: true })
  expect(await again).toMatchObject({ superuser: true })
})

test('what is forgotten answers no later request, not even by a look under way (recent-callers.R2)', async () => {
  const at = looking()
  const before = at.verify('t')
  at.forget()
  const after = at.verify('t')
  at.looks[1]?.resolve({ ...user, superuser: false })
  at.looks[0]?.resolve({ ...user, superuser: true })
  expect(await before).toMatchObject({ superuser: true })
  expect(await after).toMatchObject({ superuser: false })
  expect(await at.verify('t')).toMatchObject({ superuser: false })
  expect(at.looks).toHaveLength(2)
})

test('a refusal is looked at again, and so is a failure (recent-callers.R3)', async () => {
  const at = looking()
  const unknown = at.verify('t')
  at.looks[0]?.resolve(null)
  expect(await unknown).toBeNull()
  const failed = at.verify('t')
  at.looks[1]?.reject(new Error('gone'))
  await expect(failed).rejects.toThrow('gone')
  void at.verify('t')
  expect(at.looks).toHaveLength(3)
})

test('what ends by itself is looked at again after its end', async () => {
  const at = looking()
  const found = at.verify('t')
  at.looks[0]?.resolve({ ...user, grant: { ...user.grant, endsAtMs: Date.now() - 1 } })
  await found
  void at.verify('t')
  expect(at.looks).toHaveLength(2)
})

test('no more than 10,000 tokens are known: the first one is looked up again (recent-callers.R3)', async () => {
  const at = looking()
  const verified = Array.from({ length: 10_001 }, (_, nr) => at.verify(String(nr)))
  for (const look of at.looks) look.resolve(user)
  await Promise.all(verified)
  void at.verify('1')
  expect(at.looks).toHaveLength(10_001)
  void at.verify('0')
  expect(at.looks).toHaveLength(10_002)
})
