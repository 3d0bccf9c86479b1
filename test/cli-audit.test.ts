import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, expect, test } from 'vitest'

import { begin, ended, runService } from './cli-process.ts'
import { scaleFlow } from './documents.ts'
import { publish, startService, type TestService } from './service.ts'

let at: TestService
const folder = mkdtempSync(join(tmpdir(), 'cli-audit-'))
beforeAll(async () => {
  at = await startService()
  await publish(at, 'scale', scaleFlow)
  await at.send('PUT', '/secrets/door', { value: 'a value that nobody sees' })
})
afterAll(async () => {
  await at[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

const options = () => ({ cwd: folder, env: { SERVICE_DATA_DIR: at.dataDir } })
const audit = (...args: string[]) => runService(['audit', ...args], options())

test('who did what is a table that people read, filtered by either', async () => {
  const { code, out } = await audit()
  const [head, ...rows] = out.trimEnd().split('\n')
  expect([code, head]).toEqual([0, expect.stringMatching(/^AT +WHO +DID +FLOW +DETAIL$/)])
  expect(rows).toEqual([
    expect.stringMatching(/^\S+ +admin@localhost +secret\.put +- +secret: door$/),
    expect.stringMatching(/^\S+ +admin@localhost +flow\.publish +scale +version: 1, .*$/),
  ])
  expect((await audit('--action', 'secret.', '--actor', 'admin@localhost', '--since', '1h')).out).toContain('door')
  expect((await audit('--flow', 'scale', '--action', 'secret.')).out).toBe('Nobody has changed anything.\n')
  expect((await audit('--until', '1h')).out).toBe('Nobody has changed anything.\n')
  expect(JSON.parse((await audit('--json', '--limit', '1')).out)).toMatchObject([{ action: 'secret.put' }])
})

test('what is done from now on is followed, the oldest first, each once', async () => {
  const child = begin(['audit', '--follow', '--json', '--limit', '1'], options())
  const { code, out } = await ended(child, async () => {
    const lines = (count: number) =>
      new Promise<void>((resolve) => {
        let text = ''
        child.stdout.on('data', (more: string) => {
          text += more
          if (text.split('\n').length > count) resolve()
        })
      })
    await lines(1)
    const more = lines(3)
    for (const name of ['one', 'two', 'three']) await at.send('PUT', `/secrets/${name}`, { value: 'not seen either' })
    await more
    child.kill('SIGINT')
  })
  const told = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { detail: { secret: string } })
  expect([code, told.map(({ detail }) => detail.secret)]).toEqual([0, ['door', 'one', 'two', 'three']])
})

test('following has no end', async () => {
  const { code, err } = await audit('--follow', '--until', '1h')
  expect([code, err]).toEqual([2, expect.stringContaining('leave out --until')])
})
