import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { MadeFolder } from '../packages/create-flow-service/test/made-folder.ts'
import { runService } from './cli-process.ts'
import { serviceCommand } from './engine-process.ts'

/** An engine starts, and loads a module, before something is said. */
const patience = { timeout: 60_000 }

test('a project that was made answers its webhook, and runs its batch flow', async () => {
  using made = new MadeFolder()
  const cwd = made.folder
  const { out } = await runService(['init', 'package', '--name', 'flows'], { cwd: made.home })
  expect(out).toMatch(/^Made flows in package: \d+ files.*\n {2}cd package\n {2}npm install\n/s)
  made.link('flow-sdk', 'node-types', 'testing')
  const { scripts } = JSON.parse(made.read('package.json')) as { scripts: { dev: string } }
  const [service, ...args] = scripts.dev.split(' ')
  expect(service).toBe('service')
  const env = { PATH: process.env.PATH, HOME: cwd }
  const engine = spawn(process.execPath, serviceCommand(...args, '--port', '0'), { cwd, env })
  let said = ''
  for (const stream of [engine.stdout, engine.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text))
  const ended = new Promise((resolve) => engine.once('close', resolve))
  try {
    await expect.poll(() => said, patience).toContain('Changes in flows are swapped in.')
    const [, hook = ''] = /curl -i (\S+\/hooks\/postbox\/letters) /.exec(said) ?? []
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ letter: 'wish you were here' })
    expect((await fetch(hook, { method: 'POST', headers, body })).status).toBe(202)
    await expect.poll(() => said, patience).toContain('postbox.read  a letter: wish you were here')
    const first = await runService(['run', 'fit_line', '--watch'], { cwd })
    expect(first.out).toMatch(/^ok in .*^ {2}measure +ok .*^ {2}fit_line\.loss +0\.0.*^ {2}slope = [12]\.\d+$/ms)
    const second = await runService(['run', 'fit_line', '-p', 'rate=0.1', '--watch'], { cwd })
    expect(second.out).toMatch(/^ok in .*^ {2}measure +cached .*^ {2}fit +ok /ms)
    const words = await runService(['messages', 'history', 'postbox.words', '--json'], { cwd })
    expect(JSON.parse(words.out)).toMatchObject([{ value: 4 }])
  } finally {
    engine.kill('SIGTERM')
    await ended
  }
  expect(said).toContain('Stopped.')
})

test('"service init" without a folder makes the project where it is, and answers in JSON', async () => {
  using at = new MadeFolder()
  const { code, out } = await runService(['init', '--name', 'here', '--json'], { cwd: at.home })
  expect(code).toBe(0)
  expect(JSON.parse(out)).toMatchObject({ name: 'here', folder: at.home, manager: 'npm', installed: false })
})

test('"service init" refuses what cannot be made, and makes nothing', async () => {
  using at = new MadeFolder()
  const { code, out, err } = await runService(['init', 'My App'], { cwd: at.home })
  expect([code, out]).toEqual([2, ''])
  expect(err).toContain('error: "My App" is no name for an npm package: it has capital letters; give one with --name')
  expect(existsSync(join(at.home, 'My App'))).toBe(false)
})
