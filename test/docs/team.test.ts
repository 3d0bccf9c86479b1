/** The guide for teams: its script runs here from an empty data directory, and prints what it says. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

import { expect, onTestFinished, test } from 'vitest'

import { serviceCommand } from '../engine-process.ts'
import { startService } from '../service.ts'
import { receiver } from './alert-receiver.ts'

/** What differs each time, as the script writes it. */
const told = (stdout: string): string[] =>
  stdout
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '...')
    .trimEnd()
    .split('\n')

test('the script of the guide for teams prints what it says: who is invited, what is refused, and who did what', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'team-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const mails = join(folder, 'mails')
  const heard = join(folder, 'heard')
  mkdirSync(mails)
  writeFileSync(heard, '')
  const words = [process.execPath, ...serviceCommand()].map((word) => `'${word}'`)
  writeFileSync(join(folder, 'service'), `#!/bin/sh\nexec ${words.join(' ')} "$@"\n`, { mode: 0o755 })
  await using webhook = receiver((line) => appendFileSync(heard, `${line}\n`)).listen(0, '127.0.0.1')
  await once(webhook, 'listening')
  await using at = await startService({
    publicUrl: 'https://flows.example',
    mailer: {
      async send({ to, text }) {
        // whole at once, for who waits for it
        await writeFile(join(folder, to), text)
        await rename(join(folder, to), join(mails, to))
      },
    },
  })
  const script = join(import.meta.dirname, 'team.sh')
  const { email, password } = at.service.signIn
  const env = {
    PATH: `${folder}${delimiter}${process.env.PATH}`,
    HOME: folder,
    API: at.baseUrl,
    EMAIL: email ?? '',
    PASSWORD: password ?? '',
    MAILS: mails,
    HEARD: heard,
    WEBHOOK: `http://127.0.0.1:${(webhook.address() as AddressInfo).port}`,
  }
  const { stdout } = await promisify(execFile)('sh', [script], { cwd: folder, env, timeout: 150_000 })
  const said = [...readFileSync(script, 'utf8').matchAll(/^#> (.*)$/gm)].map(([, line = '']) => line)
  expect(told(stdout)).toEqual(said)
})
