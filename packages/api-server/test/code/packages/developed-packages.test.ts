import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, onTestFinished, test } from 'vitest'

import { DevelopedPackages } from '../../../src/code/packages/developed-packages.ts'
import { LoadedTypes } from '../../../src/code/packages/loaded-types.ts'
import { doubler, writePackage, writeProject } from './project.ts'

/** A package with its sources in a folder of the test. */
async function developed(files: Readonly<Record<string, string>>, toldAfter?: number) {
  const folder = await mkdtemp(join(tmpdir(), 'developed-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await writeProject(folder, {})
  await writePackage(folder, 'acme', { types: { acme: './dist/index.js' }, files })
  const lines: string[] = []
  const log = { warn: (_fields: object, line: string) => void lines.push(line) }
  const names = new LoadedTypes(['http'])
  const packages = new DevelopedPackages({
    folders: [folder],
    names,
    log,
    ...(toldAfter !== undefined && { toldAfter }),
  })
  await packages.open()
  const write = (file: string, text: string) => writeFile(join(folder, file), text)
  return { folder, lines, names, packages, write }
}

test('what is built is loaded where there are no sources, and comments are no change', async () => {
  const { packages, names, write } = await developed({ 'dist/index.js': doubler() })
  expect(packages.errors).toEqual([])
  expect(names.taken('acme')).toMatch(/of the package acme 1\.0\.0\+dev\.[0-9a-f]{8} already/)
  await write('dist/index.js', doubler('// a comment'))
  expect(await packages.reload()).toEqual([])
})

test('files are found from the place of the sources', async () => {
  const { packages } = await developed({
    'src/index.ts': doubler(
      `import { readFileSync } from 'node:fs'\nif (readFileSync(new URL('../words.txt', import.meta.url), 'utf8') !== 'found') throw new Error('lost')`,
    ),
    'words.txt': 'found',
  })
  expect(packages.errors).toEqual([])
})

test('that versions stay in memory is told once', async () => {
  const { packages, lines, write } = await developed({ 'src/index.ts': doubler() }, 2)
  const said: number[] = []
  for (const number of [1, 2, 3, 4]) {
    // oxlint-disable-next-line no-await-in-loop -- one version after the other
    await write('src/index.ts', doubler(`console.assert(${number})`))
    // oxlint-disable-next-line no-await-in-loop
    await packages.reload()
    said.push(lines.length)
  }
  expect(said).toEqual([0, 0, 1, 1])
  expect(lines).toEqual([
    expect.stringMatching(/reloaded 3 times, and every version stays in memory; start the engine again/),
  ])
})
