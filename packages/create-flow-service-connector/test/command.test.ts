import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, expect, test } from 'vitest'

const bin = join(import.meta.dirname, '../src/bin.ts')
let cwd: string
beforeAll(() => void (cwd = mkdtempSync(join(tmpdir(), 'new-connector-'))))
afterAll(() => rmSync(cwd, { recursive: true, force: true }))

async function command(...args: string[]) {
  const child = spawn(process.execPath, ['--conditions=@flow-service/source', bin, ...args], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [out, err] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text))
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, out, err }
}

test('the command makes a package and says what to type next', async () => {
  const { code, out, err } = await command('@me/acme-meter', '--type', 'meter')
  expect([code, err]).toEqual([0, ''])
  expect(out).toContain('Made @me/acme-meter in acme-meter: ')
  expect(out).toContain('\n  cd acme-meter\n  npm install\n  npm test ')
  expect(existsSync(join(cwd, 'acme-meter/src/meter.ts'))).toBe(true)
})

test('its help has the kinds and examples', async () => {
  const { code, out } = await command('--help')
  expect(code).toBe(0)
  expect(out).toMatch(/--kind .*\n +poll +asks the device every few seconds\n/)
  expect(out).toContain('\n  npm create flow-service-connector@latest acme-meter\n')
})

test.each([
  [[], 'error: give the package a name, such as acme-meter'],
  [['a', 'b'], 'error: there is one name, and "b" is too much; leave it out'],
  [['a', '--king', 'poll'], "error: Unknown option '--king'"],
  [['a', '--kind', 'pull'], 'error: there is no kind "pull" of connectors'],
])('wrong usage is told and makes nothing: %j', async (args, message) => {
  const { code, out, err } = await command(...args)
  expect([code, out]).toEqual([2, ''])
  expect(err).toContain(message)
  expect(err).toContain('\n(see --help)\n')
  expect(existsSync(join(cwd, 'a'))).toBe(false)
})
