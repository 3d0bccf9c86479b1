/** Batch flows for the tests of runs. Their code is executed by the test, or by Python where `source` says so. */
import type { FlowDocumentInput } from '@flow-service/protocol'

type NodeInput = NonNullable<FlowDocumentInput['nodes']>[number]
type PortInput = NonNullable<NodeInput['ports']>[number]

export const input = (name: string, dtype: PortInput['dtype'] = 'float'): PortInput => ({
  direction: 'input',
  name,
  dtype,
})
export const output = (name: string, dtype: PortInput['dtype'] = 'float'): PortInput => ({
  direction: 'output',
  name,
  dtype,
})
export const stream = (name: string, rest: Partial<PortInput> = {}): PortInput => ({
  ...output(name),
  stream: true,
  ...rest,
})

/** A Python node. */
export const node = (id: string, ports: PortInput[], rest: Partial<NodeInput> = {}): NodeInput => ({
  id,
  type: 'python',
  source: 'def run(**inputs): return None',
  ports,
  ...rest,
})

/** `y = scale * x` by a node without code; `x` may have another name. */
export const scaled = (scale: number, x = 'x'): FlowDocumentInput => ({
  inputs: [{ name: x, dtype: 'float', initial: 2 }],
  outputs: [{ name: 'y' }],
  nodes: [
    {
      id: 'change',
      type: 'change',
      settings: { scale },
      ports: [
        { direction: 'input', name: x, port: 'in', dtype: 'float' },
        { direction: 'output', name: 'y', port: 'out', dtype: 'float' },
      ],
    },
  ],
})

/** `y = 2x` by a node without code. */
export const light = scaled(2)

/** `y = code(x)` by the node `double`, which is executed every time. */
export const double: FlowDocumentInput = {
  inputs: [{ name: 'x', dtype: 'float', initial: 2 }],
  outputs: [{ name: 'y' }],
  nodes: [node('double', [input('x'), output('y')], { cache: false })],
}

/** One node without inputs that emits `loss` and gives `best`. */
export const train: FlowDocumentInput = {
  outputs: [{ name: 'best' }],
  nodes: [node('train', [stream('loss'), output('best')])],
}
