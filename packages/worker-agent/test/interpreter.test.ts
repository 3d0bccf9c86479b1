import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { describe, expect, onTestFinished, test } from 'vitest'

import { findPython } from '../src/index.ts'
import { python } from './harness.ts'

describe.skipIf(python === null)('finding Python', () => {
  const real = python as string

  function place(files: Record<string, string>): string {
    const home = mkdtempSync(join(tmpdir(), 'home-'))
    onTestFinished(() => rmSync(home, { recursive: true, force: true }))
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(home, path, '..'), { recursive: true })
      if (text === 'real') symlinkSync(real, join(home, path))
      else writeFileSync(join(home, path), `#!/bin/sh\n${text}\n`)
      if (text !== 'real') chmodSync(join(home, path), 0o755)
    }
    return home
  }
  const fake = (name: string, version: string): string => `echo /fake/${name}; echo ${version}`

  test('SERVICE_PYTHON comes first, then the newest name on PATH', async () => {
    const home = place({
      'bin/python3': fake('python3', '3.12.0'),
      'bin/python3.13': fake('python3.13', '3.13.1'),
      'own/python': fake('own', '3.11.2'),
    })
    const env = { PATH: join(home, 'bin'), HOME: home }
    expect(await findPython({ ...env, SERVICE_PYTHON: join(home, 'own/python') })).toMatchObject({ path: '/fake/own' })
    expect(await findPython(env)).toEqual({ path: '/fake/python3.13', version: '3.13.1' })
  })

  test('shims that fail, old versions and missing files are passed over', async () => {
    const home = place({
      'bin/python3.13': 'exit 127',
      'bin/python3.12': 'echo nonsense',
      'bin/python3': fake('old', '3.10.9'),
      'bin/python': fake('good', '3.11.0'),
    })
    const env = { PATH: `${join(home, 'bin')}:/nowhere`, HOME: home, SERVICE_PYTHON: '/nowhere/python' }
    expect(await findPython(env)).toEqual({ path: '/fake/good', version: '3.11.0' })
  })

  test('the newest of the version manager comes last', async () => {
    const versions = '.pyenv/versions'
    const home = place({
      [`${versions}/3.9.1/bin/python`]: fake('3.9', '3.9.1'),
      [`${versions}/3.11.9/bin/python`]: fake('3.11', '3.11.9'),
      [`${versions}/3.12.1/bin/python`]: fake('3.12', '3.12.1'),
    })
    expect(await findPython({ PATH: '', HOME: home })).toEqual({ path: '/fake/3.12', version: '3.12.1' })
  })

  test('null when there is none', async () => {
    expect(await findPython({ PATH: '/nowhere', HOME: '/nowhere' })).toBeNull()
  })
})
