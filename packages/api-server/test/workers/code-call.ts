/** Calls of node code for the tests of workers. */
import type { CodeCall } from '@flow-service/core'
import { flowDocumentInputSchema, type FlowNode, normalizeDocument } from '@flow-service/protocol'

/** What a call told its caller. */
export interface CallRecord {
  readonly places: unknown[]
  readonly emits: [Record<string, unknown>, number][]
  readonly logs: [string, string][]
  cancel(): void
}

/** An engine that has no flavors. */
export const noFlavors = { get: () => undefined, onChange() {} }

let ids = 0

/** A call of a Python node with a streaming output `loss`. */
export function codeCall(options: {
  readonly mode?: 'live' | 'batch'
  readonly node?: Partial<FlowNode>
  readonly resources?: object
  readonly inputs?: Record<string, unknown>
  readonly onEmit?: CodeCall['onEmit']
  readonly behind?: CodeCall['behind']
}): CodeCall & { readonly record: CallRecord } {
  const input = flowDocumentInputSchema.parse({
    mode: options.mode ?? 'batch',
    nodes: [
      {
        id: 'train',
        type: 'python',
        source: 'def run(): pass',
        ports: [{ direction: 'output', name: 'loss', dtype: 'float', stream: true }],
        ...options.node,
      },
    ],
    resources: options.resources ?? {},
  })
  const document = normalizeDocument('fit', input)
  const abort = new AbortController()
  const record: CallRecord = { places: [], emits: [], logs: [], cancel: () => abort.abort() }
  return {
    document,
    node: document.nodes[0] as FlowNode,
    id: `call-${++ids}`,
    run: null,
    inputs: options.inputs ?? {},
    attempt: 1,
    seed: 'seed',
    signal: abort.signal,
    onEmit: options.onEmit ?? ((values, atMs) => void record.emits.push([values, atMs])),
    behind: () => options.behind?.(),
    onLog: (stream, text) => void record.logs.push([stream, text]),
    onPlace: (place) => void record.places.push(place),
    record,
  }
}
