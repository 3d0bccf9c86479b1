import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { defineNode } from '@flow-service/connector-sdk'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'

import { VERDICTS_FILE } from '../../../src/code/packages/verdicts.ts'
import { folders, inTrial, load, useFolders } from './loading.ts'
import { doubler, writePackage, writeProject } from './project.ts'

useFolders()

/** A node type of a host. */
const own = defineNode({
  type: 'any',
  title: 'Any',
  description: '',
  category: 'connector',
  settings: z.object({}),
  arrival: 'each',
  start: () => ({}),
})

describe('a verdict', () => {
  /** A doubler that counts its imports in trials in the file `count`. */
  const counted = (count: string, before = ''): string =>
    doubler(
      `import { appendFileSync } from 'node:fs'
       ${inTrial} appendFileSync(${JSON.stringify(count)}, '1')
       ${before}`,
    )
  const types = { acme: './dist/index.js' }
  const triesOf = (file: string): Promise<string> => readFile(file, 'utf8').catch(() => '')

  test('holds until the package is installed anew', async () => {
    const config = await folders()
    const count = join(config.dataDir, 'count')
    const files = { 'dist/index.js': counted(count) }
    await writeProject(config.projectDir, { acme: { types, files } })
    for (let start = 0; start < 2; start++) expect((await load(config)).names).toEqual(['acme'])
    expect(await triesOf(count)).toBe('1')
    await writeProject(config.projectDir, { acme: { types, files, version: '1.0.1' } })
    expect((await load(config)).names).toEqual(['acme'])
    expect(await triesOf(count)).toBe('11')
    await writeFile(join(config.projectDir, 'node_modules', 'acme', 'more.js'), '')
    expect((await load(config)).names).toEqual(['acme'])
    expect(await triesOf(count)).toBe('111')
  })

  test('about a package that is linked from where it is made holds until a byte of it changes', async () => {
    const config = await folders()
    const count = join(config.dataDir, 'count')
    const folder = join(config.dataDir, '..', 'beside')
    const write = (before: string) =>
      writePackage(folder, 'beside', { types, files: { 'dist/index.js': counted(count, before) } })
    await write('// one')
    await writeProject(config.projectDir, { beside: {} })
    await rm(join(config.projectDir, 'node_modules', 'beside'), { recursive: true })
    await symlink(folder, join(config.projectDir, 'node_modules', 'beside'))
    await symlink(join(config.projectDir, 'node_modules'), join(config.dataDir, '..', 'node_modules'))
    expect((await load(config)).reports).toMatchObject([{ package: 'beside', status: 'loaded', reason: null }])
    await write('// one')
    await load(config)
    expect(await triesOf(count)).toBe('1')
    await write('// two')
    await load(config)
    expect(await triesOf(count)).toBe('11')
  })

  test('about a type whose name somebody had is asked for once the name is free', async () => {
    const config = await folders()
    const count = join(config.dataDir, 'count')
    const mine = { mine: './dist/index.js', ...types }
    await writeProject(config.projectDir, { acme: { types: mine, files: { 'dist/index.js': counted(count) } } })
    const host = { package: 'host', version: '1.0.0', nodeTypes: { mine: own } }
    expect((await load({ ...config, connectors: [host] })).names).toEqual(['mine', 'acme'])
    const { reports } = await load(config)
    expect(reports).toMatchObject([{ package: 'acme', node_types: ['mine', 'acme'], reason: null }])
    expect(await triesOf(count)).toBe('11')
  })

  test('about the end of a process is about the package that has begun it, not the next one', async () => {
    const text = (line: string) => ({ 'dist/index.js': doubler(line) })
    const config = await folders({
      'a-late': { types, files: text(`${inTrial} globalThis.late = () => process.exit(3)`) },
      'b-next': { types: { next: './dist/index.js' }, files: text('globalThis.late?.()') },
      'c-sends': {
        types: { sends: './dist/index.js' },
        files: text(`${inTrial} (process.send(null), process.send({}))`),
      },
    })
    const { names, reports } = await load(config)
    expect(names).toEqual(['acme', 'next', 'sends'])
    expect(reports.map(({ reason }) => reason)).toEqual([null, null, null])
  })

  test('about what a module has thrown is asked for again, one about what has ended the process is not', async () => {
    const config = await folders()
    const [thrown, ended] = [join(config.dataDir, 'thrown'), join(config.dataDir, 'ended')]
    await writeProject(config.projectDir, {
      throws: { types, files: { 'dist/index.js': counted(thrown, 'throw new Error("not now")') } },
      exits: { types, files: { 'dist/index.js': counted(ended, 'process.exit(1)') } },
    })
    await load(config)
    const { reports } = await load(config)
    expect([await triesOf(thrown), await triesOf(ended)]).toEqual(['11', '1'])
    expect(reports.map(({ reason }) => reason)).toEqual([
      expect.stringMatching(/exit code 1.*; it is tried again once it is installed anew, or connector-packages.json/),
      'its module has failed: Error: not now',
    ])
  })

  test('is worth nothing in a file that is damaged', async () => {
    const config = await folders()
    const count = join(config.dataDir, 'count')
    await writeProject(config.projectDir, { acme: { types, files: { 'dist/index.js': counted(count) } } })
    for (const text of ['{', '[]', '{"format":1,"verdicts":{"a":null},"origins":{}}', '{"format":2}']) {
      await writeFile(join(config.dataDir, VERDICTS_FILE), text)
      expect((await load(config)).names).toEqual(['acme'])
    }
    expect(await triesOf(count)).toBe('1111')
  })

  test('that cannot be kept is told, and the engine starts', async () => {
    const config = await folders({ acme: { types } })
    await mkdir(join(config.dataDir, VERDICTS_FILE))
    const { names, lines } = await load(config)
    expect(names).toEqual(['acme'])
    expect(lines).toContainEqual(expect.stringMatching(/cannot be kept; they are tried again at the next start$/))
  })
})
