/** Flavors of two engines on one database. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, expect, test } from 'vitest'

import { openDatabase } from '../../src/db/database.ts'
import { Lifecycle } from '../../src/lifecycle.ts'
import { openFlavors } from '../../src/workers/flavors.ts'
import { databaseAt } from '../backend.ts'
import { quiet } from '../use-database.ts'

let dataDir: string
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'flavors-'))
})
afterAll(() => rm(dataDir, { recursive: true, force: true }))

const audit = async () => {}
const large = { name: 'large', cpus: 8, gpus: 0, ram_mb: 1024, description: '' }

/** An engine's flavors, and how often it has heard of a change. */
async function engine() {
  const lifecycle = new Lifecycle()
  const database = await lifecycle.open(
    async () => openDatabase({ ...(await databaseAt(dataDir)), log: quiet }),
    (opened) => opened.close(),
  )
  const flavors = await openFlavors({ database, lifecycle, log: quiet })
  return { flavors, [Symbol.asyncDispose]: () => lifecycle.close() }
}

test('a change at one engine counts at the other, and is told there; one that starts later knows it [R136]', async () => {
  await using one = await engine()
  await using two = await engine()
  let heard = 0
  two.flavors.onChange(() => void (heard += 1))
  await one.flavors.create(large, audit)
  // who has changed it need not wait for the news
  expect(one.flavors.get('large')).toEqual(large)
  await expect.poll(() => two.flavors.get('large')).toEqual(large)
  await two.flavors.update('large', { cpus: 2 }, audit)
  await expect.poll(() => one.flavors.get('large')?.cpus).toBe(2)
  expect(heard).toBeGreaterThanOrEqual(2)
  {
    await using third = await engine()
    expect(third.flavors.get('large')).toEqual({ ...large, cpus: 2 })
  }
  await one.flavors.remove('large', audit)
  await expect.poll(() => two.flavors.has('large')).toBe(false)
})

test('changes at both at the same time end alike', async () => {
  await using one = await engine()
  await using two = await engine()
  await one.flavors.create({ ...large, name: 'contended' }, audit)
  const cpus = Array.from({ length: 20 }, (_, at) => at)
  await Promise.all(cpus.map((count) => (count % 2 ? one : two).flavors.update('contended', { cpus: count }, audit)))
  const [stored] = await one.flavors.list()
  await expect.poll(() => [one, two].map(({ flavors }) => flavors.get('contended'))).toEqual([stored, stored])
})
