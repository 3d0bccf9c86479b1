// Entry of `npm start`, `npm test` and .ci/run. Plain JavaScript without dependencies: Node 20.19 or newer can run it.
// It installs the workspace when that is stale, then runs the task on the repository's own Node.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const fromSource = '--conditions=@flow-service/source'
const TASKS = {
  start: ['node', [fromSource, 'packages/cli/src/bin.ts', 'dev', 'examples/quickstart/flows', '--run', 'estimate_pi']],
  test: ['node', ['scripts/ci.mjs']],
}

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
process.chdir(root)
const win = process.platform === 'win32'
const [task = 'start', ...rest] = process.argv.slice(2)
const env = { ...process.env, PATH: join(root, 'node_modules', '.bin') + delimiter + process.env.PATH }

/** Changes when an install is due. */
function stamp() {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}`)
  const files = ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml']
  for (const dir of ['.', 'packages', 'examples'])
    for (const entry of readdirSync(dir, { withFileTypes: true }))
      if (entry.isDirectory()) files.push(join(dir, entry.name, 'package.json'))
  for (const file of files.sort()) if (existsSync(file)) hash.update(file).update(readFileSync(file))
  return hash.digest('hex')
}

/** Installs the workspace; exits with a sentence when that fails. */
function install() {
  const { pnpm } = JSON.parse(readFileSync('package.json', 'utf8')).config
  console.log('Installing the workspace (once, and again when a manifest changes) ...')
  const args = ['--yes', `pnpm@${pnpm}`, 'install', '--prod=false', '--frozen-lockfile', '--trust-lockfile']
  const done = spawnSync(win ? 'npx.cmd' : 'npx', args, { stdio: ['ignore', 'inherit', 'inherit'], shell: win, env })
  if (done.status !== 0) {
    console.error('The install failed: see above. It needs the npm registry and nothing else.')
    process.exit(done.status ?? 1)
  }
  // The first start is not the one to wait for this; without it, it would make the database itself.
  spawnSync('node', [fromSource, 'scripts/prepare.ts'], { stdio: 'inherit', shell: win, env })
}

if (!TASKS[task]) {
  console.error(`unknown task ${task}: one of ${Object.keys(TASKS).join(', ')}`)
  process.exit(2)
}
const stampFile = join('node_modules', '.install-stamp')
if (!existsSync(stampFile) || readFileSync(stampFile, 'utf8') !== stamp()) {
  install()
  writeFileSync(stampFile, stamp())
}

// nothing to do unless a source of the console has changed
spawnSync('node', ['packages/console/build.mjs'], { stdio: 'inherit', shell: win, env })

const [command, args] = TASKS[task]
const child = spawn(command, [...args, ...rest], { stdio: 'inherit', shell: win, env })
// Ctrl-C reaches the child through the terminal; a signal sent to this process alone is passed on.
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
process.on('SIGINT', () => {
  if (!process.stdin.isTTY) child.kill('SIGINT')
})
child.on('error', (error) => {
  console.error(error.message)
  process.exit(1)
})
child.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)))
