/** Programs of this package, for tests. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** The folder of the package. */
export const home = join(import.meta.dirname, '..')

/** Finds the package without installing it, and leaves no compiled files in the checkout. */
export const environment: NodeJS.ProcessEnv = { ...process.env, PYTHONPATH: home, PYTHONDONTWRITEBYTECODE: '1' }

/** What a program prints. Rejects with all that it has printed when it fails. */
export async function printed(python: string, ...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(python, args, { cwd: home, env: environment })
  return stdout
}
