/**
 * Builds and packs the packages as npm would get them, lints the tarballs (publint, attw), installs them into an empty
 * host, checks every line of their declarations, holds packages to their size, runs the host on the oldest Node that they
 * promise (`engines`), and starts a project from nothing on it.
 */
import { spawnSync } from 'node:child_process'
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

const OLDEST_NODE = '22.19.0'
/** Packages that promise how many bytes they are at most, installed. */
const MAX_BYTES = { '@flow-service/commands-lm': 2_000_000 }
const { config, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  config: { pnpm: string }
  devDependencies: Record<string, string>
}
const pnpm = `pnpm@${config.pnpm}`
const packages = [
  ...readdirSync('packages').map((name) => join('packages', name)),
  ...globSync('packages/connectors/*'),
]
  .filter((folder) => existsSync(join(folder, 'package.json')))
  .map((folder) => ({ folder, ...readManifest(folder) }))

/** What the script looks at of a package. */
interface Manifest {
  readonly name: string
  readonly exports: object
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
}

/** Runs a command; a failure ends the script with the command's output. */
function must(command: string, args: string[], cwd = '.', env: NodeJS.ProcessEnv = process.env): string {
  const done = spawnSync(command, args, { cwd, env, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
  if (done.status === 0) return done.stdout
  console.error(`${command} ${args.join(' ')} failed in ${cwd}\n${done.stdout}\n${done.stderr}`)
  process.exit(1)
}

/** Packages of types, in the versions of the workspace. */
const typesOf = (...names: string[]): Record<string, string | undefined> =>
  Object.fromEntries(names.map((name) => [name, devDependencies[name]]))

const dir = mkdtempSync(join(tmpdir(), 'packages-'))
must('npx', ['--yes', pnpm, '-r', '--filter', './packages/**', 'run', 'build'])
const tarballs = packages.map(({ folder, name }) => {
  const into = join(dir, 'tarballs', name)
  mkdirSync(into, { recursive: true })
  must('npx', ['--yes', pnpm, 'pack', '--pack-destination', into], folder)
  return join(into, readdirSync(into)[0] ?? '')
})
const entriesOf = ({ exports }: Manifest): string[] => Object.keys(exports).filter((entry) => !entry.endsWith('.json'))
for (const [at, tarball] of tarballs.entries()) {
  must('publint', ['run', tarball, '--strict'])
  const manifest = packages[at]
  // a package of files alone has nothing to import
  if (manifest && entriesOf(manifest).length > 0) must('attw', [tarball, '--profile', 'esm-only'])
}
console.log(`${tarballs.length} packages pass publint and attw`)

const host = join(dir, 'host')
mkdirSync(host)
const own = Object.fromEntries(tarballs.map((tarball, at) => [packages[at]?.name, `file:${tarball}`]))
writeFileSync(
  join(host, 'package.json'),
  JSON.stringify({
    private: true,
    type: 'module',
    dependencies: { ...own, node: OLDEST_NODE },
    devDependencies: typesOf('@types/node'),
    overrides: own,
    allowScripts: { node: true },
  }),
)
writeFileSync(join(host, 'main.mjs'), readFileSync('scripts/packed-host.mjs'))
// The workspace's own binaries must not shine through: the host sees what npm installed.
const clean = { ...process.env, NODE_OPTIONS: '', npm_config_audit: 'false', npm_config_fund: 'false' }
must('npm', ['install', '--no-package-lock', '--loglevel=error'], host, clean)

for (const [name, most] of Object.entries(MAX_BYTES)) {
  const installed = join(host, 'node_modules', name)
  const files = globSync('**/*', { cwd: installed, withFileTypes: true }).filter((entry) => entry.isFile())
  const bytes = files.reduce((sum, { parentPath, name: file }) => sum + statSync(join(parentPath, file)).size, 0)
  console.log(`${name} is ${bytes} bytes`)
  if (bytes > most) {
    console.error(`${name} is ${bytes} bytes and promises to be ${most} at most`)
    process.exit(1)
  }
}

const entries = packages.flatMap((manifest) => entriesOf(manifest).map((entry) => manifest.name + entry.slice(1)))
writeFileSync(join(host, 'types.ts'), entries.map((entry, at) => `export * as e${at} from '${entry}'\n`).join(''))
const compilerOptions = { module: 'nodenext', target: 'es2023', strict: true, noEmit: true, types: ['node'] }
writeFileSync(join(host, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['types.ts'] }))
// the compiler of the workspace, and what npm installed to read
must('tsc', ['-p', host])
console.log(`the declarations of ${entries.length} entries pass the compiler`)

const output = must(join(host, 'node_modules', '.bin', 'node'), ['main.mjs'], host, clean)
console.log(output.trim())
const oldest = { ...clean, PATH: `${join(host, 'node_modules', '.bin')}${delimiter}${process.env.PATH}` }
console.log(must('node', ['scripts/packed-app.ts', join(dir, 'tarballs')], '.', oldest).trim())
rmSync(dir, { recursive: true, force: true })
