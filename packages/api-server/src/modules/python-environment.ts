/**
 * A virtual environment with the Python packages of a manifest, built in a place of its own. Only wheels are installed:
 * no code of a package runs before a node imports it. pip is that of the interpreter the environment is made of, or else
 * the one that comes with it; it takes neither variables nor the user's configuration.
 * @module
 */
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import type { ModulePackage } from '@flow-service/protocol'
import { type Interpreter, listPythonPackages, OLDEST_PYTHON } from '@flow-service/worker-agent'

import { BuildFailure, type Building, failureOf, runBuild } from './building.ts'
import { PipProgress } from './pip-progress.ts'
import type { RequirementLine } from './requirements.ts'

/** What an environment is built of. */
export interface PythonBuild {
  /** The interpreter that the environment is made of; null when there is none. */
  readonly base: Interpreter | null
  /** Where the environment is to be. */
  readonly path: string
  readonly lines: readonly RequirementLine[]
  /** The package index; null for PyPI, or what the machine's pip.conf says. */
  readonly index: string | null
}

/** Since 22.3 pip installs for another interpreter. */
const OLDEST_PIP = [22, 3] as const
const quiet = ['--isolated', '--no-input', '--disable-pip-version-check', '--no-color']

/** Builds an environment; what it has. Rejects with a {@link BuildFailure}, and leaves nothing then. */
export async function buildPython(build: PythonBuild, building: Building): Promise<ModulePackage[]> {
  try {
    if (build.base === null) {
      throw new BuildFailure(`the engine's machine has no Python >= ${OLDEST_PYTHON}: install one, then apply again`)
    }
    return await install({ ...build, base: build.base }, cleaned(building))
  } catch (error) {
    await rm(build.path, { recursive: true, force: true, maxRetries: 2 })
    throw error
  }
}

async function install(
  { base, path, lines, index }: PythonBuild & { readonly base: Interpreter },
  building: Building,
): Promise<ModulePackage[]> {
  const made = await runBuild({ file: base.path, args: ['-m', 'venv', '--without-pip', path] }, building)
  const { log } = building
  if (made.exitCode !== 0) {
    const { message } = failureOf(`${base.path} -m venv`, made.lines, { lines: [], marks: /error/i, log })
    throw new BuildFailure(`${message}; it needs the module venv (on Debian the package python3-venv)`)
  }
  const python = join(path, 'bin', 'python')
  const pip = await findPip(base.path, python, building)
  const file = join(building.work, 'requirements.txt')
  await writeFile(file, requirementsFile(lines, index), { mode: 0o600 })
  const progress = new PipProgress(lines, building.progress)
  const args = [...pip.args, 'install', ...quiet, '--progress-bar', 'off', '--retries', '2', '--only-binary', ':all:']
  const end = await runBuild({ file: pip.file, args: [...args, '-r', file] }, building, (line) => progress.hear(line))
  if (end.exitCode !== 0) throw failureOf('pip', end.lines, { lines, marks: /^ERROR: /, log })
  return await packagesOf(python)
}

/** The lines where the manifest has them, so that pip counts as people do. */
function requirementsFile(lines: readonly RequirementLine[], index: string | null): string {
  const file = Array.from({ length: (lines.at(-1)?.at ?? 0) + 1 }, () => '')
  for (const { at, requirement } of lines) if (requirement.kind === 'python') file[at] = requirement.text
  // a file, for a command line is shown to everybody on the machine
  if (index !== null) file.push(`--index-url ${new URL(index).href}`)
  return `${file.join('\n')}\n`
}

/** The pip of the base, when it can install into the environment; else one in the environment. */
async function findPip(base: string, python: string, building: Building) {
  const asked = await runBuild({ file: base, args: ['-m', 'pip', '--isolated', '--version'] }, building)
  const [major = 0, minor = 0] = /^pip (\d+)\.(\d+)/.exec(asked.stdout)?.slice(1).map(Number) ?? []
  const isEnough = major > OLDEST_PIP[0] || (major === OLDEST_PIP[0] && minor >= OLDEST_PIP[1])
  if (asked.exitCode === 0 && isEnough) return { file: base, args: ['-m', 'pip', '--python', python] }
  const ensured = await runBuild({ file: python, args: ['-m', 'ensurepip', '--default-pip'] }, building)
  if (ensured.exitCode === 0) return { file: python, args: ['-m', 'pip'] }
  throw new BuildFailure(
    `${base} has no pip of ${OLDEST_PIP.join('.')} or newer: install one (on Debian the packages python3-pip and python3-venv), then apply again`,
  )
}

/** The packages that an interpreter finds, by name. */
export async function packagesOf(python: string): Promise<ModulePackage[]> {
  const { packages } = await listPythonPackages(python)
  const found = Object.entries(packages).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return found.map(([name, version]) => ({ name, version, ecosystem: 'pypi' }))
}

/** Without what changes where Python and pip look. */
function cleaned(building: Building): Building {
  const env = Object.entries(building.env).filter(
    ([name]) => !/^(?:PIP_|PYTHONPATH$|PYTHONHOME$|VIRTUAL_ENV$)/.test(name),
  )
  return { ...building, env: Object.fromEntries(env) }
}
