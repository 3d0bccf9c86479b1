/**
 * Packages of Python that only tests need, where `.ci/run` installs them.
 * @module
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'

const ENVIRONMENT = path.join(import.meta.dirname, '../../.python-tests')
const INSTALL = 'python3 -m venv .python-tests && .python-tests/bin/pip install -r test/components/requirements.txt'

/** A Python that can import all of these; null, and a line that says so, without one. Throws then where `CI` is set. */
export function pythonWith(...modules: string[]): string | null {
  const found = [path.join(ENVIRONMENT, 'bin', 'python'), 'python3'].find(
    (python) =>
      (python === 'python3' || existsSync(python)) &&
      spawnSync(python, ['-c', `import ${modules.join(', ')}`]).status === 0,
  )
  if (found !== undefined) return found
  const text = `no Python has ${modules.join(', ')} (${INSTALL})`
  if (process.env['CI']) throw new Error(`${text}, and CI must not skip it`)
  console.log(`skipped: ${text}`)
  return null
}
