/** A client in Python that an outside tool makes of `openapi.json`, as the wheel `flow-service` brings it. */
import { execFile } from 'node:child_process'
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { expect, onTestFinished, test } from 'vitest'

import { home } from '../packages/python/test/python.ts'
import { pythonWith } from './components/python-packages.ts'
import { publishFlow, scaleFlow } from './documents.ts'
import { startService } from './service.ts'

const python = pythonWith('openapi_python_client', 'flit_core')
const generator = join(import.meta.dirname, '../scripts/python-client.ts')
const script = join(import.meta.dirname, 'components', 'python-client.py')

test.skipIf(python === null)(
  'a client generated from openapi.json lacks nothing; from the wheel it submits a run, waits, and reads a refusal',
  async () => {
    await using at = await startService()
    await publishFlow(at.client, 'scale', scaleFlow)
    const folder = await mkdtemp(join(tmpdir(), 'python-client-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const run = (program: string, args: string[], path = '') =>
      promisify(execFile)(program, args, { cwd: folder, env: { ...process.env, PYTHONPATH: path } })
    const copy = join(folder, 'package')
    await cp(home, copy, { recursive: true })
    const { stdout: said, stderr } = await run(process.execPath, [generator, python ?? '', copy])
    // it leaves out what it cannot make sense of, and says so
    expect(`${said}${stderr}`).not.toMatch(/warning/i)
    const wheels = join(folder, 'wheels')
    const made = ['wheel', '--quiet', '--no-deps', '--no-build-isolation', '-w', wheels, copy]
    await run(python ?? '', ['-m', 'pip', ...made])
    const [wheel = ''] = await readdir(wheels)
    const { stdout } = await run(python ?? '', [script, at.baseUrl, at.token], join(wheels, wheel))
    expect(JSON.parse(stdout)).toEqual({
      run: ['ok', 'scale', 7, { scaled: 40 }, ['scale']],
      refused: [422, 'validation_failed', [['/params/n', 'bad_param']]],
    })
  },
)
