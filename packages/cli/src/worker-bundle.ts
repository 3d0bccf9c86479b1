/**
 * `service-worker` as one file, for machines that have no npm: `service worker bundle` writes it. The file holds the
 * package as it is installed, its dependencies in it, and unpacks it before it begins: Python starts its runner from a file,
 * and Node one for bundles.
 *
 * - worker-bundle.W1 what is unpacked is as the file has it: a folder of another user is not taken, and what somebody has
 *   changed or cleaned away is written anew at the next start.
 * - worker-bundle.W2 several workers may start at a time: files appear by renaming.
 * @module
 */
import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

import { rolldown } from 'rolldown'

/** The folder of the installed package. */
const home = dirname(createRequire(import.meta.url).resolve('@flow-service/worker-agent/package.json'))
const isSource = import.meta.url.endsWith('.ts')
const conditionNames = [...(isSource ? ['@flow-service/source'] : []), 'node', 'import', 'default']

/** A program in one file. */
export interface WorkerBundle {
  /** Of the package. */
  readonly version: string
  /** An ECMAScript module for Node; it takes the options of `service-worker`. */
  readonly text: string
}

/** Makes the program. Throws the bundler's error. */
export async function bundleWorker(): Promise<WorkerBundle> {
  const { version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as { version: string }
  const files: Record<string, string> = { 'package.json': JSON.stringify({ version }) }
  for (const name of ['bin', 'node-runner']) files[`dist/${name}.mjs`] = await inOneFile(name)
  const python = globSync('python/**/*.py', { cwd: home }).toSorted()
  for (const path of python) files[path] = readFileSync(join(home, path), 'utf8')
  return { version, text: unpacking(version, JSON.stringify(files)) }
}

/** A program of the package with all that it imports. */
async function inOneFile(name: string): Promise<string> {
  const input = join(home, isSource ? `src/${name}.ts` : `dist/${name}.js`)
  const build = await rolldown({ input, platform: 'node', logLevel: 'silent', resolve: { conditionNames } })
  try {
    const { output } = await build.generate({ format: 'esm', codeSplitting: false })
    return output[0].code.replace(/^#!.*\n/, '')
  } finally {
    await build.close()
  }
}

const unpacking = (version: string, files: string): string => `#!/usr/bin/env node
// service-worker ${version}, written by "service worker bundle": node ${FILE_NAME} --help
import { randomUUID } from 'node:crypto'
import { lstatSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

const files = ${files}
const folder = process.env.SERVICE_WORKER_FILES || join(tmpdir(), 'service-worker-' + process.getuid())
const home = join(folder, 'worker-${version}-${shortDigest(files)}')

function isThere(path, text) {
  try {
    return readFileSync(path, 'utf8') === text
  } catch {
    return false
  }
}

try {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const facts = lstatSync(folder)
  if (!facts.isDirectory() || facts.uid !== process.getuid()) throw new Error('it is no folder of this user')
  for (const [name, text] of Object.entries(files)) {
    const path = join(home, name)
    if (isThere(path, text)) continue
    const fresh = path + '.' + randomUUID()
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(fresh, text)
    renameSync(fresh, path)
  }
} catch (error) {
  console.error('error: cannot unpack into ' + folder + ' (' + error.message + '); set SERVICE_WORKER_FILES to another folder')
  process.exit(1)
}
await import(pathToFileURL(join(home, 'dist', 'bin.mjs')).href)
`

/** The usual name of the file. */
export const FILE_NAME = 'service-worker.mjs'

/** As much of a digest as tells two files apart by their names. */
export const shortDigest = (data: string | Uint8Array): string =>
  createHash('sha256').update(data).digest('hex').slice(0, 12)
