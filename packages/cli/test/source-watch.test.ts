import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterEach, beforeEach, expect, test } from 'vitest'

import { type SourceWatch, watchSources } from '../src/source-watch.ts'

let folder: string
let watch: SourceWatch
let calls: number
let files: string[]
/** Looks that were taken. */
let looks: number
/** What a call of `changed` does. */
let act: () => Promise<void>
const write = (name: string, text = 'x') => {
  mkdirSync(join(folder, name, '..'), { recursive: true })
  writeFileSync(join(folder, name), text)
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'watch-'))
  write('flows/a.ts')
  calls = 0
  files = []
  looks = 0
  act = async () => {}
  watch = watchSources({
    directories: [join(folder, 'flows'), join(folder, 'acme')],
    files() {
      looks += 1
      return files
    },
    changed: async () => {
      calls += 1
      await act()
    },
  })
})
afterEach(async () => {
  await watch.close()
  rmSync(folder, { recursive: true, force: true })
})

test('new, changed, replaced and removed sources are told, also in folders that are new', async () => {
  watch.start()
  write('flows/b.ts')
  await expect.poll(() => calls).toBe(1)
  write('flows/b.ts', 'longer')
  await expect.poll(() => calls).toBe(2)
  write('flows/deep/er/c.py')
  await expect.poll(() => calls).toBe(3)
  write('flows/deep/er/c.py', 'more')
  await expect.poll(() => calls).toBe(4)
  // as editors save
  write('fresh')
  renameSync(join(folder, 'fresh'), join(folder, 'flows/a.ts'))
  await expect.poll(() => calls).toBe(5)
  rmSync(join(folder, 'flows/b.ts'))
  await expect.poll(() => calls).toBe(6)
})

test('what changes before the watch begins is told, what does not belong to the sources is not', async () => {
  write('flows/a.ts', 'changed')
  watch.start()
  await expect.poll(() => calls).toBe(1)
  write('flows/log.csv')
  write('flows/node_modules/x/index.js')
  write('flows/.cache/y.ts')
  // in order: had they been told, this would be the second
  write('flows/z.ts')
  await expect.poll(() => calls).toBe(2)
})

test('what changes during a call causes the next one, and calls do not overlap', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  act = () => promise
  watch.start()
  write('flows/a.ts', 'one')
  await expect.poll(() => calls).toBe(1)
  write('flows/a.ts', 'two more')
  act = async () => {}
  expect(calls).toBe(1)
  resolve()
  await expect.poll(() => calls).toBe(2)
})

test('files elsewhere are watched from when they are known', async () => {
  write('lib/factor.ts')
  act = async () => {
    files = [join(folder, 'lib/factor.ts')]
  }
  watch.start()
  write('flows/a.ts', 'imports it')
  await expect.poll(() => calls).toBe(1)
  await expect.poll(() => looks).toBe(2)
  expect(calls).toBe(1)
  write('lib/factor.ts', 'changed')
  await expect.poll(() => calls).toBe(2)
})

test('a folder that goes away and comes back is told both times', async () => {
  watch.start()
  rmSync(join(folder, 'flows'), { recursive: true })
  await expect.poll(() => calls).toBe(1)
  write('flows/a.ts', 'back')
  await expect.poll(() => calls).toBe(2)
})

test('nothing is told after the end', async () => {
  watch.start()
  await watch.close()
  const told = Promise.withResolvers<void>()
  const other = watchSources({ directories: [folder], files: () => [], changed: async () => told.resolve() })
  other.start()
  write('flows/a.ts', 'late')
  await told.promise
  await other.close()
  expect(calls).toBe(0)
})

test('folders are watched side by side, also one that comes later', async () => {
  watch.start()
  write('acme/src/meter.ts')
  await expect.poll(() => calls).toBe(1)
  write('acme/src/meter.ts', 'longer')
  await expect.poll(() => calls).toBe(2)
  write('acme/node_modules/.flow-service/1/bundle.js')
  write('flows/a.ts', 'longer')
  await expect.poll(() => calls).toBe(3)
})
