// The tests that kill engines, for as long as it takes: `pnpm soak [kills]`, 1,000 of them unless told otherwise. SEED in
// the environment repeats the moments of an earlier soak, which each test prints.
import { spawnSync } from 'node:child_process'

const [kills = '1000'] = process.argv.slice(2)
if (!/^[1-9]\d{0,6}$/.test(kills)) {
  console.error(`"${kills}" is no number of kills: give one, such as 1000`)
  process.exit(2)
}
const files = ['ledger-kill', 'live-kill', 'crash-loop'].map((name) => `test/${name}.test.ts`)
const { status } = spawnSync('vitest', ['run', '--project', 'service', ...files], {
  stdio: 'inherit',
  shell: process.platform === 'win32',
  env: { ...process.env, KILLS: kills },
})
process.exit(status ?? 1)
