import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { describe, expect, onTestFinished, test } from 'vitest'

import { pythonWith } from '../../../test/components/python-packages.ts'
import { pythons } from '../../../test/components/pythons.ts'
import { rig } from '../../worker-agent/test/harness.ts'
import { builtWheel, environment, home, printed } from './python.ts'

const [, version] = /^version = "(.*)"$/m.exec(readFileSync(join(home, 'pyproject.toml'), 'utf8')) ?? []
const tools = pythonWith('flit_core', 'mypy', 'ruff')

describe.skipIf(tools === null)('the package', () => {
  const python = tools ?? ''

  test('is sound by its types, and written as ruff writes', async () => {
    const cache = mkdtempSync(join(tmpdir(), 'mypy-'))
    onTestFinished(() => rmSync(cache, { recursive: true, force: true }))
    const checks = [
      ['mypy', '--cache-dir', cache, 'service'],
      ['ruff', 'check', '--no-cache', '--quiet', '.'],
      ['ruff', 'format', '--no-cache', '--quiet', '--check', '.'],
    ]
    for (const check of checks) await expect(printed(python, '-m', ...check)).resolves.toBeDefined()
  })

  test('is a wheel that needs nothing, by which every Python imports it with its types and its command', async () => {
    const { into, wheel, discard } = await builtWheel(python)
    onTestFinished(discard)
    expect(wheel).toBe(`flow_service-${version}-py3-none-any.whl`)
    const env = { ...environment, PYTHONPATH: join(into, wheel) }
    for (const each of pythons) {
      const named = 'from service import track; import service.mlflow as m; print(track.__file__, *m.__all__)'
      const told = execFileSync(each, ['-c', named], { cwd: into, env, encoding: 'utf8' })
      expect(told).toContain(`${wheel}/service/track/__init__.py ActiveRun active_run`)
      const help = execFileSync(each, ['-m', 'service.track', '--help'], { cwd: into, env, encoding: 'utf8' })
      expect(help).toContain('usage: python -m service.track')
    }
    const files = await printed(python, '-m', 'zipfile', '-l', join(into, wheel))
    for (const file of ['service/py.typed', 'licenses/LICENSE']) expect(files).toContain(file)
    const metadata = `import zipfile; print(zipfile.ZipFile(${JSON.stringify(join(into, wheel))}).read("flow_service-${version}.dist-info/METADATA").decode())`
    const needs = (await printed(python, '-c', metadata)).split('\n').filter((line) => line.startsWith('Requires-Dist'))
    expect(needs.filter((line) => !line.includes('extra ==')).join()).toBe('')
  })

  test('does not stand before the module that node code imports, and is not found there', async () => {
    const { into, wheel, discard } = await builtWheel(python)
    const folder = mkdtempSync(join(tmpdir(), 'node-environment-'))
    onTestFinished(() => {
      discard()
      rmSync(folder, { recursive: true, force: true })
    })
    const venv = join(folder, 'venv')
    await printed(python, '-m', 'venv', '--without-pip', venv)
    const ours = join(venv, 'bin', 'python')
    const where = (await printed(ours, '-c', 'import sysconfig; print(sysconfig.get_path("purelib"))')).trim()
    await printed(
      python,
      '-m',
      'pip',
      'install',
      '--quiet',
      '--no-deps',
      '--no-index',
      '--target',
      where,
      join(into, wheel),
    )
    const outside = 'import service.track; print(service.track.__file__)'
    expect(execFileSync(ours, ['-c', outside], { cwd: folder, encoding: 'utf8' })).toContain(where)
    const at = rig({ python: ours })
    const source = `
import subprocess, sys
import service
from service import emit, track
def run():
    emit(loss=0.5)
    try:
        track.run("fit")
    except RuntimeError as error:
        told = str(error)
    script = "from service import track; print(track.__file__)"
    child = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd="/")
    return {"y": [service.__file__, told, child.stdout]}
`
    const call = at.begin({ source })
    const last = await at.last(call)
    expect(last).toMatchObject({
      outputs: {
        y: [
          expect.stringContaining('worker-agent/python/service/__init__.py'),
          expect.stringMatching(/scripts and notebooks.*emit\(loss=0\.3\)/),
          expect.stringContaining(where),
        ],
      },
    })
    expect(at.emitted(call)).toEqual([{ loss: 0.5 }])
  })
})

test('the package has the version of all packages', () => {
  const protocol = readFileSync(join(home, '../protocol/package.json'), 'utf8')
  expect(version).toBe((JSON.parse(protocol) as { version: string }).version)
})
