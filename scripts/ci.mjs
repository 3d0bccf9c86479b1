// Every check of the project, each counted; the closing line is 'N passed, N failed'.
// Names as arguments run only those checks: `node scripts/ci.mjs lint types`.
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const dir = mkdtempSync(join(tmpdir(), 'ci-'))
const scratch = mkdtempSync(join(roomInMemory() ?? tmpdir(), 'ci-'))
// servers that do not run as root pass through it
chmodSync(scratch, 0o755)
const report = join(dir, 'vitest.json')
const fromSource = '--conditions=@flow-service/source'
const node = (script, ...args) => ['node', [fromSource, script, ...args]]
const examples = readdirSync('examples', { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => [`example ${entry.name}`, ...node(`examples/${entry.name}/main.ts`)])

const checks = [
  ['format', 'oxfmt', ['--check', '.']],
  ['lint', 'oxlint', ['--type-aware', '--quiet']],
  ['types', 'tsc', ['-p', 'tsconfig.json']],
  [
    'boundaries',
    'depcruise',
    ['packages', 'examples', 'bench', 'test', '--config', '.dependency-cruiser.mjs', '--output-type', 'err'],
  ],
  ['unused', 'knip', []],
  ['generated', ...node('scripts/generate.ts', '--check')],
  ['tests', 'vitest', ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`]],
  ['requirements', ...node('scripts/requirements.ts')],
  ...examples,
  ['packages', ...node('scripts/package-check.ts')],
  ['docs', 'npx', ['--yes', pnpmSpec(), '--filter', 'docs-site', 'build']],
]

/** The pinned pnpm, as npx takes it. */
function pnpmSpec() {
  return `pnpm@${JSON.parse(readFileSync('package.json', 'utf8')).config.pnpm}`
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

/** Runs one check and returns how many of its parts passed and failed. */
function run([name, command, args]) {
  const started = performance.now()
  const env = { ...process.env, TMPDIR: scratch, ASTRO_TELEMETRY_DISABLED: '1' }
  const { status } = spawnSync(command, args, { stdio: 'inherit', shell: process.platform === 'win32', env })
  const ok = status === 0
  console.log(`${ok ? 'ok  ' : 'FAIL'} ${name} ${((performance.now() - started) / 1000).toFixed(1)} s`)
  if (name !== 'tests') return ok ? [1, 0] : [0, 1]
  const { numPassedTests, numFailedTests } = readReport()
  return [numPassedTests, numFailedTests + (ok || numFailedTests > 0 ? 0 : 1)]
}

/** The counts of the test runner; none when it broke before writing them. */
function readReport() {
  try {
    return JSON.parse(readFileSync(report, 'utf8'))
  } catch {
    return { numPassedTests: 0, numFailedTests: 0 }
  }
}

const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !checks.some(([check]) => check === name))
if (unknown.length > 0) {
  console.error(`unknown check ${unknown.join(', ')}: one of ${checks.map(([name]) => name).join(', ')}`)
  process.exit(2)
}
const failures = []
let passed = 0
let failed = 0
for (const check of checks) {
  if (wanted.length > 0 && !wanted.includes(check[0])) continue
  const [good, bad] = run(check)
  passed += good
  failed += bad
  if (bad > 0) failures.push(check[0])
}
for (const each of [dir, scratch]) rmSync(each, { recursive: true, force: true })
if (failures.length > 0) console.log(`failed: ${failures.join(', ')}`)
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
