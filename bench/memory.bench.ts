/**
 * What an engine holds in memory, in its published form: at its peak while it starts, and at rest with all its processes,
 * beside a bare process that opens PGlite on a database of the same size. Only ratios are judged. Linux alone tells it.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, expect, test } from 'vitest'

import { assertBuilt } from './built.ts'
import { cpuMsOf, familyOf, memoryOf } from './processes.ts'

const root = join(import.meta.dirname, '..')
const dir = mkdtempSync(join(tmpdir(), 'bench-memory-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const bin = join(root, 'packages/cli/dist/bin.js')
/** Until an engine has had nothing to do for so long that it has given back what it can. */
const REST_MS = 25_000
const ROUNDS = 3

interface Held {
  readonly peak: number
  readonly rest: number
  /** At rest, with the processes that it has started. */
  readonly tree: number
  /** Of a processor, until it was ready. */
  readonly cpuMs: number
}

async function held(args: readonly string[], isReady: (output: string) => boolean): Promise<Held> {
  const child: ChildProcess = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
  const pid = child.pid ?? 0
  let output = ''
  await new Promise<void>((resolve, reject) => {
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output += text
      if (isReady(output)) resolve()
    })
    child.once('exit', () => reject(new Error(output)))
  })
  const untilReady = cpuMsOf(pid)
  await new Promise((resolve) => setTimeout(resolve, REST_MS))
  const [peak, rest] = [memoryOf(pid, 'VmHWM'), memoryOf(pid, 'VmRSS')]
  const tree = familyOf(pid).reduce((sum, each) => sum + memoryOf(each, 'VmRSS'), 0)
  const exit = once(child, 'exit')
  child.kill('SIGTERM')
  await exit
  return { peak, rest, tree, cpuMs: untilReady }
}

const engine = () =>
  held([bin, 'serve', '--port', '0', '--data', join(dir, 'engine')], (text) => text.includes('listens at'))

const bare = () =>
  held(
    [
      '--input-type=module',
      '--eval',
      `import { createRequire } from 'node:module'
       const require = createRequire(${JSON.stringify(join(root, 'packages/api-server/package.json'))})
       const { PGlite } = await import(require.resolve('@electric-sql/pglite').replace(/\\.cjs$/, '.js'))
       const db = await PGlite.create(${JSON.stringify(join(dir, 'bare'))})
       for (let at = 0; at < 300; at++) await db.query('select ' + at + ', count(*) from pg_class where relname like $1', ['a%'])
       console.log('open')
       process.on('SIGTERM', () => process.exit())
       setInterval(() => {}, 1000)`,
    ],
    (text) => text.includes('open'),
  )

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN
const middle = (all: readonly Held[]): Held => ({
  peak: median(all.map(({ peak }) => peak)),
  rest: median(all.map(({ rest }) => rest)),
  tree: median(all.map(({ tree }) => tree)),
  cpuMs: median(all.map(({ cpuMs: ms }) => ms)),
})
const told = ({ peak, rest, tree, cpuMs: ms }: Held): string =>
  `peak ${peak.toFixed(0)} MiB, rest ${rest.toFixed(0)} MiB, with its processes ${tree.toFixed(0)} MiB, ${ms} ms of a processor until ready`

test(
  'an engine holds at its peak less than half of what bare PGlite does, and less at rest with all its processes',
  { timeout: 600_000 },
  async () => {
    assertBuilt()
    await engine()
    await bare()
    const [engines, bares]: [Held[], Held[]] = [[], []]
    for (let round = 0; round < ROUNDS; round++) {
      engines.push(await engine())
      bares.push(await bare())
    }
    const [ours, plain] = [middle(engines), middle(bares)]
    console.log(`engine: ${told(ours)}\nbare PGlite: ${told(plain)}`)
    expect(ours.peak / plain.peak).toBeLessThan(0.5)
    expect(ours.tree / plain.rest).toBeLessThan(0.9)
  },
)
