/**
 * Makes `service.client` of the package for Python, which is not committed: a client of the whole API, generated from
 * `openapi.json`. Part of a release, before `python -m build packages/python`; a test makes it elsewhere.
 *
 *     node scripts/python-client.ts [interpreter] [folder of the package]
 *
 * The interpreter has openapi-python-client, as `.python-tests` does.
 */
import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'

const root = join(import.meta.dirname, '..')
const [python = join(root, '.python-tests/bin/python'), into = join(root, 'packages/python')] = process.argv.slice(2)
const folder = join(into, 'service', 'client')
rmSync(folder, { recursive: true, force: true })
const document = join(root, 'packages/api-server/openapi.json')
execFileSync(
  python,
  ['-m', 'openapi_python_client', 'generate', '--path', document, '--meta', 'none', '--output-path', folder],
  // it formats what it has made by the ruff of its own environment
  { stdio: 'inherit', env: { ...process.env, PATH: `${dirname(python)}${delimiter}${process.env['PATH']}` } },
)
