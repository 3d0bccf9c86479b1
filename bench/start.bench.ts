/**
 * From the command to the banner: `service dev` with the example flows, on a new and on an existing data directory,
 * against a bare process that opens an embedded PostgreSQL of the same size. Only ratios are judged.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const dir = mkdtempSync(join(tmpdir(), 'bench-start-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

/** Milliseconds until a process has printed a text; it is stopped then. */
async function until(text: string, command: string[]): Promise<number> {
  const started = performance.now()
  const child = spawn(process.execPath, command, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  const seen = new Promise<number>((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk
      if (output.includes(text)) resolve(performance.now() - started)
    })
  })
  const ms = await Promise.race([seen, once(child, 'exit').then(() => Promise.reject(new Error(output)))])
  const exit = once(child, 'exit')
  child.kill('SIGTERM')
  await exit
  return ms
}

const banner = (data: string) =>
  until('flow-service is up.', ['scripts/dev.mjs', 'start', '--port', '0', '--data', join(dir, data)])

const bare = (data: string) =>
  until('open', [
    '--input-type=module',
    '--eval',
    `import { createRequire } from 'node:module'
     const require = createRequire(${JSON.stringify(join(root, 'packages/api-server/package.json'))})
     const { PGlite } = await import(require.resolve('@electric-sql/pglite').replace(/\\.cjs$/, '.js'))
     const db = await PGlite.create(${JSON.stringify(join(dir, data))})
     await db.query('select 1')
     console.log('open')
     process.on('SIGTERM', () => process.exit())
     setInterval(() => {}, 1000)`,
  ])

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN

test('the banner comes soon after the database could', async () => {
  await banner('warm') // fills the caches that an installed workspace has
  const fresh = [await banner('fresh-1'), await banner('fresh-2'), await banner('fresh-3')]
  const again = [await banner('fresh-1'), await banner('fresh-2'), await banner('fresh-3')]
  const bareFresh = [await bare('bare-1'), await bare('bare-2'), await bare('bare-3')]
  const bareAgain = [await bare('bare-1'), await bare('bare-2'), await bare('bare-3')]
  const [f, a, bf, ba] = [fresh, again, bareFresh, bareAgain].map(median) as [number, number, number, number]
  console.log(
    `banner: first start ${Math.round(f)} ms, again ${Math.round(a)} ms; ` +
      `bare PGlite: first ${Math.round(bf)} ms, again ${Math.round(ba)} ms`,
  )
  expect(f / bf).toBeLessThan(2)
  expect(a / ba).toBeLessThan(6)
})
