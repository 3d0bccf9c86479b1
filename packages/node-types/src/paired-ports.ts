/**
 * Inputs that pair with outputs in their order (wire decision G74).
 * @module
 */
import type { NodeFinding, NodePort } from '@flow-service/connector-sdk'

interface Ports {
  readonly inputs: readonly NodePort[]
  readonly outputs: readonly NodePort[]
}

/** What is wrong with ports that do not pair. */
export function pairFindings({ inputs, outputs }: Ports): NodeFinding[] {
  if (inputs.length > 0 && inputs.length === outputs.length) return []
  const message = `inputs pair with outputs in their order; give the node one output for each input, not ${outputs.length} for ${inputs.length}`
  return [{ code: 'unsupported_ports', message }]
}

/** Output by input. */
export const pairsOf = ({ inputs, outputs }: Ports): ReadonlyMap<string, string> =>
  new Map(inputs.map(({ port }, index) => [port, outputs[index]?.port ?? '']))
