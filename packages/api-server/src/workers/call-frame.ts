/**
 * The frame that hands an execution to a worker.
 * @module
 */
import { createHash } from 'node:crypto'

import { type CodeCall, storedKinds } from '@flow-service/core'
import { type CallFrame, MAX_STORED_VALUE_BYTES } from '@flow-service/protocol'

/** The call as a worker gets it (wire decision G54). `bundle` is the text of a `code` node's bundle, null for Python. */
export function callFrame(call: CodeCall, bundle: string | null): CallFrame {
  const { document, node } = call
  const source = bundle ?? node.source ?? ''
  const stored = storedKinds(call.inputs)
  return {
    type: 'call',
    call: call.id,
    attempt: call.attempt,
    flow: document.name,
    node: node.id,
    run: call.run,
    mode: document.mode,
    kind: bundle === null ? 'python' : 'code',
    source,
    source_digest: node.entry?.digest ?? digestOf(source),
    entry: node.entry?.export ?? 'run',
    settings: node.settings,
    inputs: call.inputs,
    input_ports: node.ports
      .filter((port) => port.direction === 'input')
      .map(({ port, dtype, trigger }) => ({ port, dtype, trigger })),
    outputs: node.ports
      .filter((port) => port.direction === 'output')
      .map(({ port, dtype, stream }) => ({ port, dtype, stream })),
    env: document.resources.env,
    seed: call.seed,
    timeout_s: node.timeout,
    ...(bundle === null && document.resources.python !== undefined && { python: document.resources.python }),
    ...(stored && { stored_inputs: Object.keys(stored) }),
    ...(call.storesOutputs === true && { store_over: MAX_STORED_VALUE_BYTES }),
  }
}

const digestOf = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`
