import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { Connector, defineNode } from '@flow-service/connector-sdk'
import { NodeRegistry } from '@flow-service/core'
import { nodeTypes } from '@flow-service/node-types'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'

import { type ConnectorPackagesDeps, loadConnectorPackages } from '../../../src/code/packages/connector-packages.ts'
import { VERDICTS_FILE } from '../../../src/code/packages/verdicts.ts'
import { ConfigError } from '../../../src/process/setting.ts'
import { doubler, writePackage, writeProject } from './project.ts'

let directory: string
beforeAll(async () => {
  directory = await realpath(await mkdtemp(join(tmpdir(), 'packages-')))
})
afterAll(() => rm(directory, { recursive: true, force: true }))

let made = 0

/** Folders of a test: `data` for the engine, and its project. */
async function folders(packages: Parameters<typeof writeProject>[1] = {}) {
  const root = join(directory, `case-${++made}`)
  const projectDir = await writeProject(join(root, 'project'), packages)
  const dataDir = join(root, 'data')
  await writeProject(join(dataDir, 'modules'), {})
  return { projectDir, dataDir, connectors: [] }
}

/** What a module does in trials alone. */
const inTrial = `if (process.argv[1].includes('trial-child'))`

const builtIn = nodeTypes.map(({ type }) => type)

async function load(config: ConnectorPackagesDeps['config'], more: Partial<ConnectorPackagesDeps> = {}) {
  const lines: string[] = []
  const log = {
    info: (_fields: object, message: string) => void lines.push(message),
    warn: (_fields: object, message: string) => void lines.push(message),
  }
  const loaded = await loadConnectorPackages({ config, builtIn, log, ...more })
  const registry = new NodeRegistry(nodeTypes, loaded)
  return { ...loaded, registry, lines, names: loaded.types.map(({ definition }) => definition.type) }
}

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
      'i-inherits': {
        types,
        files: module(
          `import { Connector } from '@flow-service/connector-sdk'
          class Base extends Connector { static contract = 1 }
          export default class Meter extends Base {}`,
        ),
      },
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
      ['f-number', expect.stringContaining('is exported as number; export a class that extends Connector')],
      ['g-nothing', expect.stringMatching(/no export "default", but other/)],
      ['h-contract', expect.stringContaining('is written for contract 2 of connectors, and this engine has 1')],
      ['i-inherits', expect.stringMatching(/no contract of its own/)],
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

describe('node types of the host itself', () => {
  const packaged = (nodeTypes: Record<string, unknown>) => ({ package: 'host', version: '3.0.0', nodeTypes })

  test('come before those of packages, and behind the built-in ones', async () => {
    const config = await folders({ acme: { types: { mine: './dist/index.js' } } })
    class Meter extends Connector {
      static readonly contract = 1
      static override readonly title = 'Meter'
    }
    const connectors = [packaged({ mine: own, http: own, meter: Meter })]
    const { registry, reports } = await load({ ...config, connectors })
    expect(registry.catalogue().filter(({ version }) => version === '3.0.0')).toMatchObject([
      { type: 'meter', title: 'Meter' },
      { type: 'mine', title: 'Any' },
    ])
    expect(reports).toMatchObject([
      { package: 'host', node_types: ['mine', 'meter'], reason: expect.stringContaining('"http" is built in') },
      { package: 'acme', status: 'skipped', reason: expect.stringContaining('"mine" is of the package host 3.0.0') },
    ])
  })

  test.each([
    ['a number', 1],
    [
      'a class of another contract',
      class extends Connector {
        static readonly contract = 2
      },
    ],
    ['settings that are no schema', { ...own, settings: {} }],
    ['code', { ...own, code: 'python' }],
  ])('are refused as a setting: %s', async (_what, exported) => {
    const config = await folders()
    const loading = load({ ...config, connectors: [packaged({ mine: exported })] })
    await expect(loading).rejects.toThrow(ConfigError)
    await expect(loading).rejects.toThrow(/the option connectors: the node type "mine" of "host" is not usable: /)
  })
})
