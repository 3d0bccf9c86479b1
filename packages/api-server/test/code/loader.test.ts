import { cp, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

import type { CodeEntry } from '@flow-service/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { codeEntry } from '../../src/code/bundle.ts'
import { evaluateModules } from '../../src/code/evaluate.ts'
import { createCodeLoader, type LoadResult } from '../../src/code/loader.ts'
import { buildErrors } from '../../src/code/project.ts'

const fixtures = fileURLToPath(new URL('../fixtures/', import.meta.url))
const packages = fileURLToPath(new URL('../../node_modules/', import.meta.url))
const env = { PATH: process.env['PATH'] ?? '' }
const loader = createCodeLoader({ env })

let directory: string
let basic: LoadResult
beforeAll(async () => {
  directory = await realpath(await mkdtemp(join(tmpdir(), 'code-')))
  basic = await loader.load(join(fixtures, 'flows-basic'))
})
afterAll(async () => {
  await rm(directory, { recursive: true, force: true })
})

/** A project of its own with the basic flows, changed by `edits` of its files. */
async function project(name: string, edits: Record<string, (text: string) => string> = {}): Promise<string> {
  const root = join(directory, name)
  await cp(join(fixtures, 'flows-basic'), join(root, 'flows'), { recursive: true })
  await mkdir(join(root, 'node_modules', '@flow-service'), { recursive: true })
  for (const dependency of ['zod', '@flow-service/flow-sdk', '@flow-service/protocol'])
    await symlink(join(packages, dependency), join(root, 'node_modules', dependency))
  await writeFile(join(root, 'package.json'), '{ "name": "project", "type": "module" }')
  for (const [file, edit] of Object.entries(edits)) {
    const full = join(root, 'flows', file)
    await writeFile(full, edit(await readFile(full, 'utf8').catch(() => '')))
  }
  return join(root, 'flows')
}

const entriesOf = ({ flows }: LoadResult): Record<string, CodeEntry> =>
  Object.fromEntries(
    flows.flatMap(({ document }) =>
      document.nodes.flatMap(({ id, entry }) => (entry === null ? [] : [[id, entry] as const])),
    ),
  )

/** An entry without the modules of packages that the test links from outside of its project. */
const own = (entry: CodeEntry | undefined) =>
  entry && { ...entry, modules: entry.modules.filter(({ path }) => !path.startsWith('..')) }

test('flows are found with the defining module of every definition, however often they are exported [R038]', () => {
  expect(basic.errors).toEqual([])
  expect(basic.flows.map(({ document, module }) => [document.name, document.mode, module])).toEqual([
    ['estimate', 'batch', 'test/fixtures/flows-basic/estimate.ts'],
    ['hall', 'live', 'test/fixtures/flows-basic/hall.ts'],
  ])
  expect(entriesOf(basic)).toMatchObject({
    draw: { module: 'test/fixtures/flows-basic/estimate.ts', export: 'draw' },
    summarise: { module: 'test/fixtures/flows-basic/estimate.ts', export: 'summarise' },
    decide: { module: 'test/fixtures/flows-basic/hall.ts', export: 'decide' },
  })
})

test('a Python file is read beside the module that defines it', async () => {
  const hall = basic.flows.find(({ document }) => document.name === 'hall')
  const round = hall?.document.nodes.find(({ id }) => id === 'round')
  expect(round).toMatchObject({
    type: 'python',
    source: await readFile(join(fixtures, 'flows-basic/round.py'), 'utf8'),
    entry: null,
  })
  expect(hall?.python).toEqual(new Map([['round', 'test/fixtures/flows-basic/round.py']]))
})

test('a Python file brings the modules of its directory that it imports, which are watched with it [R617]', async () => {
  const directoryOf = await project('python', {
    'round.py': (text) => `import digits\n${text}`,
    'digits.py': () => 'places = 1\n',
  })
  const { flows, files } = await loader.load(directoryOf)
  const sources = flows.flatMap(({ document }) => document.nodes.flatMap(({ source }) => source ?? []))
  expect(sources).toEqual([expect.stringContaining('#@module ["digits.py","places = 1\\n"]')])
  expect(files).toContain(join(directoryOf, 'digits.py'))
})

test('an entry lists the project modules that its code reaches [R617]', () => {
  const { draw, summarise } = entriesOf(basic)
  expect(own(draw)?.modules.map(({ path }) => path)).toEqual(['test/fixtures/flows-basic/estimate.ts'])
  expect(own(summarise)?.modules.map(({ path }) => path)).toEqual([
    'test/fixtures/flows-basic/estimate.ts',
    'test/fixtures/flows-basic/lib/ratio.ts',
  ])
})

test('comments, types, unused exports, names of locals and the place of the project keep every digest [R617]', async () => {
  const here = entriesOf(await loader.load(await project('here')))
  const elsewhere = entriesOf(
    await loader.load(
      await project('elsewhere/deeper', {
        'estimate.ts': (text) =>
          `${text.replace('// A comment that changes nothing.', '/* another */\n\n').replaceAll('let inside', 'let hits').replaceAll('inside += 1', 'hits += 1').replace('return { inside }', 'return { inside: hits }')}\nexport const spare = 1\n`,
        'lib/ratio.ts': (text) => text.replace('nobody imports this', 'still nobody').replaceAll('part', 'share'),
      }),
    ),
  )
  for (const id of ['draw', 'summarise', 'decide'])
    expect({ id, ...own(elsewhere[id]) }).toEqual({ id, ...own(here[id]) })
})

test('a change of a helper changes the stages that reach it, and no others [R617]', async () => {
  const before = entriesOf(await loader.load(await project('before')))
  const after = entriesOf(
    await loader.load(
      await project('after', { 'lib/ratio.ts': (text) => text.replace('part / whole', '(2 * part) / whole') }),
    ),
  )
  expect(after['draw']).toEqual(before['draw'])
  expect(after['decide']).toEqual(before['decide'])
  expect(after['summarise']?.digest).not.toBe(before['summarise']?.digest)
  const changed = after['summarise']?.modules.filter(({ path, digest }) =>
    before['summarise']?.modules.some((module) => module.path === path && module.digest !== digest),
  )
  expect(changed?.map(({ path }) => path)).toEqual(['flows/lib/ratio.ts'])
})

test('a change of one stage of a module, its settings too, keeps the digests of the others', async () => {
  const before = entriesOf(await loader.load(await project('stage-before')))
  const after = entriesOf(
    await loader.load(
      await project('stage-after', {
        'estimate.ts': (text) => text.replace('z.int().default(1)', 'z.int().max(9).default(1)'),
      }),
    ),
  )
  expect(after['draw']?.digest).not.toBe(before['draw']?.digest)
  expect(after['summarise']).toEqual(before['summarise'])
})

test('an edited constant is a change of the module that it stands in, wherever it is used', async () => {
  const using = (value: number) => ({
    'lib/constants.ts': () => `export const WEIGHT = ${value}\n`,
    'estimate.ts': (text: string) =>
      `import { WEIGHT } from './lib/constants.ts'\n${text.replace('Quarter.Points * ratio', 'WEIGHT * ratio')}`,
  })
  const [before, after] = await Promise.all(
    [4, 5].map(async (value) => entriesOf(await loader.load(await project(`constant-${value}`, using(value))))),
  )
  expect(after?.['draw']).toEqual(before?.['draw'])
  const digests = new Map(before?.['summarise']?.modules.map(({ path, digest }) => [path, digest]))
  const changed = after?.['summarise']?.modules.filter(({ path, digest }) => digests.get(path) !== digest)
  expect(changed?.map(({ path }) => path)).toEqual(['flows/lib/constants.ts'])
})

test.each([
  ['a call', (value: number) => `const own = Object.freeze([${value}])`],
  ['a schema', (value: number) => `const own = z.int().max(${value})`],
  ['a part of another one', (value: number) => `const whole = { part: ${value} }\nconst own = whole.part * 2`],
])(
  'an edit of what one stage alone uses of its module, such as %s, keeps the digests of the others',
  async (name, text) => {
    const using = (value: number) => ({
      'estimate.ts': (before: string) =>
        before
          .replace('enum Quarter', `${text(value)}\nenum Quarter`)
          .replace('return { inside }', 'return own === undefined ? null : { inside }'),
    })
    const [before, after] = await Promise.all(
      [4, 5].map(async (value) => entriesOf(await loader.load(await project(`own-${name}-${value}`, using(value))))),
    )
    expect(after?.['draw']?.digest).not.toBe(before?.['draw']?.digest)
    expect(after?.['summarise']).toEqual(before?.['summarise'])
  },
)

test('what a module does at its top level stays in every stage of it', async () => {
  const does = (value: number) => ({
    'estimate.ts': (text: string) => `const done = performance.mark('${value}')\n${text}`,
  })
  const [before, after] = await Promise.all(
    [4, 5].map(async (value) => entriesOf(await loader.load(await project(`does-${value}`, does(value))))),
  )
  expect(after?.['summarise']?.digest).not.toBe(before?.['summarise']?.digest)
})

test('the version of an installed package is part of the digest, its code is not', async () => {
  const use = (version: string, text: string) => async (name: string) => {
    const flows = await project(name, {
      'installed.ts': () => `import { three } from 'acme'
import { batchFlow, stage, t } from '@flow-service/flow-sdk'
export const fixed = stage('fixed', { in: {}, out: { x: t.int }, run: () => ({ x: three }) })
export const installed = batchFlow('installed', {}, (_, use) => ({ x: use(fixed, {}).x }))
`,
    })
    const acme = join(flows, '..', 'node_modules', 'acme')
    await mkdir(acme)
    await writeFile(
      join(acme, 'package.json'),
      JSON.stringify({ name: 'acme', version, type: 'module', main: 'index.js' }),
    )
    await writeFile(join(acme, 'index.js'), text)
    const loaded = await loader.load(flows)
    expect(loaded.errors).toEqual([])
    return { entry: entriesOf(loaded)['fixed'], loaded }
  }
  const first = await use('1.0.0', 'export const three = 3\n')('installed-1')
  const patched = await use('1.0.0', 'export const three = 1 + 2\n')('installed-2')
  const upgraded = await use('1.0.1', 'export const three = 3\n')('installed-3')
  expect(patched.entry).toEqual(first.entry)
  expect(upgraded.entry?.digest).not.toBe(first.entry?.digest)
  const flow = first.loaded.flows.find(({ document }) => document.name === 'installed')
  const bundle = await flow?.bundles.get(first.entry?.digest ?? '')?.()
  expect(bundle).toMatchObject({ addons: [] })
  const module = await import(`data:text/javascript,${encodeURIComponent(bundle?.text ?? '')}`)
  expect(module.fixed.run({}, {})).toEqual({ x: 3 })
})

test('a bundle is one text that exports the definition by its name, without the rest of its module', async () => {
  const { draw } = entriesOf(basic)
  const bundle = await basic.flows[0]?.bundles.get(draw?.digest ?? '')?.()
  expect(bundle?.text).not.toMatch(/^\s*(?:import|export)\b.*\bfrom\s*["'](?!node:)/m)
  expect(bundle?.text).not.toContain('summarise')
  const module = await import(`data:text/javascript,${encodeURIComponent(bundle?.text ?? '')}`)
  expect(Object.keys(module)).toEqual(['draw'])
  expect(module.draw.settings.parse({})).toEqual({ scale: 1 })
  const map = JSON.parse(bundle?.map ?? '') as { sources: string[] }
  expect(map.sources).toContain('test/fixtures/flows-basic/estimate.ts')
  expect(map.sources.filter((source) => source.startsWith('/'))).toEqual([])
})

test('a native addon stays outside of the bundle and is named', async () => {
  const flows = await project('native', {
    'native.ts': () => `import native from 'nat'
import { batchFlow, stage, t } from '@flow-service/flow-sdk'
export const fast = stage('fast', { in: {}, out: { x: t.int }, run: () => ({ x: native().three }) })
export const racing = batchFlow('racing', {}, (_, use) => ({ x: use(fast, {}).x }))
`,
  })
  const native = join(flows, '..', 'node_modules', 'nat')
  await mkdir(native)
  await writeFile(join(native, 'package.json'), JSON.stringify({ name: 'nat', version: '1.0.0', main: 'index.js' }))
  await writeFile(join(native, 'index.js'), "module.exports = () => require('./built.node')\n")
  await writeFile(join(native, 'built.node'), 'machine code')
  const { flows: loaded, errors } = await loader.load(flows)
  expect(errors).toEqual([])
  const racing = loaded.find(({ document }) => document.name === 'racing')
  const [make] = racing?.bundles.values() ?? []
  expect((await make?.())?.addons).toEqual([join(native, 'built.node')])
})

test('broken modules are told with their place and leave the others in', async () => {
  const { flows, errors } = await loader.load(join(fixtures, 'flows-broken'))
  expect(flows.map(({ document }) => document.name)).toEqual(['good'])
  const told = errors.map(({ file, line, message }) => [
    file?.replace('test/fixtures/flows-broken/', ''),
    line,
    message,
  ])
  expect(told.toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1))).toEqual([
    ['exits.ts', null, expect.stringMatching(/ended the process that loads it \(exit code 3\) giving up/)],
    [
      'missing-export.ts',
      1,
      expect.stringContaining('"nothing" is not exported by "test/fixtures/flows-broken/good.ts"'),
    ],
    ['no-python.ts', null, expect.stringContaining('the file "./gone.py" of python("gone") cannot be read')],
    ['private.ts', null, expect.stringContaining('export const hidden = stage("hidden", …)')],
    ['same-name.ts', null, expect.stringContaining('test/fixtures/flows-broken/good.ts defines a flow "good" too')],
    ['syntax.ts', 2, expect.any(String)],
    ['throws.ts', 4, 'Error: no setting'],
  ])
  const frame = errors.find(({ file }) => file?.endsWith('throws.ts'))?.frame
  expect(frame).toContain("4:   throw new Error('no setting')\n           ^")
})

test('a path that is no directory is refused in one sentence', async () => {
  const file = join(fixtures, 'flows-basic', 'hall.ts')
  await expect(loader.load(file)).rejects.toThrow(`"${file}" is no directory of flows; name the folder`)
  const gone = join(directory, 'gone')
  await expect(loader.load(gone)).rejects.toThrow(`"${gone}" cannot be read; make it, or name another one`)
})

test('a module that breaks after it was evaluated is told in the same words', async () => {
  const flows = await project('late', { 'broken.ts': () => `export const a = [1, 2\n` })
  const file = join(flows, 'broken.ts')
  const [evaluated] = (await loader.load(flows)).errors
  const place = { root: join(flows, '..'), file, export: 'a', definitions: new Map([[file, new Set(['a'])]]) }
  const bundled = await codeEntry(place).catch((error: unknown) => buildErrors(error, place.root))
  expect(evaluated?.message).toMatch(/^Expected /)
  expect(bundled).toMatchObject([{ file: 'flows/broken.ts', line: evaluated?.line, message: evaluated?.message }])
})

test('a module that never ends loading is given up after its time, and leaves the others in', async () => {
  const { flows, errors } = await createCodeLoader({ env, limitMs: 2_000 }).load(join(fixtures, 'flows-hanging'))
  expect(flows.map(({ document }) => document.name)).toEqual(['good'])
  expect(errors).toMatchObject([
    { file: 'test/fixtures/flows-hanging/loop.ts', message: expect.stringContaining('within 2 s') },
  ])
})

test('a flow that stands outside of the directory is loaded when a module inside exports it', async () => {
  const flows = await project('outside')
  await mkdir(join(flows, 'inside'))
  await writeFile(join(flows, 'inside', 'index.ts'), "export { hall } from '../hall.ts'\n")
  const { flows: loaded, errors } = await loader.load(join(flows, 'inside'))
  expect(errors).toEqual([])
  expect(loaded.map(({ document, module }) => [document.name, module])).toEqual([['hall', 'flows/hall.ts']])
})

test('modules see the given environment only', async () => {
  process.env['LOADER_TEST_SECRET'] = 'x'
  const flows = await project('environment', {
    'look.ts': () => "if (process.env.LOADER_TEST_SECRET) throw new Error('seen')\n",
  })
  expect((await loader.load(flows)).errors).toEqual([])
  delete process.env['LOADER_TEST_SECRET']
})

test('a missing package is told of the module that imports it, also where the engine is part of the project', async () => {
  const root = fileURLToPath(new URL('../../../..', import.meta.url)).replace(/\/$/, '')
  const url = pathToFileURL(join(fixtures, 'flows-basic', 'hall.ts')).href
  const module = { url, output: 'hall.js', code: `import 'no-such-package'` }
  const { errors } = await evaluateModules({ modules: [module], entries: [url] }, { root, env })
  expect(errors).toEqual([
    {
      file: 'packages/api-server/test/fixtures/flows-basic/hall.ts',
      line: null,
      column: null,
      message: expect.stringContaining(`Cannot find package 'no-such-package'`),
      frame: null,
    },
  ])
})
