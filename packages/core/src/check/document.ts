/**
 * The issues of a flow document (G18). Executes no user code.
 * @module
 */
import type { FlowDocument, Issue } from '@flow-service/protocol'

import { graphSteps } from '../graph.ts'
import type { NodeRegistry } from '../registry.ts'
import { atOnce, endsStep, type Steps } from '../steps.ts'
import { checkInputs, checkOutputs } from './interface.ts'
import { checkNode } from './node.ts'
import type { Report, Surroundings } from './report.ts'
import { checkCycle, checkWires } from './wires.ts'

/**
 * The issues of a document in normal form, in its order: inputs, outputs, nodes, wires. Linear in its size.
 * Without surroundings nothing is said about messages of other flows, missing dependencies, secrets, flavors,
 * interpreters and devices.
 */
export const checkDocument = (document: FlowDocument, registry: NodeRegistry, around?: Surroundings): Issue[] =>
  atOnce(checkSteps(document, registry, around))

/** As {@link checkDocument}, by steps: for documents that hold up everything else too long at once. */
export function* checkSteps(document: FlowDocument, registry: NodeRegistry, around?: Surroundings): Steps<Issue[]> {
  const issues: Issue[] = []
  // a type may have been asked with the values of secrets
  const shown = (message: string): string => around?.secrets?.mask(message) ?? message
  const report: Report = (code, message, { node = null, path, severity = 'error' }) =>
    issues.push({ severity, code, message: shown(message), node, path })
  const graph = yield* graphSteps(document)
  checkInputs(document, report)
  checkOutputs(document, graph, report)
  checkResources(document, around, report)
  checkPython(document, registry, around, report)
  checkConcurrency(document, report)
  const seen = new Set<string>()
  const claims = new Map<string, string>()
  for (const [at, node] of document.nodes.entries()) {
    if (seen.has(node.id)) {
      report('duplicate_node_id', `two nodes have the id "${node.id}"; rename one`, {
        node: node.id,
        path: `/nodes/${at}/id`,
      })
    }
    seen.add(node.id)
    checkNode({ document, node, at, registry, around, report, claims })
    if (endsStep(at)) yield
  }
  yield* checkWires(document, graph, around, report)
  if (document.mode === 'batch') checkCycle(document, graph, report)
  return issues
}

function checkResources(
  { resources: { flavor } }: FlowDocument,
  around: Surroundings | undefined,
  report: Report,
): void {
  if (flavor === null || around?.flavors?.has(flavor) !== false) return
  report('unknown_flavor', `there is no flavor "${flavor}"; remove it or name an existing one`, {
    path: '/resources/flavor',
  })
}

/** Nodes that only workers execute wait for one that has it; without one that is no error. */
function checkPython(
  { nodes, resources: { python } }: FlowDocument,
  registry: NodeRegistry,
  around: Surroundings | undefined,
  report: Report,
): void {
  if (python === undefined || around?.pythons === undefined) return
  const [own, attached] = [around.pythons.own(), around.pythons.attached()]
  const inPython = nodes.filter(({ type }) => registry.get(type)?.code === 'python')
  const isElsewhere =
    inPython.length > 0 && inPython.every(({ worker, worker_policy }) => worker !== null && worker_policy === 'require')
  if ((isElsewhere ? attached : own).includes(python)) return
  const [where, names] = isElsewhere ? ['no attached worker has', attached] : ['the engine does not have', own]
  const known = [...new Set(names)].map((name) => `"${name}"`).join(', ') || 'none'
  const message = `${where} a Python environment "${python}" (there are: ${known}); name one, or leave "python" out`
  report('unknown_python', message, { path: '/resources/python', severity: isElsewhere ? 'warning' : 'error' })
}

function checkConcurrency({ mode, concurrency }: FlowDocument, report: Report): void {
  if (mode === 'batch' || concurrency === null) return
  report('bad_setting', 'concurrency limits the runs of a batch flow, and this flow is live; remove it', {
    path: '/concurrency',
    severity: 'warning',
  })
}
