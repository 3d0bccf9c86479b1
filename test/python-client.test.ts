/** A client in Python that an outside tool makes of `openapi.json`. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'

import { expect, onTestFinished, test } from 'vitest'

import { pythonWith } from './components/python-packages.ts'
import { publishFlow, scaleFlow } from './documents.ts'
import { startService } from './service.ts'

const python = pythonWith('openapi_python_client')
const document = join(import.meta.dirname, '../packages/api-server/openapi.json')
const script = join(import.meta.dirname, 'components', 'python-client.py')

test.skipIf(python === null)(
  'a client generated from openapi.json lacks nothing; it submits a run, waits, and reads a refusal',
  async () => {
    await using at = await startService()
    await publishFlow(at.client, 'scale', scaleFlow)
    const folder = await mkdtemp(join(tmpdir(), 'python-client-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const bin = dirname(python ?? '')
    const run = (...args: string[]) =>
      promisify(execFile)(python ?? '', args, {
        cwd: folder,
        env: { ...process.env, PATH: `${bin}${delimiter}${process.env['PATH']}`, PYTHONPATH: folder },
      })
    const made = ['--path', document, '--meta', 'none', '--output-path', join(folder, 'generated')]
    const { stdout: said, stderr } = await run('-m', 'openapi_python_client', 'generate', ...made)
    // it leaves out what it cannot make sense of, and says so
    expect(`${said}${stderr}`).not.toMatch(/warning/i)
    const { stdout } = await run(script, at.baseUrl, at.token)
    expect(JSON.parse(stdout)).toEqual({
      run: ['ok', 'scale', 7, { scaled: 40 }, ['scale']],
      refused: [422, 'validation_failed', [['/params/n', 'bad_param']]],
    })
  },
)
