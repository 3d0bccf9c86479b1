/**
 * The npm packages of a manifest, installed in a place of its own by the npm of the engine's Node: without their install
 * scripts, and from the registry alone.
 * @module
 */
import { existsSync, realpathSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'

import type { ModulePackage } from '@flow-service/protocol'

import { BuildFailure, type Building, failureOf, runBuild } from './building.ts'
import type { RequirementLine } from './requirements.ts'

/** What packages are installed of. */
export interface NpmBuild {
  /** Where `package.json` and `node_modules` are to be. */
  readonly path: string
  readonly lines: readonly RequirementLine[]
  /** The registry; null for what the user's .npmrc says, else npm's own. */
  readonly registry: string | null
}

interface Lock {
  readonly packages?: Readonly<Record<string, { readonly version?: string; readonly resolved?: string }>>
}

/** Installs packages; what is there then. Rejects with a {@link BuildFailure}, and leaves nothing then. */
export async function buildNpm(build: NpmBuild, building: Building): Promise<ModulePackage[]> {
  try {
    return await install(build, cleaned(building))
  } catch (error) {
    await rm(build.path, { recursive: true, force: true, maxRetries: 2 })
    throw error
  }
}

async function install({ path, lines, registry }: NpmBuild, building: Building): Promise<ModulePackage[]> {
  const { log, progress } = building
  const cli = findNpm(building.env['PATH'] ?? '')
  if (cli === null) {
    const wanted = lines.map(({ at, text }) => `line ${at + 1} ${JSON.stringify(text)}`).join(', ')
    throw new BuildFailure(
      `${wanted}: there is no npm beside ${process.execPath}, nor on PATH: install Node.js with npm, then apply again`,
    )
  }
  const wanted = lines.flatMap(({ requirement: each }) =>
    each.kind === 'npm' ? [[each.name, each.range] as const] : [],
  )
  const manifest = { name: 'modules', version: '0.0.0', private: true, dependencies: Object.fromEntries(wanted) }
  await mkdir(path, { mode: 0o700 })
  await writeFile(join(path, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  progress({ step: 'resolve', line: null, done: 0, total: lines.length })
  let fetched = 0
  const hear = (line: string): void => {
    if (!/http fetch GET 200 \S+\.tgz/.test(line)) return
    fetched += 1
    progress({ step: 'download', line: null, done: fetched, total: 0 })
  }
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--omit=dev', '--no-update-notifier', '--loglevel=http']
  const from = registry === null ? [] : ['--registry', registry]
  const end = await runBuild(
    { file: process.execPath, args: [cli, 'install', ...flags, ...from], directory: path },
    building,
    hear,
  )
  if (end.exitCode !== 0)
    throw failureOf('npm', end.lines, { lines, marks: /^npm (?:error|ERR!) (?!A complete log)\S+ +\S/, log })
  return await installed(path, lines)
}

/** What the lock says was installed; a package from elsewhere than a registry is refused. */
async function installed(path: string, lines: readonly RequirementLine[]): Promise<ModulePackage[]> {
  const lock = JSON.parse(await readFile(join(path, 'package-lock.json'), 'utf8')) as Lock
  const entries = Object.entries(lock.packages ?? {}).filter(([place]) => place !== '')
  const foreign = entries.find(([, { resolved }]) => resolved !== undefined && !/^https?:/.test(resolved))
  if (foreign) {
    const [place, { resolved }] = foreign
    const all = lines.map(({ text }) => text).join(', ')
    throw new BuildFailure(`${all}: ${nameAt(place)} comes from ${resolved}, and not from the registry`)
  }
  const found = entries.map(([place, { version = '' }]) => ({
    name: nameAt(place),
    version,
    ecosystem: 'npm' as const,
  }))
  return found.toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

const nameAt = (place: string): string => place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length)

/** The program of npm: that of the running Node, else the one on PATH; null when there is none. */
function findNpm(path: string): string | null {
  const beside = dirname(realpathSync(process.execPath))
  const own = [
    join(beside, '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js'),
    join(beside, 'node_modules', 'npm', 'bin', 'npm-cli.js'),
  ]
  const onPath = path.split(delimiter).map((folder) => join(folder, 'npm'))
  const found = [...own, ...onPath].filter((file) => existsSync(file)).map((file) => realpathSync(file))
  return found.find((file) => file.endsWith('.js')) ?? null
}

/** Without what an npm that has started the engine has told it. */
function cleaned(building: Building): Building {
  const env = Object.entries(building.env).filter(([name]) => !/^npm_/i.test(name))
  return { ...building, env: Object.fromEntries(env) }
}
