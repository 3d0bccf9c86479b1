import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { describe, expect, test } from 'vitest'

import { folders, inTrial, load, useFolders } from './loading.ts'
import { doubler, writeProject } from './project.ts'

useFolders()

/** A class as that of connectors, of a copy of the contract that a package has of its own. */
const baseClass = `class Base {
  static contract = 1
  static [Symbol.for('flow-service.node-type')](type, Class) {
    if (Object.hasOwn(Class, 'contract')) return { ...definition, type }
    throw Object.assign(new Error('Class declares no contract of its own'), { name: 'ContractError' })
  }
}`

describe('a package of the project', () => {
  test('brings node types under the names of its entries, with its name and version [R340, R350, R353]', async () => {
    const config = await folders({ acme: { version: '1.2.0', types: { acme_meter: './dist/index.js' } }, plain: {} })
    const { registry, reports, lines } = await load(config)
    expect(reports).toEqual([
      { package: 'acme', version: '1.2.0', node_types: ['acme_meter'], status: 'loaded', reason: null },
    ])
    expect(lines).toEqual(['node types of the package acme 1.2.0: acme_meter'])
    const shown = registry.catalogue().find(({ package: name }) => name !== null)
    expect(shown).toMatchObject({ type: 'acme_meter', package: 'acme', version: '1.2.0', contract: 1 })
    expect(shown?.params).toMatchObject({ properties: { by: { type: 'number', default: 2 } } })
    const definition = registry.get('acme_meter')
    expect(definition && registry.originOf(definition)).toEqual({ package: 'acme', version: '1.2.0' })
    const http = registry.get('http')
    expect(http && registry.originOf(http)).toBeNull()
  })

  test('is found in any form in which Node would find it', async () => {
    const config = await folders({
      '@acme/scoped': { types: { scoped: './dist/index.js' } },
      hidden: { types: { hidden: './dist/index.js' }, manifest: { exports: {} } },
      common: {
        types: { common: './index.cjs', inner: './index.cjs#Inner', compiled: './compiled.cjs' },
        files: {
          'index.cjs': `const z = require('zod')
            const type = { title: 'A', description: '', category: 'connector', arrival: 'each', settings: z.object({}), start: () => ({}) }
            module.exports = type
            module.exports.Inner = { ...type }`,
          'compiled.cjs': `Object.defineProperty(exports, '__esModule', { value: true }); exports.default = require('./index.cjs')`,
        },
      },
      named: {
        types: { named: './dist/index.js#Named' },
        files: { 'dist/index.js': `${doubler()}\nexport { default as Named } from './index.js'` },
      },
      loud: {
        types: { loud: './dist/index.js' },
        files: {
          'dist/index.js': doubler(`${inTrial} console.log('x'.repeat(1e6))`),
        },
      },
    })
    const { names, reports } = await load(config)
    expect(reports.filter(({ reason }) => reason !== null)).toEqual([])
    expect(names).toEqual(['scoped', 'common', 'inner', 'compiled', 'hidden', 'loud', 'named'])
  })

  test('is left out with a reason for whatever is wrong with it, and the others are there [R341, R343, R344, R345, R402, T100]', async () => {
    const module = (text: string) => ({ 'dist/index.js': text })
    const types = { acme: './dist/index.js' }
    const config = await folders({
      'a-throws': { types, files: module(`throw new TypeError('no device')`) },
      'b-loops': { types, files: module('while (true) {}') },
      'c-exits': { types, files: module(`console.error('giving up'); process.exit(0)`) },
      'd-aborts': { types, files: module('process.abort()') },
      'e-waits': { types, files: module('await new Promise(() => {})\nexport default 1') },
      'f-number': { types, files: module('export default 1') },
      'g-nothing': { types, files: module('export const other = 1') },
      'h-contract': { types, files: module(doubler('', 'contract: 2')) },
      'i-inherits': { types, files: module(`${baseClass}\nexport default class extends Base {}`) },
      'j-schema': { types, files: module(doubler().replace('z.number()', 'z.bigint()')) },
      'k-rejects': { types, files: module(doubler(`void Promise.reject(new Error('nobody waits'))`)) },
      'l-missing': { types },
      'm-outside': { types: { acme: '../../package.json' } },
      'n-list': { types: ['./dist/index.js'] },
      'o-names': { types: { 'a.b': './dist/index.js', acme: 7 } },
      'p-steals': { types: { http: './dist/index.js', mine: './dist/index.js' } },
      'q-sound': { types },
      'r-second': { types },
    })
    await rm(join(config.projectDir, 'node_modules', 'l-missing', 'dist'), { recursive: true })
    const { reports, names, lines, absent } = await load(config, { limitMs: 2_000 })
    expect(names).toEqual(['mine', 'acme'])
    const reasons = reports.map(({ package: name, reason }) => [name, reason])
    expect(reasons).toEqual([
      ['a-throws', 'its module has failed: TypeError: no device'],
      ['b-loops', expect.stringMatching(/^its type "acme" did not finish loading within 2 s/)],
      ['c-exits', expect.stringMatching(/ended the process that loads it \(exit code 0\) giving up/)],
      ['d-aborts', expect.stringMatching(/ended the process that loads it \(SIGABRT\)/)],
      ['e-waits', expect.stringMatching(/did not finish loading within 2 s/)],
      ['f-number', expect.stringMatching(/ is exported as number; export a class/)],
      ['g-nothing', expect.stringMatching(/no export "default", but other/)],
      ['h-contract', expect.stringMatching(/ is written for contract 2.* and this engine has 1/)],
      ['i-inherits', expect.stringMatching(/^Class declares no contract of its own/)],
      ['j-schema', expect.stringMatching(/its settings have no JSON Schema/)],
      ['k-rejects', expect.stringMatching(/ended the process that loads it \(exit code 1\)[\s\S]*nobody waits/)],
      ['l-missing', 'the package has no file "./dist/index.js"; build it, or install it again'],
      ['m-outside', '"../../package.json" is outside of the package; name a module in it'],
      ['n-list', expect.stringMatching(/^"service.node_types" of its package.json is no object/)],
      ['o-names', expect.stringMatching(/^"a.b": a node type cannot have this name: .*; "acme": it stands for 7;/)],
      ['p-steals', '"http": the node type "http" is built in already; give it another name'],
      ['q-sound', null],
      ['r-second', 'the node type "acme" is of the package q-sound 1.0.0 already; give it another name'],
    ])
    expect(reports.map(({ status }) => status).filter((status) => status === 'loaded')).toHaveLength(2)
    expect(lines.filter((line) => line.includes('are left out'))).toHaveLength(17)
    expect(absent.get('a.b')).toContain('is left out')
  })
})

test('what has passed its trial, and fails or hangs in the engine, is left out all the same', async () => {
  const types = { acme: './dist/index.js' }
  const config = await folders({
    throws: { types, files: { 'dist/index.js': doubler(`${inTrial} {} else throw new Error('not here')`) } },
    waits: { types, files: { 'dist/index.js': doubler(`${inTrial} {} else await new Promise(() => {})`) } },
    works: { types },
  })
  const { names, reports } = await load(config, { limitMs: 2_000 })
  expect(names).toEqual(['acme'])
  expect(reports.map(({ reason }) => reason)).toEqual([
    'its module has failed: Error: not here',
    'its module has failed: Error: it did not finish loading within 2 s',
    null,
  ])
})

describe('the packages that are looked at', () => {
  const types = { acme: './dist/index.js' }

  test('are those that the nearest project depends on directly, then the modules of the data directory [R351]', async () => {
    const config = await folders({ zeta: { types, version: '2.0.0' }, left: { types: { left: './dist/index.js' } } })
    const manifest = join(config.projectDir, 'package.json')
    const dependencies = { zeta: '*', gone: '*' }
    const src = join(config.projectDir, 'src')
    await mkdir(src)
    await writeFile(manifest, JSON.stringify({ dependencies, devDependencies: { left: '*' } }))
    await writeProject(join(config.dataDir, 'modules'), {
      acme: { types: { acme: './dist/index.js', other: './dist/index.js' } },
    })
    const { names, reports } = await load({
      ...config,
      projectDir: src,
    })
    expect(names).toEqual(['acme', 'other'])
    expect(reports).toEqual([
      { package: 'zeta', version: '2.0.0', node_types: ['acme'], status: 'loaded', reason: null },
      {
        package: 'acme',
        version: '1.0.0',
        node_types: ['other'],
        status: 'loaded',
        reason: '"acme": the node type "acme" is of the package zeta 2.0.0 already; give it another name',
      },
    ])
  })

  test('are none of a project that cannot be read, which is told', async () => {
    const config = await folders({ acme: { types } })
    await writeFile(join(config.projectDir, 'package.json'), '{')
    const { names, lines } = await load(config)
    expect(names).toEqual([])
    expect(lines).toEqual([expect.stringMatching(/package.json" cannot be read, .*; correct the file$/)])
  })

  test('are looked for in a folder that exists', async () => {
    const config = await folders()
    const loading = load({ ...config, projectDir: join(config.projectDir, 'nowhere') })
    await expect(loading).rejects.toThrow(/SERVICE_PROJECT_DIR is ".*nowhere": use the folder of a project/)
  })

  test('that are gone are named to who misses their types', async () => {
    const config = await folders({ acme: { types, version: '1.2.0' } })
    await load(config)
    await writeFile(join(config.projectDir, 'package.json'), '{}')
    for (let start = 0; start < 2; start++) {
      const { registry } = await load(config)
      expect(registry.absence('acme')).toBe(
        'the node type "acme" is not installed; install acme 1.2.0 again, which had it, or change the type',
      )
      expect(registry.absence('nope')).toBe('there is no node type "nope"; install its package or change the type')
    }
  })
})
