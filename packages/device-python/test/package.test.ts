import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { describe, expect, onTestFinished, test } from 'vitest'

import { pythonWith } from '../../../test/components/python-packages.ts'
import { pythons } from '../../../test/components/pythons.ts'
import { environment, home, printed } from './python.ts'

const [, version] = /^version = "(.*)"$/m.exec(readFileSync(join(home, 'pyproject.toml'), 'utf8')) ?? []
const tools = pythonWith('flit_core', 'mypy', 'ruff')

describe.skipIf(tools === null)('the package', () => {
  const python = tools ?? ''

  test('is sound by its types, and written as ruff writes', async () => {
    const cache = mkdtempSync(join(tmpdir(), 'mypy-'))
    onTestFinished(() => rmSync(cache, { recursive: true, force: true }))
    const checks = [
      ['mypy', '--cache-dir', cache, 'flow_service_device'],
      ['ruff', 'check', '--no-cache', '--quiet', '.'],
      ['ruff', 'format', '--no-cache', '--quiet', '--check', '.'],
    ]
    for (const check of checks) await expect(printed(python, '-m', ...check)).resolves.toBeDefined()
  })

  test('is a wheel, by which every Python imports it with its types and its command', async () => {
    const into = mkdtempSync(join(tmpdir(), 'wheel-'))
    onTestFinished(() => rmSync(into, { recursive: true, force: true }))
    await printed(python, '-m', 'pip', 'wheel', '--quiet', '--no-deps', '--no-build-isolation', '-w', into, '.')
    const [wheel = ''] = readdirSync(into)
    expect(wheel).toBe(`flow_service_device-${version}-py3-none-any.whl`)
    const env = { ...environment, PYTHONPATH: join(into, wheel) }
    const named = 'import flow_service_device as d; print(d.__file__, *d.__all__)'
    for (const each of pythons) {
      const told = execFileSync(each, ['-c', named], { cwd: into, env, encoding: 'utf8' })
      expect(told).toContain(`${wheel}/flow_service_device/__init__.py Binding Device`)
      const help = execFileSync(each, ['-m', 'flow_service_device', '--help'], { cwd: into, env, encoding: 'utf8' })
      expect(help).toContain('usage: python -m flow_service_device')
    }
    const files = await printed(python, '-m', 'zipfile', '-l', join(into, wheel))
    for (const file of ['device.py', 'py.typed', 'licenses/LICENSE']) expect(files).toContain(file)
  })
})

test('the package has the version of all packages', () => {
  const protocol = readFileSync(join(home, '../protocol/package.json'), 'utf8')
  expect(version).toBe((JSON.parse(protocol) as { version: string }).version)
})

test.each(pythons)('the file alone is a program, with %s', async (python) => {
  const help = await printed(python, 'flow_service_device/device.py', 'pair', '--help')
  expect(help).toContain('usage: device.py pair')
})
