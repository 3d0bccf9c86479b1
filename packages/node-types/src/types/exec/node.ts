/**
 * `exec`: runs a command on the engine's machine (wire decision G75).
 * @module
 */
import {
  type CommandEnd,
  defineNode,
  MAX_COMMAND_OUTPUT_BYTES,
  type NodeContext,
  type NodeFinding,
  type NodeShape,
  type Values,
} from '@flow-service/connector-sdk'
import * as z from 'zod'

import { valueText } from '../../value-text.ts'
import { payloadFault } from './command.ts'

const settings = z.strictObject({
  command: z
    .string()
    .min(1)
    .max(100_000)
    .describe('Command line of the shell /bin/sh. It runs in the engine’s files directory.'),
  append_payload: z
    .boolean()
    .default(false)
    .describe('Add the value as the last argument of the command, text as it is and anything else as JSON.'),
  timeout: z
    .number()
    .positive()
    .max(86_400)
    .default(30)
    .describe('Seconds until the command is killed, with all that it has started.'),
  fail_on_error: z
    .boolean()
    .default(false)
    .describe('Fail when the exit code is not 0, and emit nothing; otherwise the exit code is an output.'),
})
type Settings = z.infer<typeof settings>
type Context = NodeContext<Settings>

/** Bytes of one argument, its end included, that every system takes (Linux, `MAX_ARG_STRLEN`). */
const MAX_ARGUMENT_BYTES = 131_072
/** Characters of standard error that a failure tells. */
const MAX_TOLD = 500

const outputs = {
  stdout: { dtype: 'str', of: ({ stdout }: CommandEnd) => stdout },
  stderr: { dtype: 'str', of: ({ stderr }: CommandEnd) => stderr },
  exit_code: { dtype: 'int', of: ({ exitCode }: CommandEnd) => exitCode },
} as const
type Output = keyof typeof outputs
const isOutput = (port: string): port is Output => Object.hasOwn(outputs, port)

/** A command that did not do what the node needs; `name` is the type of the failure. */
class CommandFailure extends Error {
  override readonly name: 'exit_code' | 'timeout' | 'bad_payload'
  constructor(name: CommandFailure['name'], message: string) {
    super(message)
    this.name = name
  }
}

/** Runs a command on each arrival. */
export const execNode = defineNode({
  type: 'exec',
  title: 'Command',
  description: 'Runs a command on the engine’s machine and emits its outputs and its exit code.',
  category: 'system',
  settings,
  ports: {
    inputs: 'any',
    outputs: 'any',
    fixed: Object.entries(outputs).map(([port, { dtype }]) => ({ direction: 'output', port, dtype })),
  },
  arrival: 'each',
  idempotent: false,
  superuser: true,
  check: (shape) => [...outputFindings(shape), ...commandFindings(shape)],

  start(ctx) {
    let running: Promise<unknown> = Promise.resolve()
    const run = (argument: readonly string[]): Promise<Values | undefined> => {
      const execution = execute(ctx, argument)
      running = execution.catch(() => {})
      return execution
    }
    return {
      onValue: (_port, value) => run(ctx.settings.append_payload ? [valueText(value)] : []),
      onTrigger: () => run([]),
      // the engine has ended the command by its signal; nothing of it is left afterwards
      stop: async () => void (await running),
    }
  },
})

async function execute(ctx: Context, argument: readonly string[]): Promise<Values | undefined> {
  const { command, timeout, fail_on_error } = ctx.settings
  for (const text of argument) assertArgument(text)
  const expiry = new AbortController()
  const cancel = ctx.after(timeout, () =>
    expiry.abort(new CommandFailure('timeout', `the command was killed after ${timeout} s; give it more time`)),
  )
  try {
    const end = await ctx.spawn({
      file: '/bin/sh',
      // the shell never reads the value: it is an argument already
      args: ['-c', argument.length > 0 ? `${command} "$@"` : command, 'sh', ...argument],
      signal: AbortSignal.any([ctx.signal, expiry.signal]),
    })
    if (end.dropped > 0)
      ctx.log(`${end.dropped} more bytes of output were dropped: ${MAX_COMMAND_OUTPUT_BYTES} are kept of each output`)
    if (fail_on_error && end.exitCode !== 0) throw exitFailure(end)
    return Object.fromEntries(
      ctx.outputs.flatMap(({ port }) => (isOutput(port) ? [[port, outputs[port].of(end)]] : [])),
    )
  } finally {
    cancel()
  }
}

function assertArgument(text: string): void {
  if (text.includes('\0')) throw new CommandFailure('bad_payload', 'the value holds a NUL, which no argument can')
  const bytes = new TextEncoder().encode(text).length
  if (bytes < MAX_ARGUMENT_BYTES) return
  const message = `the value has ${bytes} bytes, and an argument fewer than ${MAX_ARGUMENT_BYTES}; hand it over in a file`
  throw new CommandFailure('bad_payload', message)
}

function exitFailure({ exitCode, stderr }: CommandEnd): CommandFailure {
  const told = stderr.trim().slice(-MAX_TOLD).toWellFormed()
  return new CommandFailure('exit_code', `the command ended with exit code ${exitCode}${told && `: ${told}`}`)
}

function outputFindings({ outputs: ports }: NodeShape): NodeFinding[] {
  return ports.flatMap(({ port }, at): NodeFinding[] => {
    const message = `a command has no output "${port}"; name it one of: ${Object.keys(outputs).join(', ')}`
    return isOutput(port) ? [] : [{ code: 'unsupported_ports', message, path: `/outputs/${at}/port` }]
  })
}

function commandFindings({ settings: { command, append_payload } }: NodeShape<Settings>): NodeFinding[] {
  if (command.includes('\0')) return [badCommand('holds a NUL; remove it')]
  const fault = append_payload ? payloadFault(command) : null
  return fault === null ? [] : [badCommand(fault)]
}

const badCommand = (fault: string): NodeFinding => ({
  code: 'bad_setting',
  path: '/settings/command',
  message: `the command ${fault}`,
})
