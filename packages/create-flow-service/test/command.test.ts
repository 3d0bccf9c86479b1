import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { MadeFolder } from './made-folder.ts'

const bin = join(import.meta.dirname, '../src/bin.ts')
const source = '--conditions=@flow-service/source'

async function command(cwd: string, ...args: string[]) {
  const env = { PATH: process.env.PATH, npm_config_user_agent: 'pnpm/12.0.0' }
  // a standard input that is no terminal, and stays open: who asks would wait for ever
  const child = spawn(process.execPath, [source, bin, ...args], { cwd, env })
  let [out, err] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text))
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, out, err }
}

test('the command makes a project and says what to type next', async () => {
  using at = new MadeFolder()
  const { code, out, err } = await command(at.home, 'my flows', '--name', 'my-flows', '--git')
  expect([code, err]).toEqual([0, ''])
  expect(out).toContain('Made my-flows in my flows: 11 files')
  expect(out).toContain('\n  cd "my flows"\n  pnpm install\n  pnpm test ')
  expect(existsSync(join(at.home, 'my flows/.git/HEAD'))).toBe(true)
})

test('in the folder itself nothing says to change to it', async () => {
  using at = new MadeFolder()
  const { code, out } = await command(at.home, '.', '--name', 'here')
  expect(code).toBe(0)
  expect(out).toMatch(/^Made here in \.: .*\n\nNext:\n {2}pnpm install\n/)
})

test('its help has options, examples and what comes after', async () => {
  using at = new MadeFolder()
  const { code, out } = await command(at.home, '--help')
  expect(code).toBe(0)
  for (const option of ['--name <name>', '--install', '--git']) expect(out).toContain(`\n  ${option} `)
  expect(out).toContain('\n  npm create flow-service@latest my-app\n')
  expect(out).toContain('\n  npx service run fit_line --watch ')
})

test.each([
  [[], 'error: give the folder to make, such as my-app'],
  [[''], 'error: give the folder to make, such as my-app'],
  [['a', 'b'], 'error: there is one folder, and "b" is too much; leave it out'],
  [['a', '--nam', 'b'], "error: Unknown option '--nam'"],
  [['a', '--name', 'A'], 'error: "A" is no name for an npm package: it has capital letters'],
])('wrong usage is told and makes nothing, and without a terminal nothing is asked: %j', async (args, message) => {
  using at = new MadeFolder()
  const { code, out, err } = await command(at.home, ...args)
  expect([code, out]).toEqual([2, ''])
  expect(err).toContain(message)
  expect(err).toContain('\n(see --help)\n')
  expect(existsSync(join(at.home, 'a'))).toBe(false)
})
