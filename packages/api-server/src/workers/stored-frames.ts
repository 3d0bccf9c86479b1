/**
 * Stored values (wire decision V15) in the frames of calls: what workers get and give in place of values that are too large.
 * @module
 */
import { type CodeCall, type LoadBytes, openValues, withStored } from '@flow-service/core'
import { type CallFrame, type HelloFrame, isArtifactRef, type WorkerFrame } from '@flow-service/protocol'

/** The frame as a worker of this `hello` understands it: one of before gets stored values as they are, if they fit. */
export function frameFor(
  { stores }: Pick<HelloFrame, 'stores'>,
  frame: CallFrame,
  { inputs }: Pick<CodeCall, 'inputs'>,
  load: LoadBytes,
): CallFrame | Promise<CallFrame> {
  const { stored_inputs: stored, ...whole } = frame
  if (stored === undefined || stores === true) return frame
  return openValues(inputs, load).then((opened) => ({ ...whole, inputs: opened }))
}

/** What a call has returned. A worker that names a port as stored has a reference there. */
export function outputsOf({ outputs, stored = {} }: Extract<WorkerFrame, { type: 'result' }>): Record<string, unknown> {
  const kinds = Object.entries(stored).filter(([port]) => Object.hasOwn(outputs, port) && isArtifactRef(outputs[port]))
  return withStored(outputs, Object.fromEntries(kinds))
}

/** For who has no artifacts. */
export const noBytes: LoadBytes = () => Promise.reject(new Error('no artifacts are to be had here'))
