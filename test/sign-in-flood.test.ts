/** Guesses by the thousand, over real HTTP, from as many addresses: who is signed in goes on working. */
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { buffer } from 'node:stream/consumers'

import { afterAll, beforeAll, expect, test, vi } from 'vitest'

import { startService, type TestService } from './service.ts'

const password = 'a long password'
const home = '198.51.100.1'
// ten thousand requests take a slow machine minutes
vi.setConfig({ testTimeout: 300_000 })

let at: TestService
const agent = new Agent({ keepAlive: true, maxSockets: 100 })
beforeAll(async () => {
  at = await startService({ trustProxy: 1 })
})
afterAll(async () => {
  agent.destroy()
  await at[Symbol.asyncDispose]()
})

/** Tries a password; `fetch` would take most of the time of so many. */
async function guess(username: string, secret: string, from: string): Promise<{ status: number; text: string }> {
  const sent = request(`${at.baseUrl}/login/access-token`, {
    agent,
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-forwarded-for': from },
  }).end(new URLSearchParams({ username, password: secret }).toString())
  const [answer] = await once(sent, 'response')
  return { status: answer.statusCode, text: (await buffer(answer)).toString() }
}

/** A user who has signed in from home; the token of their session. */
async function signedIn(email: string): Promise<string> {
  await at.send('POST', '/users', { email, password })
  const { status, text } = await guess(email, password, home)
  expect(status).toBe(200)
  return (JSON.parse(text) as { access_token: string }).access_token
}

const addressOf = (nth: number): string => `10.${nth >> 16}.${(nth >> 8) & 255}.${nth & 255}`

/** Which statuses so many guesses got, and which what was asked with a session and without one in the meantime. */
async function flood(times: number, guessOf: (nth: number) => Promise<{ status: number }>, token: string) {
  let isOver = false
  const guesses = Promise.all(Array.from({ length: times }, (_, nth) => guessOf(nth))).finally(() => {
    isOver = true
  })
  const headers = { authorization: `Bearer ${token}` }
  const others = new Set<string>()
  const ask = async () => {
    while (!isOver) {
      for (const path of ['/users/me', '/flows'])
        others.add(`${path} ${(await fetch(`${at.baseUrl}${path}`, { headers })).status}`)
    }
  }
  const [answers] = await Promise.all([guesses, ask()])
  return { statuses: answers.map(({ status }) => status), others: [...others].toSorted() }
}

const served = ['/flows 200', '/users/me 200']

test('10,000 wrong passwords for an account, each from another address, lock nobody out of it [T1, T2]', async () => {
  const token = await signedIn('ann@example.org')
  const guesses = flood(10_000, (nth) => guess('ann@example.org', `guess ${nth}`, addressOf(nth)), token)
  // in the midst of them, where she has signed in before
  expect((await guess('ann@example.org', password, home)).status).toBe(200)
  const { statuses, others } = await guesses
  expect([new Set(statuses), others]).toEqual([new Set([400, 429]), served])
  // 20 at once, and then one each 3 seconds, of which a minute has 20
  expect(statuses.filter((status) => status === 400).length).toBeGreaterThanOrEqual(20)
  expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(9_000)
  expect((await fetch(`${at.baseUrl}/users/me`, { headers: { authorization: `Bearer ${token}` } })).status).toBe(200)
})

test('wrong passwords for a thousand names at once are refused beyond what can be checked, and all else goes on', async () => {
  const token = await signedIn('bob@example.org')
  const { statuses, others } = await flood(
    1_000,
    (nth) => guess(`nobody-${nth}@example.org`, 'a guess', addressOf(10_000 + nth)),
    token,
  )
  expect([new Set(statuses), others]).toEqual([new Set([400, 503]), served])
  expect((await guess('bob@example.org', password, home)).status).toBe(200)
})
