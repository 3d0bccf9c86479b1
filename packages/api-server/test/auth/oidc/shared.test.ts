/** A sign-in by OpenID Connect over two engines on one database. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { openDatabase } from '../../../src/db/database.ts'
import { databaseAt } from '../../backend.ts'
import { quiet } from '../../use-database.ts'
import { Browser, fragmentOf } from './browser.ts'
import { openProvider } from './real-provider.ts'
import { startOidcService } from './service.ts'

const baseUrl = 'http://flows.example/api/v1'

test('begins at one, comes back to the other, once, and its code is exchanged at either, once', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'oidc-'))
  await using provider = await openProvider()
  provider.register(`${baseUrl}/login/oidc/callback`)
  provider.people.set('ann', { email: 'ann@example.org', email_verified: true })
  provider.user = 'ann'
  const place = await databaseAt(folder)
  const databases = await Promise.all([1, 2].map(() => openDatabase({ ...place, log: quiet })))
  const config = { baseUrl, oidcIssuer: provider.issuer, oidcAllowedDomains: ['example.org'] }
  const [one, two] = await Promise.all(databases.map((database) => startOidcService(database, config)))
  if (!one || !two) throw new Error('there are no engines')
  let turn = one
  const browser = new Browser((url) =>
    url.host === 'flows.example' ? new URL(`${url.pathname}${url.search}`, turn.api.url) : url,
  )
  const isCallback = (url: URL): boolean => url.pathname.endsWith('/callback')
  const ended = async (by: Browser, callback: URL) => {
    const answer = await by.get(callback.href)
    return fragmentOf(new URL(answer.headers.get('location') ?? '', callback))
  }

  const callback = await browser.follow(`${baseUrl}/login/oidc`, isCallback)
  const copy = browser.copy()
  turn = two
  const { code = '' } = await ended(browser, callback)
  turn = one
  expect(await ended(copy, callback)).toEqual({ error: 'expired' })
  const answers = await Promise.all([one, two, one, two].map((at) => at.redeem(code)))
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400, 400, 400])
  const tokens = await Promise.all(answers.filter(({ ok }) => ok).map((answer) => answer.json()))
  const [{ access_token: token }] = tokens as [{ access_token: string }]
  for (const at of [one, two])
    expect(await (await at.me(token)).json()).toMatchObject({ email: 'ann@example.org', is_superuser: false })

  for (const close of [one, two]) await close[Symbol.asyncDispose]()
  for (const database of databases) await database.close()
  await rm(folder, { recursive: true, force: true })
})
