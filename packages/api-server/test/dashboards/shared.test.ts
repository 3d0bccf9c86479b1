/** Dashboards of two engines on one database. */
import { generateKeyPairSync } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Dashboard } from '@flow-service/protocol'
import { afterEach, beforeEach, expect, test } from 'vitest'

import { databaseAt } from '../backend.ts'
import { contentOf, type DashboardService, startDashboards, statusesOf, widget } from './service.ts'

const oauthSigningKey = String(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }))

let shared: string
let one: DashboardService
let two: DashboardService
const open = async (): Promise<DashboardService> => {
  const { databaseUrl } = await databaseAt(shared)
  return startDashboards({ databaseUrl, oauthSigningKey, artifactsDir: join(shared, 'artifacts') })
}
beforeEach(async () => {
  shared = await mkdtemp(join(tmpdir(), 'dashboards-'))
  one = await open()
  two = await open()
})
afterEach(async () => {
  await one?.[Symbol.asyncDispose]()
  await two?.[Symbol.asyncDispose]()
  await rm(shared, { recursive: true, force: true })
})

test('what one engine does to a dashboard, the other one shows at once', async () => {
  await one.create('wall', { title: 'Wall', content: contentOf(widget()) })
  await two.act('wall', 'publish', { version: 1 })
  expect((await one.read('wall')).value).toMatchObject({ title: 'Wall', published_version: 1 })
  await one.save('wall', { title: 'Hall', version: 1 })
  expect(await two.save('wall', { title: 'Mine', version: 1 })).toMatchObject({
    status: 409,
    problem: { code: 'version_conflict', current_version: 2 },
  })
  await two.act('wall', 'rename', { name: 'hall' })
  expect((await one.read('wall')).status).toBe(404)
  expect((await one.read('hall', '?draft=true')).value).toMatchObject({ title: 'Hall', version: 3 })
  await one.ann('DELETE', '/dashboards/hall')
  expect((await two.ann<Dashboard[]>('GET', '/dashboards/')).value).toEqual([])
})

test('of those who save over the same version at both engines one is heard', async () => {
  await one.create('crowd')
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      (index % 2 ? one : two).save('crowd', { title: `by ${index}`, version: 1 }),
    ),
  )
  expect(statusesOf(answers)).toEqual([200, ...Array<number>(9).fill(409)])
  const names = Array.from({ length: 6 }, (_, index) => `crowd-${index}`)
  const renames = await Promise.all(
    names.map((name, index) => (index % 2 ? one : two).act('crowd', 'rename', { name })),
  )
  expect(statusesOf(renames)).toEqual([200, ...Array<number>(5).fill(404)])
})

test('a flow that is renamed at one engine is followed by dashboards of both', async () => {
  await one.publish('attic', { mode: 'live', inputs: [{ name: 'temp' }] })
  await two.published('wall', { content: contentOf(widget({ binding: { message: 'attic.temp' } })) })
  await one.root('POST', '/flows/attic/rename', { name: 'roof' })
  expect((await two.read('wall')).value.content.widgets[0]?.binding).toEqual({ message: 'roof.temp' })
  await expect.poll(async () => (await two.read('wall')).value.issues).toEqual([])
})
