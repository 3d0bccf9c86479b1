/**
 * Commands on the engine's machine, as nodes run them.
 * @module
 */

/** Bytes that are kept of each of a command's outputs. */
export const MAX_COMMAND_OUTPUT_BYTES = 1024 * 1024

/** A program to run. No shell looks at it. */
export interface Command {
  /** Path of the program, or its name on PATH. */
  readonly file: string
  readonly args: readonly string[]
  /** Ends the program, and all that it has started in its process group. */
  readonly signal: AbortSignal
}

/** How a command ended. Outputs are text: whole characters, no NUL, at most {@link MAX_COMMAND_OUTPUT_BYTES} each. */
export interface CommandEnd {
  /** 128 and the number of the signal when one ended it, as shells have it. */
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
  /** Bytes of output beyond the bound. */
  readonly dropped: number
}
