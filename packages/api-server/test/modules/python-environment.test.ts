import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { findPython } from '../../../worker-agent/src/index.ts'
import { BuildLog } from '../../src/modules/build-log.ts'
import { buildPython, packagesOf } from '../../src/modules/python-environment.ts'
import { readManifest } from '../../src/modules/requirements.ts'
import { type PackageIndex, startIndex } from './package-index.ts'

const python = await findPython(process.env)
const LONG_MS = 600_000

describe.skipIf(python === null)('an environment', { timeout: LONG_MS }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'environments-'))
  let index: PackageIndex
  beforeAll(async () => {
    index = await startIndex([{ name: 'colour', version: '1.0', source: '' }])
  })
  afterAll(async () => {
    await index[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true, force: true })
  })

  /** A build in a place of its own. */
  const building = async (name: string, env: NodeJS.ProcessEnv = process.env) => {
    const work = join(folder, `work-${name}`)
    await mkdir(work)
    const log = new BuildLog(String)
    return { signal: new AbortController().signal, log, env: env as Record<string, string>, work, progress() {} }
  }

  test('is made of an interpreter that has no pip by the one that comes with Python', async () => {
    const bare = join(folder, 'bare')
    execFileSync(python?.path ?? '', ['-m', 'venv', '--without-pip', bare])
    const base = { path: join(bare, 'bin', 'python'), version: python?.version ?? '' }
    const path = join(folder, 'made')
    const { python: lines } = readManifest('colour')
    const packages = await buildPython({ base, path, lines, index: index.pipIndexUrl }, await building('bare'))
    expect(packages).toContainEqual({ name: 'colour', version: '1.0', ecosystem: 'pypi' })
    expect(await packagesOf(base.path)).toEqual([])
  })

  test('takes nothing that variables say of where packages come from [T84]', async () => {
    const env = { ...process.env, PIP_INDEX_URL: 'http://127.0.0.1:1/', PIP_NO_BINARY: ':all:', PYTHONPATH: folder }
    const path = join(folder, 'isolated')
    const { python: lines } = readManifest('# one\ncolour==1.0')
    const build = { base: python, path, lines, index: index.pipIndexUrl }
    const packages = await buildPython(build, await building('isolated', env))
    expect(packages).toEqual([{ name: 'colour', version: '1.0', ecosystem: 'pypi' }])
  })

  test('of an interpreter that cannot make one is none, and nothing is left of it', async () => {
    const base = { path: '/bin/false', version: '3.12.0' }
    const path = join(folder, 'impossible')
    const { python: lines } = readManifest('colour')
    const made = buildPython({ base, path, lines, index: null }, await building('impossible'))
    await expect(made).rejects.toThrow('it needs the module venv (on Debian the package python3-venv)')
    const none = buildPython({ base: null, path, lines, index: null }, await building('none'))
    await expect(none).rejects.toThrow("the engine's machine has no Python >= 3.11: install one")
    expect(existsSync(path)).toBe(false)
    expect(readdirSync(join(folder, 'work-impossible'))).toEqual([])
  })
})
