/** Flows of one Python node, and the paths of its source. */
import type { FlowDocumentInput } from '@flow-service/protocol'

/** A flow of one Python node `f` that has `x` and gives `y`. */
export const calc = (more: object, mode: 'live' | 'batch' = 'batch'): FlowDocumentInput => ({
  mode,
  inputs: [{ name: 'x', dtype: 'float', initial: 1 }],
  nodes: [
    {
      id: 'f',
      type: 'python',
      ports: [
        { direction: 'input', name: 'x', dtype: 'float' },
        { direction: 'output', name: 'y' },
      ],
      ...more,
    },
  ],
})

/** What is asked of the node `f` of a flow. */
export const at = (flow: string, what = 'source'): string => `/flows/${flow}/nodes/f/${what}`
