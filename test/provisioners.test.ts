/** Workers that a whole service starts by an `ssh` of the test, which plays the cluster. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'

import { StubSsh } from '../packages/api-server/test/provisioning/stub-ssh.ts'
import { runService } from './cli-process.ts'
import { nodeArguments } from './components/node-arguments.ts'
import { publishFlow, pythonFlow } from './documents.ts'
import { DataDirectory, type EngineProcess } from './engine-process.ts'
import { attachUrl } from './puppet-worker.ts'

let stub: StubSsh
let data: DataDirectory
beforeEach(async () => {
  stub = await StubSsh.open()
  data = new DataDirectory()
  return async () => {
    data[Symbol.dispose]()
    await stub[Symbol.asyncDispose]()
  }
})

const profile = { name: 'gpu', cpus: 2, ram_mb: 512, labels: ['gpu'], prerun: ['export PREPARED=1'] }
const write = (more: object): void => {
  const cluster = { type: 'batch_scheduler', name: 'uni', login: 'ann@login', profiles: [profile], ...more }
  writeFileSync(join(data.path, 'provisioners.json'), JSON.stringify([cluster]))
}

/** An engine that may start workers, told by SIGHUP where they reach it. */
async function provisioning(): Promise<EngineProcess> {
  const engine = await data.start(stub.env)
  write({ engine_url: attachUrl(engine.baseUrl), max_idle_s: 1 })
  engine.child.kill('SIGHUP')
  await vi.waitUntil(async () => (await profiles(engine)).length > 0, { timeout: 60_000 })
  return engine
}

const profiles = async ({ client }: EngineProcess) =>
  (await client.workers.resources()).provisioners.flatMap((each) => each.profiles)
const service = (...args: string[]) => runService(args, { cwd: data.path, env: { SERVICE_DATA_DIR: data.path } })

/** A run whose node waits for a worker; its id. */
async function waiting({ client }: EngineProcess): Promise<string> {
  const flow = pythonFlow('import os\ndef run(n):\n    return {"out": int(os.environ["PREPARED"]) + n}\n')
  const nodes = flow.nodes.map((node) => ({ ...node, worker: 'gpu', cache: false }))
  await publishFlow(client, 'far', { ...flow, nodes })
  return (await client.http.runs.submit({ name: 'far', params: { n: 2 } })).id
}

/** The script of the job that was handed in first. */
const scriptOf = async (): Promise<string> =>
  vi.waitUntil(async () => (await stub.calls()).find(({ argv }) => argv.includes('sbatch'))?.stdin, { timeout: 60_000 })

/** Executes the script of a job, as a node of a cluster with the program of a worker. */
function execute(script: string): { readonly child: ChildProcess; readonly exit: Promise<number | null> } {
  const folder = mkdtempSync(join(tmpdir(), 'cluster-node-'))
  const bin = join(import.meta.dirname, '..', 'packages', 'worker-agent', 'src', 'bin.ts')
  const program = join(folder, 'service-worker')
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' ${nodeArguments.join(' ')} '${bin}' "$@"\n`)
  chmodSync(program, 0o755)
  const child = spawn('bash', [], {
    cwd: folder,
    env: { ...process.env, PATH: `${folder}:${process.env['PATH']}`, TMPDIR: folder },
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  child.stdin.end(script)
  const exit = once(child, 'exit').then(([code]) => code as number | null)
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await exit
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  return { child, exit }
}

test('a run that waits gets a worker of a job, which leaves when it is idle [R141, R142, R147, R574, R608, R613]', async () => {
  const engine = await provisioning()
  const run = await waiting(engine)
  const script = await scriptOf()
  expect(script).toContain(`--url ${attachUrl(engine.baseUrl)} `)
  const job = (await stub.jobs())[0]?.job ?? ''
  await stub.run(job, 1)
  const { exit } = execute(script)
  const { status, result } = await engine.client.wait(run)
  expect([status, result]).toEqual(['ok', { out: 3 }])
  expect(await exit).toBe(0)
  await stub.end(job)
  await vi.waitUntil(async () => (await profiles(engine))[0]?.state === 'idle', { timeout: 60_000 })
  expect((await engine.client.workers.listTokens()).every(({ revoked_at }) => revoked_at !== null)).toBe(true)
})

test('a job that is pending is cancelled when the service is told to stop [R612]', async () => {
  const engine = await provisioning()
  await waiting(engine)
  await scriptOf()
  expect(await engine.end('SIGTERM')).toBe(0)
  expect((await stub.calls()).at(-1)?.argv).toContain('scancel')
  expect(await stub.jobs()).toEqual([])
})

test('a file that cannot be used stops the start, by its place [R004, R137]', async () => {
  write({ type: 'slurm' })
  const { code, err } = await service('serve', '--port', '0')
  expect([code, err]).toEqual([
    2,
    expect.stringContaining('provisioners.json: /0/type is "slurm": use "batch_scheduler"'),
  ])
})

test('the command line shows provisioners, reads their file again, and tests them', async () => {
  const engine = await data.start(stub.env)
  expect((await service('provisioners')).out).toMatch(/^There are none: write provisioners\.json/)
  write({ engine_url: attachUrl(engine.baseUrl) })
  const reloaded = await service('provisioners', 'reload')
  expect(reloaded.out).toMatch(/^PROVISIONER +PROFILE +STATE .*\nuni +gpu +idle +gpu +2 CPUs, 0 GPUs, 512 MB +- +-\n$/)
  expect((await service('provisioners', 'list')).out).toBe(reloaded.out)
  write({ engine_url: 'nowhere' })
  const refused = await service('provisioners', 'reload')
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('/0/engine_url is "nowhere"')])
  await stub.behave('unreachable', 'Permission denied (publickey).')
  const tested = await service('provisioners', 'test', 'uni', 'gpu')
  expect([tested.code, tested.out]).toEqual([
    1,
    expect.stringMatching(/^\S+ +ssh +failed +Permission denied \(publickey\)\.\n$/),
  ])
  const nobody = await service('provisioners', 'test', 'uni', 'tpu')
  expect([nobody.code, nobody.err]).toEqual([1, expect.stringContaining('there is uni gpu')])
})
