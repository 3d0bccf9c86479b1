import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'

import { expect, test } from 'vitest'

import { ENGINE_VARIABLE, environmentBeside, markOf, withoutCredentials } from '../src/environment.ts'
import { sweep } from '../src/sweep.ts'
import { bundle, python, rig } from './harness.ts'

test('variables with credential-like names are left out [R599]', () => {
  const kept = { PATH: '/bin', HOME: '/', LANG: 'C', OMP_NUM_THREADS: '2' }
  const dropped = {
    SERVICE_WORKER_TOKEN: '1',
    AWS_SECRET_ACCESS_KEY: '1',
    PGPASSWORD: '1',
    OPENAI_API_KEY: '1',
    OPENAI_APIKEY: '1',
    SSH_AUTH_SOCK: '1',
    SERVICE_DATABASE_URL: '1',
    SERVICE_SMTP_URL: '1',
    my_cookie: '1',
  }
  expect(withoutCredentials({ ...kept, ...dropped, EMPTY: undefined })).toEqual(kept)
})

test('node code of both languages sees the filtered environment and the variables of its flow [R599] [T78]', async () => {
  const env = { ...process.env, CANARY_TOKEN: 'secret', PLAIN: 'plain' }
  const own = rig({ python, env })
  const flow = { MODE: 'fast', FLOW_TOKEN: 'given' }
  const source = bundle(
    '() => ({ y: ["CANARY_TOKEN", "PLAIN", "MODE", "FLOW_TOKEN"].map((n) => process.env[n] ?? null) })',
  )
  const expected = { outputs: { y: [null, 'plain', 'fast', 'given'] } }
  expect(await own.call({ source, kind: 'code', entry: 'entry', env: flow })).toMatchObject(expected)
  if (python === null) return
  const text =
    'import os\ndef run():\n    return {"y": [os.environ.get(n) for n in ("CANARY_TOKEN", "PLAIN", "MODE", "FLOW_TOKEN")]}\n'
  expect(await own.call({ source: text, env: flow })).toMatchObject(expected)
  const proc = 'def run():\n    return {"y": open("/proc/self/environ").read()}\n'
  expect(JSON.stringify(await own.call({ source: proc }))).not.toContain('CANARY_TOKEN')
})

test.runIf(process.platform === 'linux')(
  'a command that an engine has left behind is ended by its next start, and no other one is',
  async () => {
    const id = `commands-${process.pid}`
    const env = environmentBeside(id, { PATH: process.env['PATH'], CANARY_TOKEN: 'secret' })
    expect(Object.values(env)).not.toContain('secret')
    // the number of a process that has just ended
    const dead = String(spawnSync('true').pid)
    const left = spawn('sleep', ['99'], { env: { ...env, [ENGINE_VARIABLE]: dead } })
    const ours = spawn('sleep', ['99'], { env })
    await Promise.all([once(left, 'spawn'), once(ours, 'spawn')])
    const ended = once(left, 'exit')
    await sweep(tmpdir(), markOf(id))
    expect(await ended).toEqual([null, 'SIGKILL'])
    expect(ours.exitCode ?? ours.signalCode).toBeNull()
    ours.kill('SIGKILL')
    await once(ours, 'exit')
  },
)
