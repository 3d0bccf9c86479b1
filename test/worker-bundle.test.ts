import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'

import { findPython } from '../packages/worker-agent/src/index.ts'
import { type Ended, runService } from './cli-process.ts'
import { publishFlow, pythonFlow } from './documents.ts'
import { startService, type TestService } from './service.ts'

const project = `import { batchFlow, input, stage, t } from '@flow-service/flow-sdk'
export const twice = stage('twice', { in: { n: t.int }, out: { out: t.int }, cache: false, run: ({ n }) => ({ out: 2 * n }) })
export const code = batchFlow('code', { n: input(t.int, 3) }, (p, use) => use(twice, p, { worker: 'bare' }))
`
/** What a cluster's node has without anybody's doing, as far as the file with a Node in it calls it. */
const TOOLS = ['chmod', 'gzip', 'head', 'id', 'mkdir', 'mv', 'rm', 'sh', 'tail', 'uname']

const python = await findPython(process.env)
let root: string
let at: TestService
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'bundle-'))
  mkdirSync(join(root, 'flows'))
  writeFileSync(join(root, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(root, 'flows', 'code.ts'), project)
  symlinkSync(join(import.meta.dirname, '../examples/quickstart/node_modules'), join(root, 'node_modules'))
  // whoever executes Python here is a worker
  at = await startService({ flows: join(root, 'flows'), python: 'no-such-python' })
  const source = 'def run(n): return {"out": n * 10}'
  await publishFlow(at.client, 'python', pythonFlow(source, { worker: 'bare', cache: false }))
})
afterAll(async () => {
  await at[Symbol.asyncDispose]()
  rmSync(root, { recursive: true, force: true })
})

const bundle = (...args: string[]): Promise<Ended> => runService(['worker', 'bundle', ...args], { cwd: root })

/** A machine that has nothing but a file: empty folders, and of programs the few that are named. */
function bareMachine(file: string, tools: readonly string[] = []) {
  const folder = mkdtempSync(join(tmpdir(), 'bare-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  for (const name of ['bin', 'home', 'tmp']) mkdirSync(join(folder, name))
  const copy = join(folder, 'service-worker')
  cpSync(file, copy)
  const found = execFileSync('which', tools.length === 0 ? ['sh'] : [...tools], { encoding: 'utf8' })
  for (const path of found.trim().split('\n')) symlinkSync(path, join(folder, 'bin', path.split('/').at(-1) ?? ''))
  return {
    folder,
    file: copy,
    env: { PATH: join(folder, 'bin'), HOME: join(folder, 'home'), TMPDIR: join(folder, 'tmp') },
  }
}

/** Where a worker keeps its files there. */
const unpackedBy = ({ env }: ReturnType<typeof bareMachine>): string =>
  join(env.TMPDIR, `service-worker-${process.getuid?.()}`)

/** Starts a worker on a bare machine, has it execute a run of both languages, and stops it. */
async function servesBoth(program: string, args: string[], { folder, env }: ReturnType<typeof bareMachine>) {
  const { token, jti } = await at.client.workers.mintToken({ name: 'bare' })
  const url = `${at.baseUrl.replace('http', 'ws')}/workers/attach`
  const child = spawn(program, [...args, '--url', url, '--python', python?.path ?? ''], {
    cwd: folder,
    env: { ...env, SERVICE_WORKER_TOKEN: token },
    stdio: ['ignore', 'inherit', 'pipe'],
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text))
  const exit = once(child, 'exit')
  onTestFinished(() => void child.kill('SIGKILL'))
  const results: unknown[] = []
  for (const name of ['python', 'code']) {
    const { id } = await at.client.http.runs.submit({ name, params: { n: 4 } })
    const over = exit.then(() => expect.fail(`the worker has ended:\n${said}`))
    const run = await Promise.race([at.client.wait(id), over])
    results.push([run.result, run.nodes[0]?.worker])
  }
  child.kill('SIGTERM')
  expect((await exit)[0]).toBe(0)
  await at.client.http.workers.revokeToken({ jti })
  return results
}

const both = [
  [{ out: 40 }, 'bare'],
  [{ out: 8 }, 'bare'],
]

describe('the worker in one file', () => {
  test('serves Python and TypeScript where there is nothing else, and keeps what it has unpacked', async () => {
    const file = join(root, 'service-worker.mjs')
    expect(await bundle()).toMatchObject({ code: 0, err: '', out: expect.stringContaining(`Wrote ${file} (`) })
    const machine = bareMachine(file)
    expect(await servesBoth(process.execPath, [machine.file], machine)).toEqual(both)
    // somebody cleans the folder for temporary files
    const folder = unpackedBy(machine)
    const [version = '', ...more] = readdirSync(folder)
    expect(more).toEqual([])
    rmSync(join(folder, version, 'python', 'service'), { recursive: true })
    writeFileSync(join(folder, version, 'dist', 'node-runner.mjs'), 'process.exit(1)')
    expect(await servesBoth(process.execPath, [machine.file], machine)).toEqual(both)
  })

  test('with a Node in it needs a shell and gzip alone', async () => {
    // as large as a program is, and as quick to pack
    const small = join(root, 'small-node')
    writeFileSync(small, `#!/bin/sh\nexec '${process.execPath}' "$@"\n`, { mode: 0o755 })
    const file = join(root, 'with-node')
    const written = await bundle('--node', small, '--out', file, '--json')
    const platform = `${process.platform}-${process.arch}`
    expect(JSON.parse(written.out)).toMatchObject({ file, node: process.version, platform })
    const machine = bareMachine(file, TOOLS)
    expect(await servesBoth(machine.file, [], machine)).toEqual(both)
    const kinds = [/^node-v[\d.]+-[0-9a-f]{12}$/, /^worker-[\d.]+-[0-9a-f]{12}$/, /^worker-[\d.]+-[0-9a-f]{12}\.mjs$/]
    const kindOf = (name: string): number => kinds.findIndex((kind) => kind.test(name))
    const kept = () =>
      readdirSync(unpackedBy(machine))
        .map(kindOf)
        .toSorted((a, b) => a - b)
    expect(kept()).toEqual([0, 1, 2])
    // several at a time, as tasks of one job
    const help = () => helpOf(machine.file, machine.env)
    rmSync(join(machine.folder, 'tmp'), { recursive: true })
    mkdirSync(join(machine.folder, 'tmp'))
    const texts = await Promise.all(Array.from({ length: 4 }, help))
    for (const text of texts) expect(text).toContain('--max-idle')
    expect(kept()).toEqual([0, 1, 2])
  })

  test('unpacks into no folder that is not its own', async () => {
    const file = join(root, 'elsewhere.mjs')
    await bundle('--out', file)
    const { env, folder } = bareMachine(file)
    const taken = join(folder, 'taken')
    writeFileSync(taken, '')
    await expect(helpOf(process.execPath, { ...env, SERVICE_WORKER_FILES: taken }, file)).rejects.toThrow(
      `error: cannot unpack into ${taken} (`,
    )
    const own = join(folder, 'own')
    mkdirSync(own)
    chmodSync(own, 0o700)
    symlinkSync(own, join(folder, 'linked'))
    await expect(
      helpOf(process.execPath, { ...env, SERVICE_WORKER_FILES: join(folder, 'linked') }, file),
    ).rejects.toThrow('it is no folder of this user')
    expect(readdirSync(own)).toEqual([])
  })

  test.each([
    [['--out', tmpdir()], `--out "${tmpdir()}" is a folder`],
    [['--out', '/no/such/folder/worker'], 'cannot use "/no/such/folder": it does not exist'],
    [['--node', '/no/such/node'], 'cannot use "/no/such/node": it does not exist'],
    [['--node', tmpdir()], 'is no file; take one from https://nodejs.org/download'],
    [['--node', '/bin/ls'], '--node "/bin/ls" is no program of Node'],
    [['--node', '/etc/passwd'], '--node "/etc/passwd" is no program of Node'],
  ])('is not written by %j: %s', async (args, why) => {
    const { code, out, err } = await bundle(...args)
    expect([code === 1 || code === 2, out, err]).toEqual([true, '', expect.stringContaining(`error: `)])
    expect(err).toContain(why)
  })

  test('takes no Node that would not run elsewhere', async () => {
    const told = (answer: object): string => {
      const path = join(mkdtempSync(join(root, 'node-')), 'node')
      writeFileSync(path, `#!/bin/sh\necho '${JSON.stringify(answer)}'\n`, { mode: 0o755 })
      return path
    }
    const old = told({ version: 'v20.19.0', platform: 'linux-x64', shared: [] })
    expect((await bundle('--node', old)).err).toContain('is Node v20.19.0, and a worker needs 22.19 or newer')
    const bound = told({ version: 'v24.1.0', platform: 'linux-x64', shared: ['libnode', 'openssl'] })
    expect((await bundle('--node', bound)).err).toContain('takes libnode, openssl from this machine')
  })
})

/** What `--help` prints; rejects with what is said otherwise. */
async function helpOf(program: string, env: NodeJS.ProcessEnv, ...args: string[]): Promise<string> {
  const child = spawn(program, [...args, '--help'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let [out, err] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text))
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new Error(err)
  return out
}
