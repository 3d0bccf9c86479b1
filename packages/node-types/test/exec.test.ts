import { type Command, type CommandEnd, DtypeViolation } from '@flow-service/connector-sdk'
import { execNode } from '@flow-service/node-types'
import { describe, expect, test } from 'vitest'

import { codes, findings, Rig, type Setup } from './test-kit.ts'

const all = { stdout: 'str', stderr: 'str', exit_code: 'int' } as const

/** A node whose commands end as told; how commands really end is tested beside the host of the engine. */
async function running(settings: Record<string, unknown>, end: Partial<CommandEnd> = {}, setup: Setup = {}) {
  const commands: Command[] = []
  const rig = await Rig.start(execNode, {
    inputs: { in: 'any' },
    outputs: all,
    spawn: async (command) => {
      commands.push(command)
      return { exitCode: 0, stdout: '', stderr: '', dropped: 0, ...end }
    },
    ...setup,
    settings,
  })
  return { rig, commands }
}

describe('exec', () => {
  test('hands the command to the shell, and nothing of the value [R283] [R289]', async () => {
    const { rig, commands } = await running({ command: 'df -h | tail -1' })
    await rig.arrive({ in: '; touch marker' })
    expect(commands).toMatchObject([{ file: '/bin/sh', args: ['-c', 'df -h | tail -1', 'sh'] }])
  })

  test.each([
    ['a b', 'a b'],
    ['; touch x', '; touch x'],
    ['$(id)', '$(id)'],
    ['--flag', '--flag'],
    ['', ''],
    [5, '5'],
    [true, 'true'],
    [null, 'null'],
    [{ k: "it's" }, `{"k":"it's"}`],
    [[1, '"'], '[1,"\\""]'],
  ])('appends %j as one argument that no shell reads [R289] [T69]', async (value, argument) => {
    const { rig, commands } = await running({ command: 'printf %s', append_payload: true })
    await rig.arrive({ in: value })
    expect(commands[0]?.args).toEqual(['-c', 'printf %s "$@"', 'sh', argument])
  })

  test('fails for a value that no argument can hold, and runs nothing [T69]', async () => {
    const { rig, commands } = await running({ command: 'printf %s', append_payload: true })
    await expect(rig.arrive({ in: 'a\0b' })).rejects.toMatchObject({
      name: 'bad_payload',
      message: expect.stringContaining('NUL'),
    })
    await expect(rig.arrive({ in: 'ü'.repeat(65_536) })).rejects.toMatchObject({
      name: 'bad_payload',
      message: expect.stringContaining('131072 bytes'),
    })
    expect(commands).toEqual([])
    await rig.arrive({ in: 'x'.repeat(131_071) })
    expect(commands).toHaveLength(1)
  })

  test('emits its outputs and its exit code, those that are ports [R284]', async () => {
    const end = { exitCode: 3, stdout: 'out\n', stderr: 'err\n' }
    const { rig } = await running({ command: 'x' }, end)
    await rig.arrive({ in: 1 })
    expect(rig.emitted).toEqual([{ stdout: 'out\n', stderr: 'err\n', exit_code: 3 }])
    const part = await running({ command: 'x' }, end, { outputs: { exit_code: 'int' } })
    await part.rig.arrive({ in: 1 })
    expect(part.rig.emitted).toEqual([{ exit_code: 3 }])
    const none = await running({ command: 'x' }, end, { outputs: {} })
    await none.rig.arrive({ in: 1 })
    expect(none.rig.emitted).toEqual([])
  })

  test('runs when it is asked to act, with no argument then', async () => {
    const { rig, commands } = await running(
      { command: 'date', append_payload: true },
      { stdout: 'now' },
      { inputs: {} },
    )
    await rig.trigger()
    expect(commands[0]?.args).toEqual(['-c', 'date', 'sh'])
    expect(rig.emitted).toMatchObject([{ stdout: 'now' }])
  })

  test('fails on a non-zero exit code without output when told to [R291]', async () => {
    const { rig } = await running({ command: 'x', fail_on_error: true }, { exitCode: 2, stderr: ' no such disk \n' })
    await expect(rig.arrive({ in: 1 })).rejects.toMatchObject({
      name: 'exit_code',
      message: 'the command ended with exit code 2: no such disk',
    })
    expect(rig.emitted).toEqual([])
    const fine = await running({ command: 'x', fail_on_error: true })
    await fine.rig.arrive({ in: 1 })
    expect(fine.rig.emitted).toHaveLength(1)
  })

  test('ends the command at the timeout, 30 s unless given, and fails [R290]', async () => {
    let reason: unknown
    const { rig } = await running(
      { command: 'sleep 99' },
      {},
      {
        spawn: ({ signal }) =>
          new Promise((_, reject) =>
            signal.addEventListener('abort', () => {
              reason = signal.reason
              reject(signal.reason as Error)
            }),
          ),
      },
    )
    const failure = rig.arrive({ in: 1 }).catch((error: unknown) => error)
    await rig.advance(29.9)
    expect(reason).toBeUndefined()
    await rig.advance(0.2)
    expect(await failure).toMatchObject({ name: 'timeout', message: expect.stringContaining('30 s') })
    expect([rig.timers, rig.emitted]).toEqual([0, []])
  })

  test('stops only when its command has ended', async () => {
    const ended = Promise.withResolvers<never>()
    const { rig } = await running({ command: 'sleep 99' }, {}, { spawn: () => ended.promise })
    const failure = rig.arrive({ in: 1 }).catch((error: Error) => error.message)
    let stopped = false
    const stop = rig.stop().then(() => (stopped = true))
    await Promise.resolve()
    expect(stopped).toBe(false)
    ended.reject(new Error('gone'))
    await stop
    expect(await failure).toBe('gone')
  })

  test('logs how much output was dropped', async () => {
    const { rig } = await running({ command: 'yes' }, { dropped: 12 })
    await rig.arrive({ in: 1 })
    expect(rig.logged).toEqual(['12 more bytes of output were dropped: 1048576 are kept of each output'])
  })

  test('needs a command; everything else has a default [R288] [R289] [R290] [R291]', () => {
    expect(execNode.settings.parse({ command: 'x' })).toEqual({
      command: 'x',
      append_payload: false,
      timeout: 30,
      fail_on_error: false,
    })
    expect(execNode.settings.safeParse({}).error?.issues[0]?.path).toEqual(['command'])
  })

  test('takes a superuser, and is not repeated after a crash [R285] [R286]', () => {
    expect([execNode.superuser, execNode.idempotent]).toEqual([true, false])
  })

  test('has no other outputs than its three, each of its type', async () => {
    expect(codes(execNode, { settings: { command: 'x' }, inputs: { a: 'any' }, outputs: all })).toEqual([])
    expect(findings(execNode, { settings: { command: 'x' }, outputs: { stdout: 'str', result: 'any' } })).toMatchObject(
      [{ code: 'unsupported_ports', path: '/outputs/1/port' }],
    )
    expect(execNode.ports?.fixed).toEqual([
      { direction: 'output', port: 'stdout', dtype: 'str' },
      { direction: 'output', port: 'stderr', dtype: 'str' },
      { direction: 'output', port: 'exit_code', dtype: 'int' },
    ])
    const { rig } = await running({ command: 'x' }, {}, { outputs: { exit_code: 'str' } })
    await expect(rig.arrive({ in: 1 })).rejects.toThrow(DtypeViolation)
  })
})

describe('a command that takes the value as its last argument [T69]', () => {
  const faults = (command: string) =>
    findings(execNode, { settings: { command, append_payload: true }, inputs: { a: 'any' } }).map(({ path }) => path)

  test.each([
    'echo',
    'echo hello',
    'cd logs && ./report.sh --to',
    'cat list | grep -F -- ',
    'LANG=C sort -k 1 "a file"',
    'echo "a;b" \'c&d\' e\\;f',
    'echo $(date; id) `hostname`',
    'echo ${HOME:-x;y} $((1 + (2)))',
    'echo "$(echo ")")"',
    'echo a#b',
    'logger -t hall 2>&1',
    'logger -t hall >>log.txt 2>/dev/null',
    '# a note\nlogger',
    'if true; then logger; fi; echo',
    'printf %s >|out',
  ])('is %j', (command) => {
    expect(faults(command)).toEqual([])
  })

  test.each([
    'echo hi;',
    'echo hi &',
    'cd logs &&',
    'cat x |',
    'cat x ||\n',
    'echo hi\n',
    'LANG=C',
    'echo hi; A=1 B=2',
    '> out.txt',
    'echo hi; >> out.txt',
    '2>err',
    'echo hi # note',
    '#',
    '(echo hi)',
    '{ echo hi; }',
    'if true; then echo hi; fi',
    'while read x; do echo; done',
    'case x in x) echo;; esac',
    '!',
    'time',
    'if',
    "echo 'hi",
    'echo "hi',
    'echo `hi',
    'echo $(hi',
    'echo ${hi',
    'echo hi \\',
    'cat <<END\nhi\nEND',
    '   ',
  ])('is not %j, where the value would be run, lost or quoted away', (command) => {
    expect(faults(command)).toEqual(['/settings/command'])
  })

  test('may be anything when the value is not appended, but for a NUL', () => {
    expect(codes(execNode, { settings: { command: 'echo hi;' } })).toEqual([])
    expect(codes(execNode, { settings: { command: 'echo \0' } })).toEqual(['bad_setting'])
  })
})
