/** The drawings of `ARCHITECTURE.md` against the code: its tree, its arrows, and the files of its ways. */
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, matchesGlob } from 'node:path'

import { expect, test } from 'vitest'

import { titledBlock } from './titled-blocks.ts'

const root = join(import.meta.dirname, '..')
const page = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')
const { arrows, slices } = (await import(join(root, '.dependency-cruiser.mjs'))) as {
  arrows: Readonly<Record<string, readonly string[]>>
  slices: readonly string[]
}
const server = 'packages/api-server/src'

/** Paths of the tree; folders end with a slash. */
const drawn = drawnPaths(titledBlock(page, 'tree'))

/** A line is a name with the spaces of its depth, and words about it behind further spaces. */
function drawnPaths(tree: string): string[] {
  const above: string[] = []
  return tree
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [, spaces = '', name = ''] = /^( *)(\S+)/.exec(line) ?? []
      const depth = spaces.length / 2
      above.splice(depth, above.length, name)
      return above.join('')
    })
}

/** Folders of the sources that hold files; those below `generated` are one with it. */
const folders = [
  ...new Set(
    globSync('packages/*/src/**/*.*', { cwd: root, exclude: (path) => path === 'node_modules' })
      .filter((path) => /\.(?:ts|sql)$/.test(path))
      .map((path) => `${dirname(path).replace(/\/generated\/.*/, '/generated')}/`),
  ),
]

test('every folder of the sources is in the tree', () => {
  expect(folders.length).toBeGreaterThan(30)
  expect(folders.filter((folder) => !drawn.some((path) => matchesGlob(folder, path)))).toEqual([])
})

test('every folder and file of the tree exists', () => {
  const paths = drawn.map((path) => path.replace(/\/$/, ''))
  expect(paths.filter((path) => globSync(path, { cwd: root }).length === 0)).toEqual([])
})

test('the tree has the folders of the repository', () => {
  const entries = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  const visible = entries.map(({ name }) => name).filter((name) => !/^(?:\..*|node_modules|coverage)$/.test(name))
  const top = drawn.filter((path) => /^[^/]+\/$/.test(path)).map((path) => path.slice(0, -1))
  expect(top.toSorted()).toEqual(visible.toSorted())
})

test('the root of the server holds the files of the tree, and no other', () => {
  const files = drawn.filter((path) => dirname(path) === server && path.endsWith('.ts'))
  expect(files.toSorted()).toEqual(globSync(`${server}/*.ts`, { cwd: root }).toSorted())
})

test('the tree has the slices in the order that dependency-cruiser checks, behind the mechanisms', () => {
  const names = drawn.filter((path) => path.startsWith(`${server}/`)).map((path) => path.slice(server.length + 1))
  const inside = names.filter((name) => /^[^/]+\/$/.test(name)).map((name) => name.slice(0, -1))
  const mechanisms = ['process', 'http', 'db', 'egress']
  expect(inside).toEqual([...mechanisms, ...slices.filter((slice) => inside.includes(slice))])
})

/** The packages behind the arrow of each. */
const drawnArrows = Object.fromEntries(
  [...titledBlock(page, 'arrows').matchAll(/^([\w-]+) *->(.*)$/gm)].map(([, name = '', behind = '']) => [
    name,
    [...behind.matchAll(/[\w-]+/g)].map(([each]) => each).toSorted(),
  ]),
)

/** Packages of ours among names on npm, by their folders. */
const arrowsTo = (names: readonly string[]): string[] =>
  [...new Set(names.map((each) => each.replace('@flow-service/', '')))]
    .filter((each) => Object.hasOwn(arrows, each))
    .toSorted()

/** The packages of ours that the sources of one import. */
function importedBy(name: string): string[] {
  const imports = globSync(`packages/${name}/{,*/}src/**/*.{ts,tsx}`, { cwd: root }).flatMap((file) => [
    ...readFileSync(join(root, file), 'utf8').matchAll(
      /^(?:import|export)\b[^;'"]*?'((?:@flow-service\/|create-)[\w-]+)|\b(?:import|resolve)\('((?:@flow-service\/|create-)[\w-]+)/gm,
    ),
  ])
  return arrowsTo(imports.map(([, from, loaded]) => from ?? loaded ?? ''))
}

test('the arrows are those that dependency-cruiser checks', () => {
  const checked = Object.entries(arrows).map(([name, behind]) => [name, behind.toSorted()])
  expect(drawnArrows).toEqual(Object.fromEntries(checked))
})

test.each(Object.keys(arrows))('the imports and dependencies of %s are its arrows, each of which is used', (name) => {
  expect(importedBy(name)).toEqual(drawnArrows[name])
  for (const manifest of globSync(`packages/${name}/{,*/}package.json`, { cwd: root, exclude: ['**/node_modules'] })) {
    const { dependencies, peerDependencies, devDependencies } = JSON.parse(
      readFileSync(join(root, manifest), 'utf8'),
    ) as Readonly<Record<string, object | undefined>>
    // what is bundled has what it imports within
    const needed = name === 'console' ? devDependencies : { ...dependencies, ...peerDependencies }
    expect(arrowsTo(Object.keys(needed ?? {}))).toEqual(drawnArrows[name])
  }
})

test('every package has its arrow', () => {
  expect(Object.keys(arrows).toSorted()).toEqual(readdirSync(join(root, 'packages')).toSorted())
})

/** Files of the ways, as `package: end of the path`. */
const named = [...new Set([...page.matchAll(/`([\w-]+): ([\w./-]+)`/g)].map(([, name, end]) => `${name}: ${end}`))]

test.each(named)('the way through %s leads through one file', (each) => {
  const [name = '', end = ''] = each.split(': ')
  const files = globSync(`packages/${name}/{src,python}/**/*.*`, { cwd: root })
  expect(files.filter((file) => file.endsWith(`/${end}`))).toHaveLength(1)
})
