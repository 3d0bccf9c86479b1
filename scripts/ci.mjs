// Every check of the project, each counted; the closing line is 'N passed, N failed'.
// Names as arguments run only those checks: `node scripts/ci.mjs lint types`.
import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'

const dir = folderIn(tmpdir())
const scratch = folderIn(roomInMemory() ?? tmpdir())
// servers that do not run as root pass through it
chmodSync(scratch, 0o755)
const report = join(dir, 'vitest.json')
const fromSource = '--conditions=@flow-service/source'
const node = (script, ...args) => ['node', [fromSource, script, ...args]]
const examples = readdirSync('examples', { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => [`example ${entry.name}`, ...node(`examples/${entry.name}/main.ts`)])

/** One after the other, and the checks of each two at a time: most of them keep one core busy. */
const groups = [
  [
    // several checkers would each look at what they share, in 3 GB, beside the other check of this moment
    ['types', 'tsc', ['-p', 'tsconfig.json', '--singleThreaded']],
    ['types of the console', 'tsc', ['-p', 'packages/console', '--singleThreaded']],
    [
      'boundaries',
      'depcruise',
      ['packages', 'examples', 'bench', 'test', '--config', '.dependency-cruiser.mjs', '--output-type', 'err'],
    ],
    ['unused', 'knip', []],
    ['generated', ...node('scripts/generate.ts', '--check')],
    ['lint', 'oxlint', ['--type-aware', '--quiet']],
    ['format', 'oxfmt', ['--check', '.']],
  ],
  // has workers of its own
  [['tests', 'vitest', ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`]]],
  [
    ['packages', ...node('scripts/package-check.ts')],
    ['docs', 'npx', ['--yes', pnpmSpec(), '--filter', 'docs-site', 'build']],
    ...examples,
    ['requirements', ...node('scripts/requirements.ts')],
  ],
]

/** The pinned pnpm, as npx takes it. */
function pnpmSpec() {
  return `pnpm@${JSON.parse(readFileSync('package.json', 'utf8')).config.pnpm}`
}

/** A folder of this process; those of processes that were killed go, for they may hold gigabytes of memory. */
function folderIn(parent) {
  for (const name of readdirSync(parent)) {
    const pid = Number(/^ci-(\d+)-/.exec(name)?.[1])
    if (pid > 0 && !isAlive(pid)) discard(join(parent, name))
  }
  return mkdtempSync(join(parent, `ci-${process.pid}-`))
}

/** What cannot go, such as a disk that a test has mounted, stays: it is in nobody's way. */
function discard(folder) {
  try {
    rmSync(folder, { recursive: true, force: true })
  } catch (error) {
    console.log(`${folder} is left behind: ${error.code || error.message}`)
  }
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error.code === 'EPERM'
  }
}

/**
 * A file system in memory, where there is one with room for what tests write: databases in some hundred directories,
 * each of which is synced again and again.
 */
function roomInMemory() {
  const shared = '/dev/shm'
  if (!existsSync(shared)) return null
  const { bavail, bsize } = statfsSync(shared)
  return bavail * bsize >= 4 * 2 ** 30 ? shared : null
}

/** Runs one check, counts how many of its parts passed and failed, and tells it after the check's own output. */
async function run([name, command, args], isAlone) {
  const started = performance.now()
  const { status, output } = await outcome(command, args, isAlone)
  const ok = status === 0
  console.log(`${output}${ok ? 'ok  ' : 'FAIL'} ${name} ${((performance.now() - started) / 1000).toFixed(1)} s`)
  const tests = name === 'tests' ? readReport() : { numPassedTests: ok ? 1 : 0, numFailedTests: 0 }
  const bad = tests.numFailedTests || (ok ? 0 : 1)
  passed += tests.numPassedTests
  failed += bad
  if (bad > 0) failures.push([name, ...(tests.testResults ?? []).flatMap(namesOfFailed)].join('\n  '))
}

/** The tests of a file that failed, or the file, when it could not be read: what a log that was cut ends with. */
function namesOfFailed({ name: path, status, assertionResults }) {
  const file = relative('.', path)
  const failed = assertionResults.filter((test) => test.status === 'failed')
  if (failed.length === 0 && status === 'failed') return [file]
  return failed.map(({ ancestorTitles, title }) => [file, ...ancestorTitles, title].join(' > '))
}

/** How a command ended, and what it wrote: nothing, when it is alone and has written it already. */
function outcome(command, args, isAlone) {
  const child = spawn(command, args, {
    stdio: isAlone ? 'inherit' : ['ignore', 'pipe', 'pipe'],
    shell: process.platform === 'win32',
    env: {
      ...process.env,
      TMPDIR: scratch,
      NODE_COMPILE_CACHE: join(scratch, 'compiled'),
      ASTRO_TELEMETRY_DISABLED: '1',
    },
  })
  const chunks = []
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => chunks.push(chunk))
  return new Promise((resolve) => {
    child.on('error', ({ message }) => resolve({ status: null, output: `${message}\n` }))
    child.on('close', (status) => resolve({ status, output: Buffer.concat(chunks).toString() }))
  })
}

/** The counts of the test runner; none when it broke before writing them. */
function readReport() {
  try {
    return JSON.parse(readFileSync(report, 'utf8'))
  } catch {
    return { numPassedTests: 0, numFailedTests: 0 }
  }
}

const names = groups.flat().map(([name]) => name)
const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !names.includes(name))
if (unknown.length > 0) {
  console.error(`unknown check ${unknown.join(', ')}: one of ${names.join(', ')}`)
  process.exit(2)
}
const failures = []
let passed = 0
let failed = 0
for (const group of groups) {
  const checks = group.filter(([name]) => wanted.length === 0 || wanted.includes(name))
  const isAlone = checks.length === 1
  const runOn = async () => {
    while (checks.length > 0) await run(checks.shift(), isAlone)
  }
  await Promise.all([runOn(), runOn()])
}
for (const each of [dir, scratch]) rmSync(each, { recursive: true, force: true })
for (const failure of failures) console.log(`failed: ${failure}`)
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
