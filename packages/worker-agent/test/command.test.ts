import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { Command, CommanderError } from 'commander'
import { describe, expect, onTestFinished, test } from 'vitest'

import { SmallDisk } from '../../../test/components/small-disk.ts'
import { defineWorker } from '../src/command.ts'
import { digestOf, fakeEngine, tokenOf } from './fake-engine.ts'
import { bundle, isAlive, python, until } from './harness.ts'

const bin = fileURLToPath(new URL('../src/bin.ts', import.meta.url))
const token = tokenOf({ name: 'gpu-1', labels: ['gpu'] })
const code = { kind: 'code', entry: 'entry' } as const

/** A folder that goes with the test. */
function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'w-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

interface Given {
  readonly args?: readonly string[]
  readonly env?: Record<string, string | undefined>
}

/** The program, in a process of its own. */
function run({ args = [], env = {} }: Given) {
  const temporary = folder()
  const child = spawn(process.execPath, ['--conditions=@flow-service/source', bin, ...args], {
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      TMPDIR: temporary,
      ...(python === null ? {} : { SERVICE_PYTHON: python }),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk.toString()))
  const exited = once(child, 'close').then(([exit, signal]) => (exit ?? signal) as number | string)
  return { child, temporary, said: () => text, exited }
}

/** The program, attached to an engine. */
async function attached({ args = [], env = {} }: Given = {}) {
  const engine = await fakeEngine()
  const worker = run({ args: ['--url', engine.url, ...args], env: { SERVICE_WORKER_TOKEN: token, ...env } })
  return { ...worker, engine, link: await engine.link() }
}

describe('the help', () => {
  test('lists every option and shows how it is used [R002]', async () => {
    const { said, exited } = run({ args: ['--help'] })
    expect(await exited).toBe(0)
    const flags =
      'url token name labels python parallel artifact-url cpus gpus ram-mb max-idle single insecure help version'
    for (const flag of flags.split(' ')) expect(said()).toContain(`--${flag}`)
    expect(said()).toMatch(/Examples:\n {2}service-worker --url wss:/)
    expect(said()).toContain('SERVICE_WORKER_TOKEN')
  })

  test('is the program of the package [R002]', () => {
    const { bin: programs } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
      bin: Record<string, string>
    }
    expect(Object.keys(programs)).toEqual(['service-worker'])
  })
})

const loopback = ['--url', 'ws://127.0.0.1:1/api/v1/workers/attach']
const none = { SERVICE_WORKER_TOKEN: undefined }

/** What the grammar says to these words; it exits with 2 for all of them. */
function complaint(...args: string[]): string {
  let said = ''
  const command = new Command('service-worker').exitOverride().configureOutput({ writeErr: (text) => (said += text) })
  expect(() => defineWorker(command, 'service-worker').parse(args, { from: 'user' })).toThrow(CommanderError)
  return said
}

describe('wrong usage ends with 2 and one sentence', () => {
  test.each<[string, string[], RegExp]>([
    ['no --url [R586]', [], /^error: required option '--url <address>' not specified$/m],
    ['a number that is none', [...loopback, '--parallel', '0'], /--parallel.*Give a whole number from 1\./],
    ['half a GPU', [...loopback, '--gpus', '0.5'], /--gpus.*Give a whole number from 0\./],
    ['no memory', [...loopback, '--ram-mb', ''], /--ram-mb.*Give a whole number from 1\./],
    ['no CPU', [...loopback, '--cpus', '0'], /--cpus.*Give a number above 0\./],
    ['a time before now', [...loopback, '--max-idle', '-1'], /--max-idle.*Give a number of seconds, 0 for never\./],
    ['an option that is none', [...loopback, '--gpu', '1'], /unknown option '--gpu'/],
  ])('%s', (_, args, text) => {
    expect(complaint(...args)).toMatch(text)
  })

  test.each<[string, Given, RegExp]>([
    ['no --url [R586]', {}, /required option '--url <address>' not specified/],
    [
      'no token [R587]',
      { args: loopback, env: none },
      /give the worker's token in SERVICE_WORKER_TOKEN, or by --token/,
    ],
    ['an interpreter that is none [R590]', { args: [...loopback, '--python', '/no'] }, /--python \/no does not run/],
  ])('%s, in a process', async (_, { args = [], env = {} }, text) => {
    const { said, exited } = run({ args, env: { SERVICE_WORKER_TOKEN: token, ...env } })
    expect([await exited, said()]).toEqual([2, expect.stringMatching(text)])
    expect(said()).not.toContain(token)
  })

  test('an interpreter that is too old [R584]', async () => {
    const old = join(folder(), 'python')
    writeFileSync(old, '#!/bin/sh\necho /old/python; echo 3.10.9\n')
    chmodSync(old, 0o755)
    const { said, exited } = run({ args: [...loopback, '--python', old], env: { SERVICE_WORKER_TOKEN: token } })
    expect([await exited, said()]).toEqual([2, expect.stringContaining('is older than Python 3.11')])
  })
})

test.each(['ws', 'http'])('nothing is sent in the clear to another machine (%s) [T36] [R597, R598]', async (scheme) => {
  const address = Object.values(networkInterfaces())
    .flat()
    .find((entry) => entry?.family === 'IPv4' && !entry.internal)?.address
  const sink = createServer()
  let connections = 0
  sink.on('connection', (socket) => {
    connections += 1
    socket.destroy()
  })
  sink.listen(0, address ?? '0.0.0.0')
  await once(sink, 'listening')
  onTestFinished(() => void sink.close())
  const { port } = sink.address() as { port: number }
  const there = `${address ?? '0.0.0.0'}:${port}`
  const args =
    scheme === 'ws'
      ? ['--url', `ws://${there}/api/v1/workers/attach`]
      : [...loopback, '--artifact-url', `http://${there}/artifacts`]
  const worker = run({ args, env: { SERVICE_WORKER_TOKEN: token } })
  expect([await worker.exited, worker.said()]).toEqual([2, expect.stringContaining('in the clear to another machine')])
  expect(connections).toBe(0)
  if (scheme === 'http') return
  const insecure = run({ args: [...args, '--insecure'], env: { SERVICE_WORKER_TOKEN: token } })
  expect(await until(() => connections > 0)).toBe(true)
  insecure.child.kill('SIGTERM')
  expect(await insecure.exited).toBe(0)
})

test('the token of the variable attaches; what happens is told, the token is not [R587] [R001]', async () => {
  const { child, link, exited, said } = await attached({ args: ['--cpus', '3', '--ram-mb', '512', '--gpus', '0'] })
  expect(link.headers.authorization).toBe(`Bearer ${token}`)
  expect(link.frames[0]).toMatchObject({ labels: ['gpu'], parallel: 1, resources: { cpus: 3, gpus: 0, ram_mb: 512 } })
  expect(await until(() => said().includes('attached'))).toBe(true)
  child.kill('SIGTERM')
  expect(await exited).toBe(0)
  expect(link.frames.at(-1)).toEqual({ type: 'bye', reason: 'shutdown' })
  expect(said()).toMatch(/^\S+Z attached as "worker" \(no labels\) with 3 CPUs, 0 GPUs and 512 MB to an engine 0.0.0$/m)
  expect(said()).toMatch(/^\S+Z ended: it was told to stop$/m)
  expect(said()).not.toContain(token)
})

test('it listens on no port: it dials out [R585]', async () => {
  const { child } = await attached()
  const folderOf = `/proc/${child.pid}/fd`
  const opened = readdirSync(folderOf).map((fd) => {
    try {
      return readlinkSync(join(folderOf, fd))
    } catch {
      return ''
    }
  })
  const sockets = new Set(opened.map((target) => /^socket:\[(\d+)\]$/.exec(target)?.[1]))
  const rows = ['tcp', 'tcp6'].flatMap((kind) => readFileSync(`/proc/${child.pid}/net/${kind}`, 'utf8').split('\n'))
  const own = rows.map((row) => row.trim().split(/\s+/)).filter((cells) => sockets.has(cells[9] ?? ''))
  // 01 is a connection, 0A a listener
  expect(own.map((cells) => cells[3])).toEqual(['01'])
})

test('calls of TypeScript are served [R601]', async () => {
  const { link } = await attached()
  for (const y of [1, 2]) {
    expect(await link.call({ source: bundle(`() => ({ y: ${y} })`), ...code })).toMatchObject({ outputs: { y } })
  }
})

test('without any Python it says so and serves TypeScript [R584]', async () => {
  const { link, said } = await attached({ env: { SERVICE_PYTHON: undefined, PATH: '/nowhere', HOME: '/nowhere' } })
  expect(said()).toContain('no Python 3.11 or newer was found: this worker serves nodes in TypeScript only')
  expect(link.frames[0]).toMatchObject({ python: null })
})

describe.skipIf(python === null)('with Python', () => {
  test('--python names the interpreter of node code [R590] [R584]', async () => {
    const place = join(folder(), 'venv')
    spawnSync(python as string, ['-m', 'venv', '--without-pip', place])
    const own = join(place, 'bin', 'python3')
    const { link } = await attached({ args: ['--python', own] })
    const source = 'import sys\ndef run():\n    return {"y": sys.executable}\n'
    expect(await link.call({ source })).toMatchObject({ outputs: { y: own } })
  })

  test.each(['variable', 'option'])(
    'node code finds the token (%s) nowhere in the system [T35] [R599]',
    async (how) => {
      const secret = tokenOf({ name: 'gpu-1', labels: [], salt: randomBytes(8).toString('hex') })
      const given =
        how === 'variable'
          ? { env: { SERVICE_WORKER_TOKEN: secret } }
          : { args: ['--token', secret], env: { SERVICE_WORKER_TOKEN: undefined } }
      const { link, child, said } = await attached(given)
      const source = [
        'import os, glob',
        'def run(half, other):',
        '    token, found, looked = (half + other).encode(), [], 0',
        '    for path in glob.glob("/proc/[0-9]*/environ") + glob.glob("/proc/[0-9]*/cmdline"):',
        '        try:',
        '            text = open(path, "rb").read()',
        '        except OSError:',
        '            continue',
        '        looked += 1',
        '        if token in text: found.append(path)',
        '    inherited = [k for k, v in os.environ.items() if half in v]',
        '    return {"y": {"found": found, "inherited": inherited, "looked": looked > 3}}',
      ].join('\n')
      const inputs = { half: secret.slice(0, 30), other: secret.slice(30) }
      const last = await link.call({ source, inputs })
      expect(link.headers.authorization).toBe(`Bearer ${secret}`)
      expect(last).toMatchObject({ outputs: { y: { found: [], inherited: [] } } })
      // it could have: other variables and options of the worker are to be seen
      expect(readFileSync(`/proc/${child.pid}/environ`, 'latin1')).toContain('TMPDIR=')
      expect(said()).not.toContain(secret)
      expect(said()).not.toContain('warning')
    },
  )

  test('artifacts are kept in a folder of the temporary directory, or where the variable says [R606] [R001]', async () => {
    const data = randomBytes(500)
    const source = `def run():\n    return {"y": len(load_artifact("${digestOf(data)}"))}\n`
    const chosen = join(folder(), 'mine')
    for (const [env, at] of [
      [{}, null],
      [{ SERVICE_ARTIFACT_CACHE: chosen }, chosen],
    ] as const) {
      const { engine, link, temporary } = await attached({ env })
      engine.stored.set(digestOf(data), data)
      expect(await link.call({ source })).toMatchObject({ outputs: { y: 500 } })
      expect(readdirSync(at ?? join(temporary, 'service-artifacts'))).toEqual([digestOf(data).slice(7)])
    }
    const capped = await attached({ env: { SERVICE_ARTIFACT_CACHE_BYTES: '100' } })
    capped.engine.stored.set(digestOf(data), data)
    expect(await capped.link.call({ source })).toMatchObject({ outputs: { y: 500 } })
    expect(existsSync(join(capped.temporary, 'service-artifacts', digestOf(data).slice(7)))).toBe(false)
  })

  test('a full disk keeps no artifacts, fails no call, and is told once [F36]', async () => {
    const disk = new SmallDisk(1)
    const env = { ...(disk.env as Record<string, string>), SERVICE_ARTIFACT_CACHE: join(disk.path, 'kept') }
    const { engine, link, said } = await attached({ env })
    disk.fill()
    for (const data of [randomBytes(50_000), randomBytes(50_000)]) {
      engine.stored.set(digestOf(data), data)
      const source = `def run():\n    return {"y": len(load_artifact("${digestOf(data)}"))}\n`
      for (const _ of [1, 2]) expect(await link.call({ source })).toMatchObject({ outputs: { y: 50_000 } })
    }
    expect(engine.requests).toHaveLength(4)
    // a large one has begun to fill a file by the time that the disk refuses, and comes once more
    const large = randomBytes(3_000_000)
    engine.stored.set(digestOf(large), large)
    const both = `def run():\n    data = load_artifact("${digestOf(large)}")\n    save_artifact(data[1:])\n    return {"y": len(data)}\n`
    expect(await link.call({ source: both })).toMatchObject({ outputs: { y: 3_000_000 } })
    expect(readdirSync(join(disk.path, 'kept'))).toEqual([])
    expect(said().match(/no artifacts are kept in .*ENOSPC/g)).toHaveLength(1)
  })

  test('SIGTERM and SIGINT end running calls, and the second one ends the worker', async () => {
    const polite = await attached()
    const call = polite.link.begin({ source: 'import time\ndef run():\n    time.sleep(1000)\n' })
    const { pid } = await polite.link.seen('started')
    polite.child.kill('SIGINT')
    expect(await polite.exited).toBe(0)
    expect(await polite.link.last(call)).toMatchObject({ error: { type: 'worker_lost' } })
    expect(isAlive(pid)).toBe(false)
    const deaf = await attached()
    deaf.link.begin({
      source:
        'import signal, time\ndef run():\n    signal.signal(signal.SIGTERM, signal.SIG_IGN)\n    emit(loss=1)\n    time.sleep(1000)\n',
    })
    await deaf.link.seen('emit')
    deaf.child.kill('SIGTERM')
    // SIGTERM is taken when no more calls are
    const refusing = async (): Promise<boolean> => {
      const last = await Promise.race([deaf.link.call({ source: 'def run(): pass', node: 'other' }), deaf.exited])
      return typeof last === 'object' && last.type === 'error'
    }
    while (!(await refusing()));
    deaf.child.kill('SIGTERM')
    expect(await deaf.exited).toBe('SIGTERM')
  })

  test('a worker that is killed takes its processes along within a second [F69]', async () => {
    const { child, link } = await attached()
    link.begin({ source: 'def run():\n    while True: pass\n' })
    const { pid } = await link.seen('started')
    child.kill('SIGKILL')
    expect(await until(() => !isAlive(pid), 1000)).toBe(true)
  })
})

describe('the exit code says why it ended', () => {
  test('0: no call came for --max-idle seconds [R596]', async () => {
    const { exited, link, said } = await attached({ args: ['--max-idle', '0.3'] })
    expect(await exited).toBe(0)
    expect(link.frames.at(-1)).toEqual({ type: 'bye', reason: 'max_idle' })
    expect(said()).toContain('ended: no call came for 0.3 seconds')
  })

  test.each<[string, Parameters<typeof fakeEngine>[0], number, string]>([
    [
      'the protocol is refused [R439]',
      {
        onHello(link) {
          link.send({ type: 'refused', code: 'protocol_mismatch', protocol: 2, detail: 'upgrade\u001b[2J the worker' })
          link.socket.close(4001)
        },
      },
      3,
      String.raw`ended: the engine refused this worker: upgrade\u001b[2J the worker`,
    ],
    [
      'the link is closed as refused',
      { onHello: (link) => link.socket.close(4001, 'labels') },
      3,
      'refused this worker',
    ],
    ['the token is not taken', { refuse: () => ({ status: 401 }) }, 4, "does not take the worker's token (HTTP 401)"],
    ['the token is revoked', { onHello: (link) => link.socket.close(4003) }, 4, "the worker's token was revoked"],
  ])('%s', async (_, behaviour, exit, text) => {
    const engine = await fakeEngine(behaviour)
    const { exited, said } = run({ args: ['--url', engine.url], env: { SERVICE_WORKER_TOKEN: token } })
    expect([await exited, said()]).toEqual([exit, expect.stringContaining(text)])
    expect(engine.attempts()).toBe(1)
  })
})

test('an engine that is not there is told, and tried again', async () => {
  const { child, said, exited } = run({ args: loopback, env: { SERVICE_WORKER_TOKEN: token } })
  expect(await until(() => /not attached: .*ECONNREFUSED.*; trying again in \d\.\d s/.test(said()))).toBe(true)
  child.kill('SIGTERM')
  expect(await exited).toBe(0)
})
