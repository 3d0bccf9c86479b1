/** What is wrong between the nodes of a document: names, dtypes, producers and readers, and cycles. */
import type { FlowDocument } from '@flow-service/protocol'
import { expect, test } from 'vitest'

import { batch, flow, input, output } from '../documents.ts'
import { check, found } from './checks.ts'

test('two inputs of one name, or two outputs of one key, are name_collision', () => {
  const document = flow([{ id: 'a', type: 'pass', ports: [output('y'), output('z')] }], {
    inputs: [{ name: 'x' }, { name: 'x' }],
    outputs: [{ name: 'y' }, { name: 'z', port: 'y' }],
  })
  expect(found(document)).toEqual(['error name_collision /inputs/1/name', 'error name_collision /outputs/1'])
})

test('a consumer takes equal, wider or any dtypes, and nothing else', () => {
  const wire = (from: 'int' | 'float' | 'image' | 'any', to: 'int' | 'float' | 'artifact' | 'any') =>
    found(
      flow([
        { id: 'a', type: 'pass', ports: [output('m', { dtype: from })] },
        { id: 'b', type: 'pass', ports: [input('m', { dtype: to })] },
      ]),
    )
  expect(wire('int', 'float')).toEqual([])
  expect(wire('image', 'artifact')).toEqual([])
  expect(wire('any', 'int')).toEqual([])
  expect(wire('int', 'any')).toEqual([])
  expect(wire('float', 'int')).toEqual(['error dtype_mismatch /nodes/1/ports/0/dtype'])
})

test('each producer of a message has to fit its readers', () => {
  const document = flow(
    [
      { id: 'a', type: 'pass', ports: [output('m', { dtype: 'str' })] },
      { id: 'b', type: 'pass', ports: [input('m', { dtype: 'float' })] },
    ],
    { inputs: [{ name: 'm', dtype: 'float' }] },
  )
  expect(found(document)).toEqual(['error dtype_mismatch /nodes/1/ports/0/dtype'])
})

test('an initial value that is off the dtype of its input is dtype_mismatch; null stands for none', () => {
  const inputs = [
    { name: 'a', dtype: 'int' as const, initial: 1.5 },
    { name: 'b', dtype: 'int' as const, initial: null },
  ]
  expect(found(flow([], { inputs }))).toEqual(['error dtype_mismatch /inputs/0/initial'])
})

test('a message that nothing produces is told with the name that may have been meant', () => {
  const told = (name: string, mode: 'live' | 'batch' = 'live') => {
    const nodes = [
      { id: 'a', type: 'pass', ports: [output('temperature'), output('up')] },
      { id: 'b', type: 'pass', ports: [input(name)] },
    ]
    const document = mode === 'live' ? flow(nodes, { inputs: [{ name: 'mode' }] }) : batch(nodes)
    return check(document).map(({ message }) => /; did you mean "(.*)"\?$/.exec(message)?.[1] ?? null)
  }
  expect(told('temprature')).toEqual(['temperature'])
  expect(told('temprature', 'batch')).toEqual(['temperature'])
  expect(told('tempreature')).toEqual(['temperature'])
  expect(told('moed')).toEqual(['mode'])
  expect(told('pressure')).toEqual([null])
  // of two letters any other name would be near
  expect(told('on')).toEqual([null])
})

test('a message that nothing in the flow produces is advice in a live flow, and a warning where a run would skip the node', () => {
  const nodes = [{ id: 'a', type: 'pass', ports: [input('x'), input('y', { trigger: false })] }]
  expect(found(flow(nodes))).toEqual([
    'advisory unproduced_message /nodes/0/ports/0/name',
    'advisory unproduced_message /nodes/0/ports/1/name',
  ])
  expect(found(batch(nodes))).toEqual([
    'error unproduced_message /nodes/0/ports/0/name',
    'advisory unproduced_message /nodes/0/ports/1/name',
  ])
})

test('an output that nothing produces is unproduced_output; a flow input counts as produced', () => {
  const more = { inputs: [{ name: 'x' }], outputs: [{ name: 'x' }, { name: 'y' }] }
  expect(found(batch([], more))).toEqual(['error unproduced_output /outputs/1/name'])
  expect(found(flow([], more))).toEqual(['warning unproduced_output /outputs/1/name'])
})

test('several producers of one message are an error in a batch flow, and the idiom of feedback in a live one', () => {
  const nodes = [{ id: 'a', type: 'pass', ports: [output('m')] }]
  const more = { inputs: [{ name: 'm' }] }
  expect(found(batch(nodes, more))).toEqual(['error duplicate_producer /nodes/0/ports/0/name'])
  expect(found(flow(nodes, more))).toEqual([])
})

test('a cycle of a batch flow is told node by node, passive inputs included; a live flow may have one', () => {
  const nodes = [
    { id: 'before', type: 'pass', ports: [output('s')] },
    { id: 'a', type: 'pass', ports: [input('s'), input('z', { trigger: false }), output('x')] },
    { id: 'b', type: 'pass', ports: [input('x'), output('y'), output('z')] },
    { id: 'after', type: 'pass', ports: [input('y')] },
  ]
  const [issue, ...more] = check(batch(nodes))
  expect(more).toEqual([])
  expect(issue).toMatchObject({ code: 'cycle', severity: 'error', path: expect.stringMatching(/^\/nodes\/[12]$/) })
  expect(issue?.message).toMatch(/"a" -> "b" -> "a"|"b" -> "a" -> "b"/)
  expect(found(flow(nodes))).toEqual([])
})

test('a node that reads its own output is a cycle', () => {
  expect(found(batch([{ id: 'a', type: 'pass', ports: [input('m'), output('m')] }]))).toEqual(['error cycle /nodes/0'])
})

test('an interval on a port that does not stream is an error in a batch flow [R073] [R257]', () => {
  const ports = [output('a', { interval: 1 }), output('b', { interval: 1, stream: true })]
  expect(found(batch([{ id: 'n', type: 'pass', ports }]))).toEqual([
    'error interval_on_batch_port /nodes/0/ports/0/interval',
  ])
  expect(found(flow([{ id: 'n', type: 'pass', ports }]))).toEqual([])
})

test('a type for live flows is live_only_node in a batch flow', () => {
  expect(found(batch([{ id: 'a', type: 'listener', ports: [output('m')] }]))).toEqual([
    'error live_only_node /nodes/0/type',
  ])
})

test('a message of another flow has to be declared there, and to fit', () => {
  const around = { message: (name: string) => (name === 'other.known' ? ('float' as const) : undefined) }
  const document = flow([
    { id: 'a', type: 'pass', ports: [input('x:other.known', { dtype: 'float' }), input('y:other.gone')] },
    {
      id: 'b',
      type: 'pass',
      ports: [input('z:other.known', { dtype: 'int' }), output('w:other.known', { dtype: 'str' })],
    },
  ])
  expect(found(document, around)).toEqual([
    'warning unknown_message /nodes/0/ports/1/name',
    'error dtype_mismatch /nodes/1/ports/0/dtype',
    'error dtype_mismatch /nodes/1/ports/1/dtype',
  ])
})

/** Milliseconds of the fastest of some runs: what else the machine does makes runs slower, never faster. */
function fastest(run: () => void): number {
  const times = Array.from({ length: 3 }, () => {
    const startMs = performance.now()
    run()
    return performance.now() - startMs
  })
  return Math.min(...times)
}
const SMALL = 500
const TIMES = 40
const LARGE = TIMES * SMALL
/** Time of one large document by that of as many nodes in small ones: 1 to 4 by its memory; a square gives {@link TIMES}. */
const MOST = 10
/** As many nodes in either measurement: a busy machine is as busy in both. */
const growth = (small: FlowDocument, large: FlowDocument): number =>
  fastest(() => check(large)) /
  fastest(() => {
    for (let count = 0; count < TIMES; count++) check(small)
  })

test('the time of a check grows with the nodes of a document, not with their square', () => {
  const chain = (length: number): FlowDocument => {
    const nodes = Array.from({ length }, (_, at) => ({
      id: `n${at}`,
      type: 'pass',
      ports: [input(`m${at}`, { dtype: 'float' as const }), output(`m${at + 1}`, { dtype: 'float' as const })],
    }))
    return batch(nodes.toReversed(), { inputs: [{ name: 'm0', dtype: 'float' }], outputs: [{ name: `m${length}` }] })
  }
  const [small, large] = [chain(SMALL), chain(LARGE)]
  expect(check(large)).toEqual([])
  expect(growth(small, large)).toBeLessThan(MOST)
})

test('the time of a check grows with the producers and readers of one message, not with their product', () => {
  const crowd = (size: number): FlowDocument =>
    flow(
      Array.from({ length: size }, (_, at) => ({
        id: `n${at}`,
        type: 'pass',
        ports: at % 2 === 0 ? [output('m', { dtype: 'int' as const })] : [input('m', { dtype: 'str' as const })],
      })),
    )
  const [small, large] = [crowd(SMALL), crowd(LARGE)]
  expect(check(large)).toHaveLength(LARGE / 2)
  expect(growth(small, large)).toBeLessThan(MOST)
})
