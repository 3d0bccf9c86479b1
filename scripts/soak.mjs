// The tests that kill engines, for as long as it takes: `npm run soak [kills] [ledger|live|loop|kept|track|engines|races|prompts|console]`, 1,000 of
// them on each backend unless told otherwise. Every half a minute each test prints how far it is, and how many kills it manages in a
// minute. SEED in the environment repeats the moments of an earlier soak, which each test prints. `engines` are faults of seven kinds
// that three engines on a PostgreSQL server have in place of kills. `races` are tests of the test command with thousands of runs in
// place of hundreds, `prompts` those of commands in English with 100,000 prompts, `console` ten minutes of 1,000 values a second on a
// page, and of elements in a page of somebody else.
import { spawnSync } from 'node:child_process'

const suites = {
  ledger: ['test/ledger-kill.test.ts'],
  live: ['test/live-kill.test.ts'],
  loop: ['test/crash-loop.test.ts'],
  kept: ['test/kept-runs-kill.test.ts'],
  track: ['test/track-kill.test.ts'],
  engines: ['test/many-engines.test.ts'],
  races: [
    'packages/api-server/test/runs/run-faults.test.ts',
    'packages/api-server/test/runs/run-artifacts.test.ts',
    'packages/api-server/test/runs/lists/run-lists.test.ts',
    'packages/api-server/test/runs/shared.test.ts',
    'packages/worker-agent/test/python-death.test.ts',
    'test/worker-resume.test.ts',
  ],
  prompts: ['packages/commands-lm/test/safety.test.ts', 'packages/node-types/test/commands-lm-safety.test.ts'],
  console: ['test/console-flow.test.ts', 'test/console-elements.test.ts'],
}
const [kills = '1000', which] = process.argv.slice(2)
if (!/^[1-9]\d{0,6}$/.test(kills)) {
  console.error(`"${kills}" is no number of kills: give one, such as 1000`)
  process.exit(2)
}
if (which !== undefined && !Object.hasOwn(suites, which)) {
  console.error(`there is no soak "${which}": name one of ${Object.keys(suites).join(', ')}, or none for all`)
  process.exit(2)
}
const files = which === undefined ? Object.values(suites).flat() : suites[which]
const projects = ['light', 'unit', 'postgres', 'service'].flatMap((name) => ['--project', name])
const { status } = spawnSync('vitest', ['run', ...projects, '--test-timeout', '600000', ...files], {
  stdio: 'inherit',
  shell: process.platform === 'win32',
  env: { ...process.env, KILLS: kills, SOAK: '1' },
})
process.exit(status ?? 1)
