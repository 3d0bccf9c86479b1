import { afterEach, expect, test, vi } from 'vitest'

import { rememberUsers } from '../../src/auth/remembered-users.ts'
import type { TokenHolder } from '../../src/auth/users.ts'
import { sessionGrant } from '../../src/http/principal.ts'

afterEach(() => void vi.useRealTimers())

const holder: TokenHolder = {
  principal: {
    kind: 'user',
    id: 'u1',
    email: 'root@example.org',
    fullName: null,
    superuser: true,
    grant: sessionGrant,
  },
  tokenVersion: 3,
}
const plain = { ...holder, principal: { ...holder.principal, superuser: false } }

function remembering() {
  const state = { find: async (id: string): Promise<TokenHolder | null> => (id === 'u1' ? holder : null) }
  return { state, ...rememberUsers({ find: (id) => state.find(id) }) }
}

test('while users can be found, they are what they are now', async () => {
  const { state, users, known } = remembering()
  expect(await users.find('u1')).toEqual(holder)
  expect(await known.find('u1')).toEqual(holder)
  state.find = async () => null
  expect(await known.find('u1')).toBeNull()
  expect(await known.find('u1')).toBeNull()
})

test('who was found before is an ordinary user while the database fails; others are not let in', async () => {
  const { state, users, known } = remembering()
  await users.find('u1')
  state.find = () => Promise.reject(new Error('gone'))
  expect(await known.find('u1')).toEqual(plain)
  await expect(known.find('u2')).rejects.toThrow('gone')
  await expect(users.find('u1')).rejects.toThrow('gone')
})

test('a database that does not answer is waited for 2 seconds', async () => {
  vi.useFakeTimers()
  const { state, users, known } = remembering()
  await users.find('u1')
  state.find = () => new Promise(() => {})
  const found = known.find('u1')
  await vi.advanceTimersByTimeAsync(2_000)
  expect(await found).toEqual(plain)
})
