/**
 * Calls of node code as they may be told of: what the code prints and how it fails, without the values of secrets.
 * @module
 */
import { type CodeCall, CodeError } from '@flow-service/core'

import type { Redactor } from './redactor.ts'

type Values = Record<string, unknown>

/** Executes a call by `execute`; the outputs are the node's own and stay as they are. */
export async function maskedCall(
  call: CodeCall,
  redactor: Pick<Redactor, 'mask' | 'stream'>,
  execute: (call: CodeCall) => Promise<Values>,
): Promise<Values> {
  const streams = { stdout: redactor.stream(), stderr: redactor.stream() }
  const tell = (stream: 'stdout' | 'stderr', text: string): void => {
    if (text !== '') call.onLog(stream, text)
  }
  try {
    return await execute({ ...call, onLog: (stream, text) => tell(stream, streams[stream].push(text)) })
  } catch (error) {
    throw error instanceof CodeError ? maskedError(error, redactor) : error
  } finally {
    tell('stdout', streams.stdout.end())
    tell('stderr', streams.stderr.end())
  }
}

function maskedError(error: CodeError, { mask }: Pick<Redactor, 'mask'>): CodeError {
  const { type, message, traceback } = error
  return new CodeError(mask(type), mask(message), mask(traceback))
}
