/**
 * Typed constructor of `exec`.
 * @module
 */
import { type Inputs, nodeType, t, type TypedNode } from '@flow-service/flow-sdk'

type CommandOutputs = {
  readonly stdout: typeof t.str
  readonly stderr: typeof t.str
  readonly exit_code: typeof t.int
}

/** Options of {@link exec}. */
export interface ExecOptions<I extends Inputs, O extends Partial<CommandOutputs>> {
  /** Command line of `/bin/sh`; it runs in the engine's files directory. */
  readonly command: string
  readonly in: I
  /** Any of the three; all of them unless given. */
  readonly out?: O & { readonly [K in Exclude<keyof O, keyof CommandOutputs>]: never }
  /** Add the value as the last argument of the command. */
  readonly appendPayload?: boolean
  /** Seconds until the command is killed; 30 unless given. */
  readonly timeout?: number
  /** An exit code other than 0 is a failure of the node. */
  readonly failOnError?: boolean
}

/**
 * Run a command on the engine's machine on each arrival. Outputs: `stdout`, `stderr` and `exit_code`.
 * @example use(exec({ command: 'df -h .', in: { tick: t.any }, out: { stdout: t.str } }), { tick })
 */
export function exec<I extends Inputs, O extends Partial<CommandOutputs> = CommandOutputs>(
  options: ExecOptions<I, O>,
): TypedNode<I, O> {
  const { in: inputs, out, appendPayload, failOnError, ...settings } = options
  return nodeType('exec', {
    in: inputs,
    // Without `out`, O is all three by its default.
    out: out ?? ({ stdout: t.str, stderr: t.str, exit_code: t.int } as unknown as O),
    settings: { ...settings, append_payload: appendPayload, fail_on_error: failOnError },
  })
}
