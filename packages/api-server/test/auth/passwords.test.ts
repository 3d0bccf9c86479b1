import { expect, test } from 'vitest'

import { Passwords } from '../../src/auth/passwords.ts'

test('a flood of sign-ins is refused beyond those that wait, and leaves nothing behind', async () => {
  const passwords = new Passwords()
  const stored = await passwords.hash('a long password')
  let turns = 0
  let isOver = false
  const count = (): void => {
    turns += 1
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const answers = await Promise.allSettled(Array.from({ length: 10_000 }, () => passwords.fits(stored, 'wrong')))
  isOver = true
  const refused = answers.filter(({ status }) => status === 'rejected')
  // two are computed and fifty wait
  expect(answers.length - refused.length).toBe(52)
  expect(refused[0]).toMatchObject({ reason: { code: 'unavailable', extensions: { retry_after_s: 2 } } })
  // the loop went on while they were computed
  expect(turns).toBeGreaterThan(52)
  expect(await passwords.fits(stored, 'a long password')).toBe(true)
})

test('whoever waits comes in turn, also behind one that fails', async () => {
  const passwords = new Passwords()
  const done: string[] = []
  const asked = ['broken', 'also broken', 'still broken'].map((stored) =>
    passwords.fits(stored, 'x').then(
      () => done.push('fits'),
      () => done.push('failed'),
    ),
  )
  const hashed = passwords.hash('a long password').then((hash) => done.push(hash.slice(0, 9)))
  await Promise.all([...asked, hashed])
  expect(done.toSorted((a, b) => a.localeCompare(b))).toEqual(['$argon2id', 'failed', 'failed', 'failed'])
})
