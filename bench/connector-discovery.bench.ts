/**
 * The start of an engine with 50 packages that have passed their trials, against a start without packages: processes of their
 * own, in alternating rounds. The target is absolute: 500 ms. The first start with packages, which tries them, is told beside.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, expect, test } from 'vitest'

import { doubler, type PackageFiles, writeProject } from '../packages/api-server/test/code/packages/project.ts'
import { serviceCommand } from '../test/engine-process.ts'

const PACKAGES = 50
const ROUNDS = 5
const TARGET_MS = 500
const dir = mkdtempSync(join(tmpdir(), 'bench-packages-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

/** Milliseconds until an engine for a project listens. */
async function start(project: string): Promise<number> {
  const began = performance.now()
  const child = spawn(
    process.execPath,
    serviceCommand('serve', '--port', '0', '--data', join(dir, `${project}-data`)),
    { env: { ...process.env, SERVICE_PROJECT_DIR: join(dir, project) }, stdio: ['ignore', 'pipe', 'pipe'] },
  )
  let output = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text))
  const listens = new Promise<number>((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
      if (output.includes('flow-service listens')) resolve(performance.now() - began)
    })
  })
  const ended = once(child, 'exit').then(() => Promise.reject(new Error(output)))
  const ms = await Promise.race([listens, ended])
  ended.catch(() => {})
  const exit = once(child, 'exit')
  child.kill('SIGTERM')
  await exit
  return ms
}

/** A package of a module with parts, and as many files again that nobody imports. */
function packageOf(at: number): PackageFiles {
  const parts = Array.from({ length: 10 }, (_, part) => `dist/part-${part}.js`)
  const imports = parts.map((_, part) => `import { part as part${part} } from './part-${part}.js'`).join('\n')
  const text = (path: string): [string, string] => [path, `export const part = ${JSON.stringify('x'.repeat(4000))}\n`]
  return {
    types: { [`acme_${at}`]: './dist/index.js' },
    files: {
      'dist/index.js': doubler(imports),
      ...Object.fromEntries([...parts, ...parts.map((path) => path.replace('dist', 'docs'))].map(text)),
    },
  }
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN

test('fifty packages with verdicts add little to a start', async () => {
  const packages = Array.from({ length: PACKAGES }, (_, at) => [`acme-${at}`, packageOf(at)] as const)
  await writeProject(join(dir, 'many'), Object.fromEntries(packages))
  await writeProject(join(dir, 'none'), {})
  await start('none')
  const tried = await start('many')
  const [many, none]: [number[], number[]] = [[], []]
  for (let round = 0; round < ROUNDS; round++) {
    none.push(await start('none'))
    many.push(await start('many'))
  }
  const [withAll, without] = [median(many), median(none)]
  console.log(
    `start: without packages ${Math.round(without)} ms, with ${PACKAGES} ${Math.round(withAll)} ms, ` +
      `with ${PACKAGES} that are tried ${Math.round(tried)} ms`,
  )
  expect(withAll - without).toBeLessThan(TARGET_MS)
})
