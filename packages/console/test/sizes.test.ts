/** What a browser loads for the first page, as the engine sends it; `npm test` has built it. */
import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

import { expect, test } from 'vitest'

const dist = fileURLToPath(new URL('../dist/', import.meta.url))
const KB = 1024

interface Part {
  readonly file: string
  readonly isEntry?: boolean
  readonly css?: readonly string[]
  readonly imports?: readonly string[]
}
const manifest = JSON.parse(readFileSync(join(dist, '.vite/manifest.json'), 'utf8')) as Record<string, Part>

/** The files that come with a part at once. */
function filesWith(key: string, seen = new Set<string>()): Set<string> {
  const part = manifest[key]
  for (const file of [part?.file ?? '', ...(part?.css ?? [])]) seen.add(file)
  for (const next of part?.imports ?? []) filesWith(next, seen)
  return seen
}

test('the first page is at most 60 kB, compressed', () => {
  const entry = Object.keys(manifest).find((key) => manifest[key]?.isEntry) ?? ''
  const files = [...filesWith(entry)]
  expect(files.length).toBeGreaterThan(1)
  const bytes = files.reduce((sum, file) => sum + gzipSync(readFileSync(join(dist, file)), { level: 9 }).length, 0)
  console.log(`the first page of the console is ${(bytes / KB).toFixed(1)} kB, compressed`)
  expect(bytes).toBeLessThanOrEqual(60 * KB)
})

test('the page of a flow with its canvas is at most 95 kB, compressed', () => {
  const entry = Object.keys(manifest).find((key) => manifest[key]?.isEntry) ?? ''
  const first = filesWith(entry)
  const files = [...filesWith('src/flow/flow-page.tsx')].filter((file) => !first.has(file))
  expect(files.length).toBeGreaterThan(0)
  const bytes = files.reduce((sum, file) => sum + gzipSync(readFileSync(join(dist, file)), { level: 9 }).length, 0)
  console.log(`the page of a flow is ${(bytes / KB).toFixed(1)} kB, compressed`)
  expect(bytes).toBeLessThanOrEqual(95 * KB)
})

test('the editor of code is at most 185 kB, compressed', () => {
  const key = 'src/parts/code-editor.tsx'
  expect(manifest[key]).toBeDefined()
  const entry = Object.keys(manifest).find((one) => manifest[one]?.isEntry) ?? ''
  const first = filesWith(entry)
  const files = [...filesWith(key)].filter((file) => !first.has(file))
  const bytes = files.reduce((sum, file) => sum + gzipSync(readFileSync(join(dist, file)), { level: 9 }).length, 0)
  console.log(`the editor of code is ${(bytes / KB).toFixed(1)} kB, compressed`)
  expect(bytes).toBeLessThanOrEqual(185 * KB)
})

test('charts with their library are at most 30 kB, compressed', () => {
  const chart = Object.values(manifest).find(({ file }) => /\/chart-[^/]*\.js$/.test(file))
  const files = [chart?.file ?? '', ...(chart?.css ?? [])]
  expect(files).toHaveLength(2)
  const bytes = files.reduce((sum, file) => sum + gzipSync(readFileSync(join(dist, file)), { level: 9 }).length, 0)
  console.log(`charts are ${(bytes / KB).toFixed(1)} kB, compressed`)
  expect(bytes).toBeLessThanOrEqual(30 * KB)
})

test('all of it is at most 1.2 MB', () => {
  const files = globSync('**/*.{css,html,js,svg}', { cwd: dist }).filter((file) => !file.startsWith('elements'))
  expect(files.length).toBeGreaterThan(3)
  expect(files.reduce((sum, file) => sum + statSync(join(dist, file)).size, 0)).toBeLessThanOrEqual(1200 * KB)
})

test('the elements for pages of others are one file of at most 48 kB, compressed', () => {
  expect(globSync('elements/*.{css,js}', { cwd: dist })).toEqual([join('elements', 'elements.js')])
  const bytes = gzipSync(readFileSync(join(dist, 'elements/elements.js')), { level: 9 }).length
  console.log(`the elements of the console are ${(bytes / KB).toFixed(1)} kB, compressed`)
  expect(bytes).toBeLessThanOrEqual(48 * KB)
})
