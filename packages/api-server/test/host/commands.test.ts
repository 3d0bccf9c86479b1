import { spawn } from 'node:child_process'
import { existsSync, readFileSync, readlinkSync, realpathSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'

import { type CommandEnd, MAX_COMMAND_OUTPUT_BYTES } from '@flow-service/connector-sdk'
import { LiveRuntime, NodeRegistry, runBatch } from '@flow-service/core'
import { type MemoryHost, memoryHost } from '@flow-service/core/testing'
import { execNode, fileNode } from '@flow-service/node-types'
import { flowDocumentInputSchema, normalizeDocument } from '@flow-service/protocol'
import { environmentBeside } from '@flow-service/worker-agent'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'

import { runCommand } from '../../src/host/commands.ts'
import { openMachine } from '../../src/host/machine.ts'

let directory: string
beforeAll(async () => {
  directory = realpathSync(await mkdtemp(join(tmpdir(), 'commands-')))
})
afterAll(() => rm(directory, { recursive: true, force: true }))

const env = environmentBeside('commands test', { PATH: process.env['PATH'] ?? '', API_TOKEN: 'canary', PLAIN: 'seen' })

const shell = (
  command: string,
  args: readonly string[] = [],
  signal = new AbortController().signal,
): Promise<CommandEnd> =>
  runCommand({ file: '/bin/sh', args: ['-c', command, 'sh', ...args], signal }, {}, { directory, env })

/** Whether a process exists, by its number in a command's output. */
const isAlive = (pid: string | number): boolean => {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')
  } catch {
    return false
  }
}

describe('a command', () => {
  test('has its outputs and its exit code [R284]', async () => {
    expect(await shell('echo out; echo err >&2; exit 3')).toEqual({
      exitCode: 3,
      stdout: 'out\n',
      stderr: 'err\n',
      dropped: 0,
    })
    expect(await shell('kill -9 $$')).toMatchObject({ exitCode: 137 })
    expect(await shell('no-such-program')).toMatchObject({ exitCode: 127 })
  })

  test('runs in the files directory, on the machine and in the container of the engine [R283] [R287]', async () => {
    const { stdout } = await shell(
      'pwd; uname -n; echo $PPID; readlink /proc/self/ns/uts /proc/self/ns/mnt /proc/self/ns/pid',
    )
    const spaces = ['uts', 'mnt', 'pid'].map((name) => readlinkSync(`/proc/self/ns/${name}`))
    expect(stdout.trim().split('\n')).toEqual([directory, hostname(), String(process.pid), ...spaces])
  })

  test.each([
    '; touch marker',
    '$(touch marker)',
    '`touch marker`',
    '| touch marker',
    "' touch marker '",
    '--version',
    '-',
    '',
    'a\nb',
    '*',
    '"',
    '\\',
    '$HOME',
  ])('gets %j as it is, in one argument [R289] [T69]', async (value) => {
    const { stdout } = await shell('printf "%s|" "$#" "$@"', [value])
    expect(stdout).toBe(`1|${value}|`)
    expect(await readdir(directory)).toEqual([])
  })

  test('sees no credential of the engine, and the variables of its flow [T70]', async () => {
    const command = { file: '/usr/bin/env', args: [], signal: new AbortController().signal }
    const { stdout } = await runCommand(command, { OWN: 'flow', PLAIN: 'over' }, { directory, env })
    expect(stdout).not.toContain('canary')
    expect(stdout.split('\n')).toEqual(expect.arrayContaining(['OWN=flow', 'PLAIN=over']))
  })

  test('keeps 1 MiB of each output, and ends however much it writes [T70]', async () => {
    const more = MAX_COMMAND_OUTPUT_BYTES + 1000
    const end = await shell(`head -c ${more} /dev/zero | tr '\\0' x; head -c ${more} /dev/zero | tr '\\0' y >&2`)
    expect([end.stdout.length, end.stderr.length, end.dropped]).toEqual([
      MAX_COMMAND_OUTPUT_BYTES,
      MAX_COMMAND_OUTPUT_BYTES,
      2000,
    ])
  })

  test('has text for output, whatever it writes', async () => {
    expect((await shell(String.raw`printf 'a\000b\377c\357\273\277'`)).stdout).toBe('a\uFFFDb\uFFFDc\uFEFF')
    const cut = await shell(`head -c ${MAX_COMMAND_OUTPUT_BYTES - 1} /dev/zero | tr '\\0' x; printf 'ü'`)
    expect([cut.stdout.length, cut.dropped]).toEqual([MAX_COMMAND_OUTPUT_BYTES - 1, 1])
  })

  test('has nothing to read', async () => {
    expect(await shell('cat; echo end')).toMatchObject({ stdout: 'end\n' })
  })

  test('takes with it what it has started in the background [T70]', async () => {
    const { stdout } = await shell('sleep 99 & echo $!')
    await expect.poll(() => isAlive(stdout.trim())).toBe(false)
  })

  test('is ended with its whole group by its signal, though it ignores requests to end [R290] [T70]', async () => {
    const controller = new AbortController()
    const pids = join(directory, 'pids')
    const ended = shell(
      `trap '' TERM INT HUP; sleep 98 & (sleep 97; echo) & echo "$$ $!" > ${pids}; wait`,
      [],
      controller.signal,
    )
    const isWritten = () => {
      try {
        return readFileSync(pids, 'utf8').trim().split(' ').length
      } catch {
        return 0
      }
    }
    await expect.poll(isWritten).toBe(2)
    const [first = '', second = ''] = readFileSync(pids, 'utf8').trim().split(' ')
    await rm(pids)
    controller.abort(new Error('enough'))
    await expect(ended).rejects.toThrow('enough')
    await expect.poll(() => [isAlive(first), isAlive(second)]).toEqual([false, false])
  })

  test('is not waited for by what has left its group on purpose', async () => {
    const { stdout } = await shell('setsid sleep 96 & echo $!; sleep 0.1')
    const pid = Number(stdout.trim())
    expect(isAlive(pid)).toBe(true)
    process.kill(pid, 'SIGKILL')
  })

  test('is not started for a signal that is over, and says why it cannot be started', async () => {
    await expect(shell('touch marker', [], AbortSignal.abort(new Error('over')))).rejects.toThrow('over')
    expect(await readdir(directory)).toEqual([])
    const signal = new AbortController().signal
    await expect(runCommand({ file: '/no/such', args: [], signal }, {}, { directory, env })).rejects.toThrow(
      'the command cannot be started: ENOENT',
    )
    await expect(shell('true', ['a\0b'])).rejects.toThrow('null bytes')
  })
})

describe('nodes on the engine’s machine', () => {
  const opened: LiveRuntime[] = []
  afterEach(async () => {
    for (const runtime of opened.splice(0)) await runtime.close()
    await rm(join(directory, 'files'), { recursive: true })
  })

  const port = (direction: 'input' | 'output', name: string, dtype: 'any' | 'str' | 'int' = 'any') => ({
    direction,
    name,
    dtype,
  })

  /** A command that gets `given` as its last argument, and a file to which its output is added. */
  const logged = (command: string, given: string, path: string): object[] => [
    {
      id: 'cmd',
      type: 'exec',
      settings: { command, append_payload: true },
      ports: [port('input', given), port('output', 'stdout', 'str')],
    },
    { id: 'log', type: 'file', settings: { path, mode: 'append' }, ports: [port('input', 'stdout', 'str')] },
  ]

  // processes are real, and time is not
  const realHost = async (): Promise<MemoryHost> => ({
    ...memoryHost(),
    ...(await openMachine(join(directory, 'files'), env)),
  })

  async function started(nodes: object[]) {
    const host = await realHost()
    const runtime = new LiveRuntime(host, new NodeRegistry([execNode, fileNode]))
    opened.push(runtime)
    const document = normalizeDocument(
      'f',
      flowDocumentInputSchema.parse({ nodes, inputs: [{ name: 'in' }], resources: { env: { OWN: 'flow' } } }),
    )
    return { host, runtime, flow: await runtime.start(document) }
  }

  test('a command writes, a file is added to and read back [R283] [R284] [R289] [R292] [R294]', async () => {
    const { host, runtime, flow } = await started([
      ...logged('printf "%s-%s" "$OWN"', 'in', 'log/all.txt'),
      {
        id: 'back',
        type: 'file',
        settings: { path: 'log/all.txt' },
        ports: [port('input', 'again'), port('output', 'content', 'str')],
      },
    ])
    runtime.publish('f.in', 'a b; exit 1')
    await flow.idle()
    runtime.publish('f.in', { k: 1 })
    await flow.idle()
    flow.trigger('back', {})
    await flow.idle()
    expect(host.values('f.content')).toEqual(['flow-a b; exit 1\nflow-{"k":1}\n'])
  })

  /** The number of the process that a command has written to a file, once it has. */
  async function pidIn(host: MemoryHost, path: string): Promise<string> {
    let pid = ''
    const read = async (): Promise<string> => {
      pid = new TextDecoder().decode(await host.files.read(path).catch(() => new Uint8Array())).trim()
      return pid
    }
    await expect.poll(read).not.toBe('')
    await rm(join(directory, 'files', path))
    return pid
  }
  const sleeping = (settings: object) => ({
    id: 'slow',
    type: 'exec',
    settings: { command: 'sleep 95 & echo $! > pid; sleep 94', ...settings },
    ports: [port('input', 'in'), port('output', 'exit_code', 'int')],
  })

  test('a command that takes too long is killed with all it has started, and fails its node [R290] [T70]', async () => {
    const { host, runtime, flow } = await started([sleeping({ timeout: 5 })])
    runtime.publish('f.in', 1)
    const pid = await pidIn(host, 'pid')
    await host.advance(4900)
    expect(isAlive(pid)).toBe(true)
    await host.advance(200)
    await flow.idle()
    expect(flow.nodeStates()).toMatchObject([
      { status: 'failed', error: { type: 'timeout', message: expect.stringContaining('5 s') } },
    ])
    await expect.poll(() => isAlive(pid)).toBe(false)
    expect(host.values('f.exit_code')).toEqual([])
  })

  test('an exit code that is not 0 fails its node when it is told to, with what the command has said [R291]', async () => {
    const { host, runtime, flow } = await started([
      {
        id: 'bad',
        type: 'exec',
        settings: { command: 'echo why >&2; exit 4', fail_on_error: true },
        ports: [port('input', 'in'), port('output', 'stderr', 'str')],
      },
    ])
    runtime.publish('f.in', 1)
    await flow.idle()
    const message = 'the command ended with exit code 4: why'
    expect(flow.nodeStates()).toMatchObject([{ status: 'failed', error: { type: 'exit_code', message } }])
    expect(host.values('f.stderr')).toEqual([])
  })

  test('a cancel ends its command, and a flow that stops does so after ten seconds; nothing more is published', async () => {
    const { host, runtime, flow } = await started([sleeping({})])
    runtime.publish('f.in', 1)
    const cancelled = await pidIn(host, 'pid')
    expect(flow.cancel('slow')).toBe(1)
    await flow.idle()
    await expect.poll(() => isAlive(cancelled)).toBe(false)
    runtime.publish('f.in', 2)
    const stopped = await pidIn(host, 'pid')
    const stop = flow.stop()
    await host.advance(9900)
    expect(isAlive(stopped)).toBe(true)
    await host.advance(200)
    await Promise.all([stop, flow.stop()])
    await expect.poll(() => isAlive(stopped)).toBe(false)
    expect(host.values('f.exit_code')).toEqual([])
  })

  test('a run executes commands and reads and writes files, each once', async () => {
    const host = await realHost()
    await host.files.write('in.json', new TextEncoder().encode('{"n":2}'))
    const nodes = [
      { id: 'in', type: 'file', settings: { path: 'in.json', format: 'json' }, ports: [port('output', 'given')] },
      ...logged('printf "%s!"', 'given', 'out/all.txt'),
    ]
    const input = flowDocumentInputSchema.parse({ mode: 'batch', nodes, outputs: [{ name: 'stdout' }] })
    const outcome = await runBatch(normalizeDocument('f', input), {
      host,
      registry: new NodeRegistry([execNode, fileNode]),
      run: 'run',
      inputs: {},
      noCache: false,
      parallel: 2,
      signal: new AbortController().signal,
      cache: { take: async () => ({ is: 'miss', why: [] }), settle: async () => {} },
      observe: () => {},
      lastValue: () => undefined,
    })
    expect(outcome).toEqual({ status: 'ok', result: { stdout: '{"n":2}!' }, error: null })
    expect(new TextDecoder().decode(await host.files.read('out/all.txt'))).toBe('{"n":2}!\n')
  })
})

describe('an engine that is killed', () => {
  const commands = join(import.meta.dirname, '../../src/host/commands.ts')
  const engine = `
    import { runCommand } from ${JSON.stringify(commands)}
    const setting = { directory: process.cwd(), env: {} }
    const run = (script) =>
      runCommand({ file: '/bin/sh', args: ['-c', script], signal: new AbortController().signal }, {}, setting)
    await run('exit 0')
    for (const name of ['one', 'two']) void run('echo $$ > ' + name + '; /bin/sleep 600 & wait')
    await run('echo > begun')
  `

  test('takes its commands with it, and what they have started', async () => {
    const folder = realpathSync(await mkdtemp(join(tmpdir(), 'killed-')))
    const child = spawn(
      process.execPath,
      ['--conditions=@flow-service/source', '--no-warnings', '--input-type=module', '-e', engine],
      { cwd: folder, stdio: 'ignore' },
    )
    const pids = (): string[] =>
      ['one', 'two'].flatMap((name) => {
        try {
          return readFileSync(join(folder, name), 'utf8').trim() || []
        } catch {
          return []
        }
      })
    try {
      // a command that began a moment before the kill is left to the next start
      const hasBegun = (): boolean => existsSync(join(folder, 'begun'))
      await expect.poll(() => hasBegun() && pids().length).toBe(2)
      const groups = pids()
      child.kill('SIGKILL')
      await expect.poll(() => groups.filter(isAlive)).toEqual([])
    } finally {
      child.kill('SIGKILL')
      await rm(folder, { recursive: true, force: true })
    }
  })
})
