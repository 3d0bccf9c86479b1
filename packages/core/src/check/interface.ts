/**
 * Checks of a flow's declared inputs and outputs (G17).
 * @module
 */
import { accepts, describeValue, type FlowDocument } from '@flow-service/protocol'

import type { Graph } from '../graph.ts'
import type { Report } from './report.ts'

/** Names are unique, and initial values fit. */
export function checkInputs(document: FlowDocument, report: Report): void {
  const seen = new Set<string>()
  for (const [at, { name, dtype, initial }] of document.inputs.entries()) {
    if (seen.has(name)) {
      report('name_collision', `two inputs are named "${name}"; rename one`, { path: `/inputs/${at}/name` })
    }
    seen.add(name)
    // Null stands for "no initial value" on every dtype but any.
    if (initial !== null && !accepts(dtype, initial)) {
      const message = `input "${name}" is ${dtype}, which its initial value ${describeValue(initial)} is not; change one of them`
      report('dtype_mismatch', message, { path: `/inputs/${at}/initial` })
    }
  }
}

/** Keys are unique, and something produces the message. */
export function checkOutputs(document: FlowDocument, graph: Graph, report: Report): void {
  const known = new Set([...graph.producers.keys(), ...document.inputs.map(({ name }) => `${document.name}.${name}`)])
  // A live flow may be fed from outside through a message that one of its nodes reads.
  if (document.mode === 'live') for (const message of graph.readers.keys()) known.add(message)
  const seen = new Set<string>()
  for (const [at, { name, port }] of document.outputs.entries()) {
    if (seen.has(port)) {
      report('name_collision', `two outputs are named "${port}"; give one another "port"`, { path: `/outputs/${at}` })
    }
    seen.add(port)
    if (!known.has(`${document.name}.${name}`)) {
      report(
        'unproduced_output',
        `no node produces "${name}", which the flow declares as an output; wire it, or remove the output`,
        {
          path: `/outputs/${at}/name`,
          severity: document.mode === 'batch' ? 'error' : 'warning',
        },
      )
    }
  }
}
