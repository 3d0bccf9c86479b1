import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
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

  describe('behind a shim of pyenv', () => {
    const shim = 'echo shim >> "$0.ran"; exit 127'
    const installed = {
      '.pyenv/shims/python3.13': shim,
      '.pyenv/shims/python3.12': shim,
      '.pyenv/shims/python3': shim,
      '.pyenv/versions/3.12.1/bin/python3.12': fake('3.12', '3.12.1'),
      '.pyenv/versions/3.12.1/bin/python3': fake('3.12', '3.12.1'),
      '.pyenv/versions/3.13.0/bin/python3.13': fake('3.13', '3.13.0'),
    }
    const asked = async (files: Record<string, string>, more: Record<string, string> = {}) => {
      const home = place({ ...installed, ...files })
      const env = { PATH: join(home, '.pyenv/shims'), HOME: home, PYENV_DIR: join(home, 'a/b'), ...more }
      const found = await findPython(env)
      const ran = readdirSync(join(home, '.pyenv/shims')).filter((name) => name.endsWith('.ran'))
      return [found?.version ?? null, ran]
    }

    test('is the version of the machine, of the nearest file, or of the environment, and no shim runs', async () => {
      expect(await asked({ '.pyenv/version': '3.12.1' })).toEqual(['3.12.1', []])
      expect(await asked({ '.pyenv/version': '3.12.1', 'a/.python-version': '3.13.0' })).toEqual(['3.13.0', []])
      expect(await asked({ '.pyenv/version': '3.13.0', 'a/b/.python-version': '# ours\n3.12.1 3.13.0' })).toEqual([
        '3.12.1',
        [],
      ])
      expect(await asked({ '.pyenv/version': '3.12.1' }, { PYENV_VERSION: '3.13.0' })).toEqual(['3.13.0', []])
    })

    test('is the first of several that has the name', async () => {
      expect(await asked({}, { PYENV_VERSION: '3.12.1:3.13.0' })).toEqual(['3.13.0', []])
    })

    test('is nothing where the machine has its own; the newest of all comes last', async () => {
      const newest = { '.pyenv/versions/3.13.0/bin/python': fake('3.13', '3.13.0') }
      expect(await asked({ ...newest, '.pyenv/version': 'system' })).toEqual(['3.13.0', []])
      expect(await asked(newest)).toEqual(['3.13.0', []])
    })

    test('is asked of the shim where only pyenv can tell', async () => {
      expect(await asked({ '.pyenv/version': '3.12' })).toEqual([
        null,
        ['python3.12.ran', 'python3.13.ran', 'python3.ran'],
      ])
    })
  })

  test('null when there is none', async () => {
    expect(await findPython({ PATH: '/nowhere', HOME: '/nowhere' })).toBeNull()
  })
})
