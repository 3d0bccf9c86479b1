import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { runService } from './cli-process.ts'
import { hasShell, openShell, type ShellName } from './components/shell.ts'
import { pythonFlow } from './documents.ts'
import { serviceCommand } from './engine-process.ts'
import { publish, startService, type TestService } from './service.ts'

let at: TestService
let run = ''
const cwd = mkdtempSync(join(tmpdir(), 'cli-completion-'))
const BREAKS = '"\'@><=;|&(:'
// a loaded machine may take longer than people would wait
const patient = { SERVICE_COMPLETE_MS: '60000' }

beforeAll(async () => {
  at = await startService()
  await publish(at, 'steps', pythonFlow('def run(n):\n    return {"out": n}\n'))
  await publish(at, 'house', { mode: 'live', inputs: [{ name: 'temp', dtype: 'float' }] })
  run = (await at.client.submit('steps', { params: { n: 1 } })).id
  await at.client.wait(run)
  mkdirSync(join(cwd, 'bin'))
  mkdirSync(join(cwd, 'some dir'))
  writeFileSync(join(cwd, 'my data.json'), '{}')
  const quoted = [process.execPath, ...serviceCommand()].map((word) => `'${word}'`).join(' ')
  // what is run shows its arguments; completion is the real one
  const stub = `#!/bin/sh\ncase $1 in __complete|completion) exec ${quoted} "$@" ;; esac\nprintf '@@'; for word; do printf '<%s>' "$word"; done; printf '@@\\n'\n`
  writeFileSync(join(cwd, 'bin', 'service'), stub)
  chmodSync(join(cwd, 'bin', 'service'), 0o755)
})
afterAll(async () => {
  await at[Symbol.asyncDispose]()
  rmSync(cwd, { recursive: true, force: true })
})

const env = () => ({ ...patient, SERVICE_DATA_DIR: at.dataDir })
const words = async (line: string, more: NodeJS.ProcessEnv = env()): Promise<string[]> => {
  const { out, err, code } = await runService(['__complete', 'bash', line, BREAKS], { cwd, env: more })
  expect([err, code]).toEqual(['', 0])
  return out.split('\n').slice(0, -1)
}

test('flows, nodes and runs are those of the engine', async () => {
  expect(await words('service flows start ')).toEqual(['words', 'house\tlive, stopped', 'steps\tbatch, ready'])
  expect(await words('service run ')).toEqual(['words', 'steps\tbatch, ready'])
  expect(await words('service flows trigger steps ')).toEqual(['words', 'work\tpython'])
  expect((await words(`service runs show ${run.slice(0, 8)}`))[1]).toMatch(new RegExp(`^${run}\\tsteps ok 20`))
  expect(await words(`service runs cancel ${run} `)).toEqual(['words'])
  expect(await words('service messages history house.')).toEqual(['words', 'house.temp\tfloat'])
})

test('without an engine, or with one that does not answer, there is silence', async () => {
  const nowhere = { SERVICE_URL: 'http://127.0.0.1:1/api/v1', SERVICE_TOKEN: 'no' }
  expect(await words('service run ', nowhere)).toEqual(['words'])
  expect(await words('service run ', {})).toEqual(['words'])
  writeFileSync(join(cwd, 'cli.json'), '{')
  expect(await words('service run ', { SERVICE_DATA_DIR: cwd })).toEqual(['words'])
  rmSync(join(cwd, 'cli.json'))
  expect((await words('service workers ', nowhere)).slice(0, 3)).toEqual([
    'words',
    expect.stringMatching(/^list/),
    expect.stringMatching(/^show/),
  ])
  const silent = createServer(() => {})
  const port = await new Promise<number>((resolve) =>
    silent.listen(0, '127.0.0.1', () => resolve((silent.address() as AddressInfo).port)),
  )
  const mute = { SERVICE_URL: `http://127.0.0.1:${port}/api/v1`, SERVICE_TOKEN: 'no', SERVICE_COMPLETE_MS: '50' }
  expect(await words('service run ', mute)).toEqual(['words'])
  silent.close().closeAllConnections()
})

test('it asks by reading requests alone, and takes no word that a shell would obey', async () => {
  const seen: string[] = []
  const names = ['good', '$(reboot)', 'a b', 'x;y', '\u001b[2J', '`id`', "it's"]
  const engine = createServer((request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers.authorization}`)
    response.end(JSON.stringify([...names.map((name) => ({ name, mode: 'batch', status: 'a\n\tb' })), null, 1]))
  })
  const port = await new Promise<number>((resolve) =>
    engine.listen(0, '127.0.0.1', () => resolve((engine.address() as AddressInfo).port)),
  )
  const url = `http://127.0.0.1:${port}/api/v1`
  expect(await words(`service run --url ${url} --token t1 `, patient)).toEqual(['words', 'good\tbatch, a b'])
  // a token is of its engine, and that of the sign-in file goes nowhere else
  expect(await words(`service run --url ${url} `, env())).toEqual(['words'])
  expect(seen).toEqual(['GET /api/v1/flows/ Bearer t1'])
  engine.close().closeAllConnections()
})

/** A line with a tab in it, and what is run. */
const typed: [keys: string, ran: string][] = [
  ['service run\ts list --fl\tx', '<runs><list><--flow><x>'],
  ['service runs export --format=c\t', '<runs><export><--format=csv>'],
  ['service runs export --format j\t', '<runs><export><--format><jsonl>'],
  ['service run st\t', '<run><steps>'],
  ['service --json flows li\t', '<--json><flows><list>'],
  ['service runs list --status ok,e\t', '<runs><list><--status><ok,error>'],
  ['service keys create a --scope=runs:r\t', '<keys><create><a><--scope=runs:read>'],
  ['service validate my\t', '<validate><my data.json>'],
  ['service runs export --output=my\t', '<runs><export><--output=my data.json>'],
  ['service "runs" sh\t', '<runs><show>'],
  ['A=1 service runs be\t', '<runs><best>'],
  // the cursor goes back over " --json"
  ['service runs sh --json\x02\x02\x02\x02\x02\x02\x02\t', '<runs><show><--json>'],
  ['service -- ru\t', '<--><ru>'],
]

const sources: Record<ShellName, string> = {
  bash: 'source <(service completion bash)',
  zsh: 'autoload -U compinit; compinit -D -u; source <(service completion zsh)',
  fish: 'service completion fish | source',
}
const shells: ShellName[] = ['bash', 'zsh', 'fish']

describe.each(shells.filter(hasShell))('%s', (name) => {
  test('completes what is typed', async () => {
    const path = `${join(cwd, 'bin')}:${process.env['PATH']}`
    using shell = openShell(name, { cwd, env: { ...env(), PATH: path } })
    expect(await shell.type(`${sources[name]}; service ready\r`)).toBe('<ready>')
    for (const [keys, ran] of typed) {
      // oxlint-disable-next-line no-await-in-loop -- one line after the other
      expect([keys, await shell.type(`${keys}\r`)]).toEqual([keys, ran])
    }
  })
})
