export declare const MAX_COMMAND_OUTPUT_BYTES: number
export interface Command {
  readonly file: string
  readonly args: readonly string[]
  readonly signal: AbortSignal
}
export interface CommandEnd {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
  readonly dropped: number
}
