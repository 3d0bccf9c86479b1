/**
 * Checks of the wires between nodes (G12, G14, G16).
 * @module
 */
import {
  compatible,
  type Dtype,
  type FlowDocument,
  flowPart,
  messagePart,
  nearName,
  type Port,
} from '@flow-service/protocol'

import { append, type Graph } from '../graph.ts'
import { endsStep, type Steps } from '../steps.ts'
import type { Report, Surroundings } from './report.ts'

interface Producer {
  readonly name: string
  readonly dtype: Dtype
}

interface Wiring {
  readonly document: FlowDocument
  /** Producers by own message: flow inputs and output ports. */
  readonly producers: ReadonlyMap<string, readonly Producer[]>
  /** One producer for each distinct dtype of a message: what its readers are compared with. */
  readonly kinds: ReadonlyMap<string, readonly Producer[]>
  /** Names of the flow's own messages that are produced. */
  readonly names: readonly string[]
  readonly around: Surroundings | undefined
  readonly report: Report
}

/** Every port's message is produced, known and of a fitting dtype; in a batch flow by one producer. */
export function* checkWires(
  document: FlowDocument,
  graph: Graph,
  around: Surroundings | undefined,
  report: Report,
): Steps<void> {
  const producers = new Map<string, Producer[]>()
  for (const { name, dtype } of document.inputs) {
    append(producers, `${document.name}.${name}`, { name: `input "${name}"`, dtype })
  }
  for (const { node, outputs } of graph.nodes) {
    for (const { message, dtype } of outputs) append(producers, message, { name: `node "${node.id}"`, dtype })
  }
  yield
  const kinds = new Map<string, Producer[]>()
  for (const [message, list] of producers) {
    kinds.set(message, [...new Map(list.toReversed().map((producer) => [producer.dtype, producer])).values()])
  }
  yield
  const own = [...kinds.keys()].filter((message) => flowPart(message) === document.name)
  const wiring = { document, producers, kinds, names: own.map(messagePart), around, report }
  for (const [at, node] of document.nodes.entries()) {
    for (const [index, port] of node.ports.entries()) {
      checkPort(wiring, port, { node: node.id, path: `/nodes/${at}/ports/${index}` })
    }
    if (endsStep(at)) yield
  }
}

function checkPort(wiring: Wiring, port: Port, place: { node: string; path: string }): void {
  if (flowPart(port.message) !== wiring.document.name) checkForeign(wiring, port, place)
  else if (port.direction === 'input') checkReader(wiring, port, place)
  else if (wiring.document.mode === 'batch') checkProducer(wiring, port, place)
}

function checkForeign({ around, report }: Wiring, port: Port, place: { node: string; path: string }): void {
  if (around?.message === undefined) return
  const dtype = around.message(port.message)
  if (dtype === undefined) {
    const message = `no published flow declares "${port.message}"; publish that flow, or correct the name`
    report('unknown_message', message, { ...place, path: `${place.path}/name`, severity: 'warning' })
    return
  }
  const fits = port.direction === 'input' ? compatible(dtype, port.dtype) : compatible(port.dtype, dtype)
  if (fits) return
  const message = `port "${port.port}" is ${port.dtype}, but "${port.message}" is ${dtype}; change its dtype`
  report('dtype_mismatch', message, { ...place, path: `${place.path}/dtype` })
}

function checkReader(wiring: Wiring, port: Port, place: { node: string; path: string }): void {
  const { kinds, report } = wiring
  const found = kinds.get(port.message)
  if (found === undefined) {
    reportUnproduced(wiring, port, place)
    return
  }
  const wrong = found.find((producer) => !compatible(producer.dtype, port.dtype))
  if (wrong === undefined) return
  const message = `port "${port.port}" is ${port.dtype}, but ${wrong.name} produces "${port.name}" as ${wrong.dtype}; change one of them`
  report('dtype_mismatch', message, { ...place, path: `${place.path}/dtype` })
}

function reportUnproduced(
  { document: { mode }, names, report }: Wiring,
  port: Port,
  place: { node: string; path: string },
): void {
  const name = messagePart(port.message)
  const meant = nearName(name, names)
  const hint = meant === null ? '' : `; did you mean "${meant}"?`
  const starved = mode === 'batch' && port.trigger
  report(
    'unproduced_message',
    starved
      ? `nothing produces "${name}", so this node could never run; declare it as an input of the flow or wire it${hint}`
      : `nothing in the flow produces "${name}"; it has a value only when somebody publishes it${hint}`,
    { ...place, path: `${place.path}/name`, severity: starved ? 'error' : 'advisory' },
  )
}

function checkProducer({ producers, report }: Wiring, port: Port, place: { node: string; path: string }): void {
  const all = producers.get(port.message) ?? []
  if (all.length < 2) return
  const names = all
    .slice(0, 3)
    .map(({ name }) => name)
    .join(' and ')
  const message = `${names} produce "${port.name}"; in a batch flow a message has one producer: rename one of them`
  report('duplicate_producer', message, { ...place, path: `${place.path}/name` })
}

/** Reports one cycle, spelled out; a document with several shows the next once it is gone. */
export function checkCycle(document: FlowDocument, graph: Graph, report: Report): void {
  const stuck = new Map(graph.nodes.slice(graph.ordered).map((item) => [item.node.id, item]))
  const [start] = stuck.keys()
  if (start === undefined) return
  const makers = new Map<string, string>()
  for (const [id, { outputs }] of stuck) for (const { message } of outputs) makers.set(message, id)
  // Each stuck node waits for another stuck one, so that walking upstream comes round.
  const walked: string[] = []
  const visited = new Set<string>()
  let id = start
  while (!visited.has(id)) {
    visited.add(id)
    walked.push(id)
    const awaited = stuck.get(id)!.inputs.find(({ message }) => makers.has(message))
    id = makers.get(awaited!.message)!
  }
  const cycle = [...walked.slice(walked.indexOf(id)), id].toReversed()
  const at = document.nodes.findIndex((node) => node.id === id)
  const message = `the nodes ${cycle.map((name) => `"${name}"`).join(' -> ')} wait for each other; a batch flow has no cycles: break it, or make the flow live`
  report('cycle', message, { node: id, path: `/nodes/${at}` })
}
