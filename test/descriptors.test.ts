import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { createClient } from '@flow-service/client-sdk'
import { expect, onTestFinished, test } from 'vitest'

import { serviceCommand } from './engine-process.ts'

const flows = join(import.meta.dirname, '..', 'examples', 'quickstart', 'flows')

/** What a process has open below a folder. */
function openBelow(pid: number | undefined, folder: string): number {
  const files = readdirSync(`/proc/${pid}/fd`).map((descriptor) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${descriptor}`)
    } catch {
      return ''
    }
  })
  return files.filter((file) => file.startsWith(folder)).length
}

test.skipIf(process.platform === 'win32')(
  'with 256 descriptors an engine makes its database, takes webhooks and executes node code; the database leaves half of them to the rest [F27]',
  async () => {
    const data = mkdtempSync(join(tmpdir(), 'descriptors-'))
    const command = [process.execPath, ...serviceCommand('serve', '--flows', flows, '--port', '0', '--data', data)]
    const child = spawn('bash', ['-c', 'ulimit -n 256; exec "$@"', 'bash', ...command], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, SERVICE_ENVIRONMENT: 'local', SERVICE_LOG_LEVEL: 'warn' },
    })
    const ended = once(child, 'exit') as Promise<[number | null]>
    onTestFinished(async () => {
      child.kill('SIGKILL')
      await ended
      rmSync(data, { recursive: true, force: true })
    })
    let told = ''
    child.stderr.on('data', (text: Buffer) => (told += String(text)))
    const listens = new Promise<boolean>((resolve) => {
      child.stdout.on('data', (text: Buffer) => {
        told += String(text)
        if (told.includes('flow-service listens')) resolve(true)
      })
    })
    expect(await Promise.race([listens, ended.then(() => told)])).toBe(true)

    const signIn = JSON.parse(readFileSync(join(data, 'cli.json'), 'utf8')) as Record<
      'base_url' | 'access_token',
      string
    >
    const client = createClient({ baseUrl: signIn.base_url, token: signIn.access_token })
    await client.http.flows.start({ name: 'greenhouse' })
    const hook = `${new URL(signIn.base_url).origin}/hooks/greenhouse/temp`
    const post = () =>
      fetch(hook, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"temp":31.5}' })
    const answers = await Promise.all(Array.from({ length: 40 }, post))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]))
    const { id } = await client.http.runs.submit({ name: 'estimate_pi', params: { samples: 10 } as never })
    expect((await client.wait(id)).status).toBe('ok')
    // it keeps open what it has opened
    if (process.platform === 'linux') expect(openBelow(child.pid, join(data, 'db'))).toBeLessThanOrEqual(128)
    child.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
  },
)
