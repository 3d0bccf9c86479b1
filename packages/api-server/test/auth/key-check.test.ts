import { expect, test } from 'vitest'

import { createKeyCheck, keyHolderOf } from '../../src/auth/keys/key-check.ts'
import type { KeyRow } from '../../src/auth/keys/key-store.ts'
import { newKeyText, prefixOf, proofOf } from '../../src/auth/keys/key-text.ts'
import { createKeyUses } from '../../src/auth/keys/key-uses.ts'
import { rememberUsers } from '../../src/auth/remembered-users.ts'
import { guestOf } from '../../src/http/socket-guests.ts'

const text = newKeyText()
const row: KeyRow = {
  id: '01900000-0000-7000-8000-00000000000a',
  name: 'ci',
  proof: proofOf(text),
  scopes: ['observability:read'],
  expiresAt: '2999-01-01T00:00:00.000000+00:00',
  revoked: false,
  unnoted: true,
  owner: '01900000-0000-7000-8000-000000000001',
  email: 'root@example.org',
  fullName: null,
  active: true,
  superuser: true,
}

function checking() {
  const state = { find: async (): Promise<KeyRow | null> => row, used: [] as string[], failed: [] as object[] }
  const remembered = rememberUsers({
    async find() {
      const found = await state.find()
      return found && keyHolderOf(found)
    },
  })
  const uses = createKeyUses({
    store: {
      async used(id) {
        await state.find()
        state.used.push(id)
      },
    },
    log: { error: (fields) => state.failed.push(fields) },
  })
  const [check, known] = [remembered.users, remembered.known].map((keys) => createKeyCheck({ keys, uses }))
  if (!check || !known) throw new Error('there are two')
  return Object.assign(state, { uses, check, known })
}

test('the guest of a key is the key, and stays until its end', async () => {
  const principal = await checking().check(text)
  if (principal?.kind !== 'user') throw new Error('a user')
  expect(guestOf(principal)).toEqual({ id: row.id, version: 0, endsAtMs: Date.UTC(2999, 0, 1) })
  const eternal = keyHolderOf({ ...row, expiresAt: null })
  expect(guestOf(eternal.principal)).toMatchObject({ endsAtMs: null })
})

test('a key is 8 letters that find it and 32 bytes that nobody else knows, another one each time', () => {
  const texts = Array.from({ length: 100 }, newKeyText)
  expect(new Set(texts.map(prefixOf)).size).toBe(100)
  for (const made of texts) expect(made).toMatch(/^fsk_[0-9A-Za-z]{8}_[\w-]{43}$/)
})

test('a use is noted beside the request once a minute, and one that cannot be is logged', async () => {
  const at = checking()
  await Promise.all([at.check(text), at.check(text)])
  await at.uses.flush()
  expect(at.used).toEqual([row.id])
  at.find = async () => ({ ...row, unnoted: false })
  await at.check(text)
  await at.uses.flush()
  expect(at.used).toEqual([row.id])
  const found = [row]
  at.find = async () => found.pop() ?? Promise.reject(new Error('gone'))
  await at.check(text)
  await at.uses.flush()
  expect(at.failed).toHaveLength(1)
})

test('while the database fails, a key that was found before is that of an ordinary user, until its end', async () => {
  const at = checking()
  await at.check(text)
  at.find = () => Promise.reject(new Error('gone'))
  await expect(at.check(text)).rejects.toThrow('gone')
  expect(await at.known(text)).toMatchObject({ email: row.email, superuser: false, grant: { name: 'ci' } })
  await expect(at.known(newKeyText())).rejects.toThrow('gone')
  at.find = async () => ({ ...row, expiresAt: '2020-01-01T00:00:00.000000+00:00' })
  await expect(at.check(text)).rejects.toThrow('the key "ci" has expired')
  at.find = () => Promise.reject(new Error('gone'))
  await expect(at.known(text)).rejects.toThrow('the key "ci" has expired')
})
