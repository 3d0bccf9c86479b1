/** What the console shows of several engines, in a real browser. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { ServiceConfig } from '@flow-service/api-server'
import { liveFlow, node, t } from '@flow-service/flow-sdk'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { newSigningKey } from '../packages/api-server/test/auth/new-signing-key.ts'
import { hasChromium, startChromium } from './components/chromium.ts'
import { account, faultsAs, openConsole, overlapAs, signIn } from './components/console-page.ts'
import { findPostgres, type PostgresServer, startPostgres } from './components/postgres.ts'
import { alarmFlow, publishFlow } from './documents.ts'
import { startService, type TestService } from './service.ts'

const oauthSigningKey = newSigningKey()

describe.skipIf(!hasChromium() || !findPostgres())('the console of several engines', () => {
  let server: PostgresServer
  let browser: Browser
  let folder: string
  let shared: ServiceConfig
  beforeAll(async () => {
    server = await startPostgres(findPostgres() ?? '')
    browser = await startChromium()
    folder = await mkdtemp(join(tmpdir(), 'console-engines-'))
    shared = {
      ...account,
      databaseUrl: await server.createDatabase('console'),
      artifactsDir: join(folder, 'artifacts'),
      sessionKey: 'a session key of at least 32 bytes',
      secretKey: 'a key for secrets of at least 32 bytes',
      oauthSigningKey,
    }
  })
  afterAll(async () => {
    await browser.close()
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  })

  /** Has a flow whose code goes with the engine that had it. */
  async function leaveFlow(name: string): Promise<void> {
    const pass = node('pass', { in: { x: t.int }, out: { y: t.int }, run: ({ x }) => ({ y: x }) })
    const flow = liveFlow(name, { x: t.int }, (messages, use) => void use(pass, { x: messages.x }))
    await using gone = await startService({ ...shared, flows: [flow] })
    await gone.client.flows.start(name)
  }

  test('home lists them once there are two, warns of different versions and of flows that run nowhere, and has no list of one', async () => {
    await leaveFlow('attic')
    await using one = await startService(shared)
    await publishFlow(one.client, 'alarm', alarmFlow)
    await one.client.flows.start('alarm')
    await using alone = await openConsole(browser, one.origin)
    await signIn(alone.page)
    await alone.page.getByRole('heading', { name: 'Home', exact: true }).waitFor()
    await alone.page.getByRole('region', { name: 'Flows' }).getByText('alarm').first().waitFor()
    expect(await alone.page.getByRole('heading', { name: 'Engines' }).count()).toBe(0)

    const two: TestService = await startService(shared)
    await expect.poll(async () => (await one.client.observability.summary()).engines).toBe(2)
    for (const options of [{ theme: 'light' }, { theme: 'dark' }, { width: 390 }] as const) {
      // oxlint-disable no-await-in-loop -- one look after the other
      await using opened = await openConsole(browser, one.origin, '', options)
      const { page, complaints } = opened
      await signIn(page)
      const engines = page.getByRole('region', { name: 'Engines', exact: true })
      await expect.poll(() => engines.getByRole('row').count()).toBe(3)
      await engines.getByRole('row').filter({ hasText: 'this engine' }).waitFor()
      await engines.getByText('1 live flow runs nowhere: attic.').waitFor()
      expect(await engines.getByText('different versions').count()).toBe(0)
      expect(await faultsAs(page, options)).toEqual([])
      expect(await overlapAs(page, options)).toBe(0)
      expect(complaints).toEqual([])
      // oxlint-enable no-await-in-loop
    }

    await server.execute(
      'console',
      "update engine set version = '0.9.0' where started_at = (select max(started_at) from engine)",
    )
    await using opened = await openConsole(browser, one.origin)
    const { page, complaints } = opened
    await signIn(page)
    const engines = page.getByRole('region', { name: 'Engines', exact: true })
    await engines.getByText(/different versions: \d.*, 0\.9\.0\./).waitFor()
    await two[Symbol.asyncDispose]()
    await engines.waitFor({ state: 'detached' })
    expect(complaints).toEqual([])
  })
})
