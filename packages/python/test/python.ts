/** Programs with this package, for tests. */
import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** The folder of the package. */
export const home = join(import.meta.dirname, '..')

/** Finds the package without installing it, and leaves no compiled files in the checkout. */
export const environment: NodeJS.ProcessEnv = { ...process.env, PYTHONPATH: home, PYTHONDONTWRITEBYTECODE: '1' }

/** What a program prints, executed in the folder of the package. Rejects with all that it has printed when it fails. */
export async function printed(python: string, ...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(python, args, { cwd: home, env: environment })
  return stdout
}

/** Makes the wheel in a folder of its own. `python` has flit_core and pip; `discard` removes the folder. */
export async function builtWheel(python: string): Promise<{ into: string; wheel: string; discard: () => void }> {
  const into = mkdtempSync(join(tmpdir(), 'wheel-'))
  await printed(python, '-m', 'pip', 'wheel', '--quiet', '--no-deps', '--no-build-isolation', '-w', into, '.')
  const [wheel = ''] = readdirSync(into)
  return { into, wheel, discard: () => rmSync(into, { recursive: true, force: true }) }
}
