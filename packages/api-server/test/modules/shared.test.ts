/** Modules of several engines on one database: each has a data directory of its own. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { findPython } from '../../../worker-agent/src/index.ts'
import { openDatabase } from '../../src/db/database.ts'
import { type Modules, openModules } from '../../src/modules/modules.ts'
import { databaseAt } from '../backend.ts'
import { type PackageIndex, startIndex } from './package-index.ts'

const python = await findPython(process.env)
const LONG_MS = 600_000
const log = { info() {}, warn() {}, error() {} }
const change = { by: 'root@example.org', audit: async () => {} }

let folder: string
let index: PackageIndex
let empty: PackageIndex
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'modules-'))
  index = await startIndex(['1.0', '2.0'].map((version) => ({ name: 'colour', version, source: '' })))
  empty = await startIndex([])
})
afterAll(async () => {
  await index[Symbol.asyncDispose]()
  await empty[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

/** The modules of an engine, whose agent takes any interpreter at once. */
async function engine(name: string, from = index) {
  const database = await openDatabase({ ...(await databaseAt(folder)), log })
  const agent = { ready: Promise.resolve() as never, python, usePython: async () => ({ over: Promise.resolve() }) }
  const modules = await openModules({
    config: { dataDir: join(folder, name), python: null, pipIndexUrl: from.pipIndexUrl, npmRegistry: null },
    database,
    agent,
    bus: { publish() {} },
    eventLog: { report() {} },
    redactor: { mask: (shown) => shown },
    clock: { now: () => Date.now() },
    log,
    connectors: () => [],
  })
  await modules.begin(async () => {})
  return {
    modules,
    async [Symbol.asyncDispose]() {
      await modules.close()
      await database.close()
    },
  }
}

/** Waits until an engine has these requirements, and says what is installed. */
async function having(modules: Modules, requirements: string): Promise<string[]> {
  const settled = async () => {
    const { state, requirements: own } = await modules.view()
    return [state, own]
  }
  await expect.poll(settled, { timeout: LONG_MS }).toEqual(['ready', requirements])
  return (await modules.view()).packages.map(({ name, version }) => `${name} ${version}`)
}

describe.skipIf(python === null)('what one engine applies', { timeout: LONG_MS }, () => {
  test('another one builds too, in its own directory, and one that starts later [R152]', async () => {
    await using one = await engine('one')
    await using two = await engine('two')
    await one.modules.apply('colour<2', change)
    expect(await having(one.modules, 'colour<2')).toEqual(['colour 1.0'])
    expect(await having(two.modules, 'colour<2')).toEqual(['colour 1.0'])
    await two.modules.apply('# newer\ncolour>=2', change)
    expect(await having(one.modules, '# newer\ncolour>=2')).toEqual(['colour 2.0'])
    await using late = await engine('late')
    expect(await having(late.modules, '# newer\ncolour>=2')).toEqual(['colour 2.0'])
  })

  test('and another at the same time, is in force at both in the end as it is stored', async () => {
    await using one = await engine('one')
    await using two = await engine('two')
    await Promise.all([one.modules.apply('colour==1.0', change), two.modules.apply('colour==2.0', change)])
    const agreed = async () => {
      const views = await Promise.all([one.modules.view(), two.modules.view()])
      return [new Set(views.map(({ requirements, state }) => `${state} ${requirements}`)).size, views[0].state]
    }
    await expect.poll(agreed, { timeout: LONG_MS }).toEqual([1, 'ready'])
    await using third = await engine('third')
    const { requirements } = await one.modules.view()
    expect(await having(third.modules, requirements)).toEqual([requirements.replace('==', ' ')])
  })

  test('and another one cannot build, leaves that with what it had, and it says why', async () => {
    await using one = await engine('one')
    await one.modules.apply('', change)
    await having(one.modules, '')
    await using two = await engine('cut-off', empty)
    await one.modules.apply('colour==2.0', change)
    expect(await having(one.modules, 'colour==2.0')).toEqual(['colour 2.0'])
    await expect.poll(async () => (await two.modules.view()).state, { timeout: LONG_MS }).toBe('failed')
    const { requirements, error } = await two.modules.view()
    expect([requirements, error]).toEqual(['', expect.stringContaining('line 1 "colour==2.0": pip says: ERROR: ')])
  })
})
