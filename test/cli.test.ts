import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { begin, type Ended, ended, runService } from './cli-process.ts'
import { pythonFlow, scaleFlow } from './documents.ts'
import { serviceCommand } from './engine-process.ts'
import { publish, startService, type TestService } from './service.ts'

let at: TestService
const elsewhere = mkdtempSync(join(tmpdir(), 'cli-'))
beforeAll(async () => {
  at = await startService()
  await publish(at, 'scale', scaleFlow)
  await publish(at, 'failing', pythonFlow('def run(n):\n    raise ValueError("no luck")\n'))
})
afterAll(async () => {
  await at[Symbol.asyncDispose]()
  rmSync(elsewhere, { recursive: true, force: true })
})

/** Runs `service` in a folder that has no engine; `env` tells it where one is. */
const service = (args: string[], env: NodeJS.ProcessEnv = { SERVICE_DATA_DIR: at.dataDir }, input = '') =>
  runService(args, { cwd: elsewhere, env, input })

/** Runs an engine of its own, and interrupts it once it says how to stop it. */
function engine(args: string[], data = mkdtempSync(join(elsewhere, 'data-'))): Promise<Ended> {
  return ended(begin([...args, '--port', '0', '--data', data], { cwd: elsewhere }), (child) => {
    child.stdout.on('data', (text: string) => {
      if (text.includes('Ctrl-C stops the engine')) child.kill('SIGINT')
    })
  })
}

describe('the command line', () => {
  test('signs in by the file that a local engine writes, which only its owner can read', async () => {
    expect(statSync(join(at.dataDir, 'cli.json')).mode & 0o777).toBe(0o600)
    const { code, out } = await service(['flows', 'list', '--json'])
    expect(code).toBe(0)
    expect((JSON.parse(out) as { name: string }[]).map(({ name }) => name)).toEqual(['failing', 'scale'])
  })

  test('runs a flow with parameters and a seed, shows its nodes and its result, and lists and shows the run', async () => {
    const watched = await service(['run', 'scale', '-p', 'n=4.5', '--watch'])
    expect(watched.err).toBe('')
    expect(watched.code).toBe(0)
    expect(watched.out).toMatch(/scale +ok/)
    expect(watched.out).toContain('scaled = 45')
    const listed = await service(['runs', 'list', '--flow', 'scale', '--json'])
    const [run] = JSON.parse(listed.out) as { id: string; status: string }[]
    expect(run?.status).toBe('ok')
    const shown = await service(['runs', 'show', run?.id ?? ''])
    expect(shown.out).toContain('scaled = 45')
  })

  test('a run that fails is exit code 1, and says why', async () => {
    const { code, out } = await service(['run', 'failing', '--watch'])
    expect(code).toBe(1)
    expect(out).toContain('no luck')
  })

  test('a refused request is exit code 1 and tells the place', async () => {
    const { code, err } = await service(['run', 'scale', '-p', 'n=many'])
    expect(code).toBe(1)
    expect(err).toContain('/params/n')
  })

  test.each([
    ['a wrong command', ['fly']],
    ['the help of a wrong command', ['runs', 'fly', '--help']],
    ['help about a wrong command', ['help', 'fly']],
    ['a parameter without a name', ['run', 'scale', '-p', '=1']],
    ['a seed that is no number', ['run', 'scale', '--seed', 'x']],
    ['an address that is no API', ['flows', 'list', '--url', 'localhost', '--token', 'x']],
  ])('%s is exit code 2', async (_what, args) => {
    const { code, err } = await service(args)
    expect(code).toBe(2)
    expect(err).not.toBe('')
  })

  test('no engine and no sign-in are exit code 3, and the message says what to do', async () => {
    const unsigned = await service(['flows', 'list'], {})
    expect([unsigned.code, unsigned.err]).toEqual([3, expect.stringContaining('service dev')])
    const away = await service(['flows', 'list', '--url', 'http://127.0.0.1:9/api/v1', '--token', 'x'], {})
    expect([away.code, away.err]).toEqual([3, expect.stringContaining('no engine answers')])
  })

  test('a token is not sent to another engine than its own', async () => {
    const { code, err } = await service(['flows', 'list', '--url', 'http://127.0.0.1:9/api/v1'])
    expect([code, err]).toEqual([3, expect.stringContaining('not signed in to http://127.0.0.1:9/api/v1')])
  })

  test('login keeps a token for later commands', async () => {
    const env = { XDG_CONFIG_HOME: join(elsewhere, 'config') }
    const { email, password } = at.service.signIn
    const args = ['login', '--url', at.baseUrl, '--email', email ?? '', '--password-stdin']
    const wrong = await service(args, env, 'not the password\n')
    expect(wrong.code).toBe(1)
    const right = await service(args, env, `${password}\n`)
    expect(right.code).toBe(0)
    expect((await service(['flows', 'list'], env)).out).toContain('scale')
  })

  test('a setting that is not usable is exit code 2, in one sentence', async () => {
    const { code, out, err } = await service(['serve'], { SERVICE_PORT: 'abc' })
    expect([code, out, err]).toEqual([2, '', 'error: SERVICE_PORT is "abc": use a whole number from 0 to 65535\n'])
  })

  test('an engine that cannot start is exit code 1, in one sentence', async () => {
    const { port } = new URL(at.baseUrl)
    const taken = await service(['serve', '--port', port, '--data', join(elsewhere, 'second')], {})
    expect([taken.code, taken.err]).toEqual([1, expect.stringMatching(/^error: port \d+ is taken; .+\n$/)])
    const shared = await service(['serve', '--port', '0', '--data', at.dataDir], {})
    expect([shared.code, shared.err]).toEqual([1, expect.stringMatching(/^error: the data directory .+\n$/)])
    writeFileSync(join(elsewhere, 'file'), '')
    const file = await service(['serve', '--port', '0', '--data', join(elsewhere, 'file')], {})
    expect([file.code, file.err]).toEqual([1, `error: cannot use "${join(elsewhere, 'file')}": it is no directory\n`])
  })

  test('dev shows the place in a broken module, loads the others and runs one', async () => {
    const flows = join(elsewhere, 'flows')
    mkdirSync(flows)
    symlinkSync(join(import.meta.dirname, '../examples/quickstart/node_modules'), join(elsewhere, 'node_modules'))
    writeFileSync(join(flows, 'broken.ts'), 'export const one = 1\nexport const two = = 2\n')
    writeFileSync(
      join(flows, 'double.ts'),
      `import { batchFlow, input, stage, t } from '@flow-service/flow-sdk'
       export const twice = stage('twice', { in: { n: t.int }, out: { doubled: t.int }, run: ({ n }) => ({ doubled: 2 * n }) })
       export const double = batchFlow('double', { n: input(t.int, 21) }, (p, use) => use(twice, p))\n`,
    )
    const { code, out, err } = await engine(['dev', flows, '--run', 'double'])
    expect(err).toMatch(/^\s*error: .*broken\.ts:2:\d+: .+\n(.*\n)*.*export const two = = 2\n +\^/)
    expect(out).toContain('double (batch, ready)')
    expect(out).toContain('doubled = 42')
    expect([code, out.slice(-9)]).toEqual([0, 'Stopped.\n'])
  })

  test('dev tells flows of another folder apart that the data directory has kept, and what to do', async () => {
    const data = mkdtempSync(join(elsewhere, 'data-'))
    const quickstart = join(import.meta.dirname, '../examples/quickstart/flows')
    expect((await engine(['dev', quickstart], data)).out).not.toContain('Absent')
    const { out } = await engine(['dev', join(import.meta.dirname, '../examples/sweep/flows')], data)
    expect(out).toMatch(/Flows +moons_python \(batch, ready\)\n +moons_ts \(batch, ready\)\n +Absent +estimate_pi \(/)
    expect(out).toMatch(/greenhouse \(flows\/greenhouse\.ts\)\n.*start with their folder;\n.*its own --data/)
  })

  test('serve has what does not load in its log, all of it JSON lines, and goes on with the rest', async () => {
    const flows = join(elsewhere, 'half')
    mkdirSync(flows)
    writeFileSync(join(flows, 'broken.ts'), `throw new Error('not today')\n`)
    writeFileSync(join(flows, 'loud.ts'), `console.log('hello')\nconsole.error('careful')\n`)
    const data = mkdtempSync(join(elsewhere, 'data-'))
    const child = begin(['serve', '--flows', flows, '--port', '0', '--data', data], { cwd: elsewhere })
    const { code, out, err } = await ended(child, () => {
      child.stdout.on('data', (text: string) => {
        if (text.includes('flow-service listens')) child.kill('SIGINT')
      })
    })
    const lines = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown)
    const place = { file: 'broken.ts', line: 1, column: 7, msg: 'Error: not today' }
    expect(lines).toContainEqual({ level: 50, time: expect.any(Number) as number, ...place })
    expect(lines.at(-1)).toEqual({ level: 30, time: expect.any(Number) as number, msg: 'Stopped.' })
    // what modules print while they load
    expect([code, err]).toEqual([0, 'hello\ncareful\n'])
  })

  test('dev goes on without the run that it cannot submit, and stops by Ctrl-C', async () => {
    const { code, out, err } = await engine(['dev', '--run', 'nobody'])
    expect(err).toBe('error: there is no flow "nobody"\n  see what there is: service flows list\n')
    expect([code, out.slice(-9)]).toEqual([0, 'Stopped.\n'])
  })

  test('a reader that closes the pipe early is no failure', async () => {
    const child = begin(['flows', 'list', '--json'], { cwd: elsewhere, env: { SERVICE_DATA_DIR: at.dataDir } })
    const { code, err } = await ended(child, ({ stdout }) => void stdout.destroy())
    expect([code, err]).toEqual([0, ''])
  })

  test('a Node that is too old is told so', () => {
    const older = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '22.18.9' } })`
    const { status, stderr } = spawnSync(
      process.execPath,
      ['--import', `data:text/javascript,${older}`, ...serviceCommand('--help')],
      { encoding: 'utf8' },
    )
    expect([status, stderr]).toEqual([1, 'error: service needs Node 22.19 or newer, and this is Node 22.18.9\n'])
  })

  test('help ends with exit code 0 and tells what exit codes mean', () => {
    for (const args of [[], ['flows', 'save']]) {
      const { status, stdout } = spawnSync(process.execPath, serviceCommand(...args, '--help'), { encoding: 'utf8' })
      expect(status).toBe(0)
      expect(stdout).toContain(`Usage: ${['service', ...args].join(' ')}`)
    }
    const { stdout } = spawnSync(process.execPath, serviceCommand('--help'), { encoding: 'utf8' })
    expect(stdout).toContain('Exit codes:')
  })
})
