/** Wires from names, places of nodes, and the line that a traceback is about. */
import type { FlowGraph, Node, Port } from '@flow-service/client-sdk'
import { expect, test } from 'vitest'

import { drawnNodes, flowsRead, INPUTS, neighbours, OUTPUTS, shortName, wiresOf } from '../src/flow/graph.ts'
import { placesOf } from '../src/flow/lay-out.ts'
import { heightOf, WIDTH } from '../src/flow/places.ts'
import { lineOf } from '../src/flow/traceback.ts'

const port = (direction: Port['direction'], name: string, more: Partial<Port> = {}): Port => ({
  direction,
  name,
  port: name.slice(name.indexOf('.') + 1),
  message: name.includes('.') ? name : `home.${name}`,
  dtype: 'float',
  interval: null,
  stream: false,
  on_demand: false,
  trigger: true,
  ...more,
})
const node = (id: string, ...ports: Port[]): Node => ({
  id,
  type: 'change',
  title: '',
  settings: {},
  ports,
  source: null,
  library: null,
  entry: null,
  worker: null,
  worker_policy: 'require',
  cache: false,
  timeout: null,
  retry: null,
})
const nothing = { inputs: [], outputs: [] }

test('ports of one message are wired, whatever the ports are called', () => {
  const nodes = drawnNodes('home', {
    ...nothing,
    nodes: [
      node('sensor', port('output', 'temp', { port: 'reading' })),
      node('other', port('output', 'temp')),
      node('round', port('input', 'temp', { port: 'in' }), port('output', 'rounded')),
      node('again', port('input', 'home.rounded'), port('output', 'home.done')),
    ],
  })
  const { wires, elsewhere } = wiresOf('home', nodes, null)
  expect(wires.map(({ id, message }) => [id, message])).toEqual([
    ['sensor.reading>round.in', 'home.temp'],
    ['other.temp>round.in', 'home.temp'],
    ['round.rounded>again.rounded', 'home.rounded'],
  ])
  expect(elsewhere.size).toBe(0)
  expect(neighbours(wires, 'round', 'before')).toEqual(['sensor', 'other'])
  expect(neighbours(wires, 'round', 'after')).toEqual(['again'])
})

test('a node that reads what it publishes is wired to itself', () => {
  const { wires } = wiresOf('home', [node('loop', port('input', 'x'), port('output', 'x'))], null)
  expect(wires).toEqual([
    { id: 'loop.x>loop.x', message: 'home.x', from: { node: 'loop', port: 'x' }, to: { node: 'loop', port: 'x' } },
  ])
})

test('inputs and outputs of the flow are nodes of their own, and are wired like any', () => {
  const nodes = drawnNodes('home', {
    inputs: [{ name: 'n', dtype: 'int', initial: 3, title: '' }],
    outputs: [{ name: 'out', port: 'result' }],
    nodes: [node('work', port('input', 'n'), port('output', 'out'))],
  })
  expect(nodes.map(({ id }) => id)).toEqual([INPUTS, 'work', OUTPUTS])
  expect(wiresOf('home', nodes, null).wires.map(({ id }) => id)).toEqual([
    '$inputs.n>work.n',
    'work.out>$outputs.result',
  ])
})

test('what has no other end in the flow is told with where it comes from, and who reads it elsewhere', () => {
  const nodes = [
    node('work', port('input', 'nobody'), port('input', 'plant.level', { port: 'level' }), port('output', 'out')),
  ]
  const edges = [
    { from: 'flow:home', to: 'flow:porch', messages: ['home.out'] },
    { from: 'flow:home', to: 'flow:cellar', messages: ['home.out', 'home.other'] },
    { from: 'flow:plant', to: 'flow:home', messages: ['plant.level'] },
    { from: 'flow:home', to: 'device:lamp', messages: ['home.out'] },
  ]
  const { wires, elsewhere } = wiresOf('home', nodes, { edges } as FlowGraph)
  expect(wires).toEqual([])
  expect(Object.fromEntries(elsewhere)).toEqual({
    'work input nobody': [{ is: 'outside', message: 'home.nobody' }],
    'work input level': [{ is: 'flow', flow: 'plant', message: 'plant.level' }],
    'work output out': [
      { is: 'flow', flow: 'porch', message: 'home.out' },
      { is: 'flow', flow: 'cellar', message: 'home.out' },
    ],
  })
  expect(flowsRead('home', nodes)).toEqual(['plant'])
})

test('names are short in their own flow alone', () => {
  expect(shortName('home.temp', 'home')).toBe('temp')
  expect(shortName('home.temp', 'hom')).toBe('home.temp')
})

test('nodes without a place are laid out along their wires, none on another; the known ones stay', () => {
  const nodes = [
    node('a', port('output', 'x')),
    node('b', port('input', 'x'), port('output', 'y')),
    node('c', port('input', 'x'), port('output', 'z')),
    node('d', port('input', 'y'), port('input', 'z')),
  ]
  const { wires } = wiresOf('home', nodes, null)
  const known = { b: { x: 500, y: -70 } }
  const places = placesOf(nodes, wires, known)
  expect(places['b']).toEqual(known.b)
  const at = (id: string) => places[id] ?? { x: Number.NaN, y: Number.NaN }
  expect(at('a').x + WIDTH).toBeLessThan(at('b').x)
  expect(at('c').x + WIDTH).toBeLessThan(at('d').x)
  const [upper, lower] = [at('b'), at('c')].toSorted((one, other) => one.y - other.y)
  expect((lower?.y ?? 0) - (upper?.y ?? 0)).toBeGreaterThanOrEqual(heightOf(nodes[1] ?? { ports: [] }))
  const all = Object.fromEntries(nodes.map(({ id }, index) => [id, { x: index, y: 0 }]))
  expect(placesOf(nodes, wires, all)).toEqual(all)
})

test('the line of a traceback is the innermost of the node itself', () => {
  const traceback = `Traceback (most recent call last):
  File "check.py", line 9, in run
  File "check.py", line 4, in inner
  File "/usr/lib/python3/json/decoder.py", line 355, in raw_decode
ValueError: no`
  expect(lineOf(traceback, 'check')).toBe(4)
  expect(lineOf(traceback, 'other')).toBeNull()
  expect(lineOf('', 'check')).toBeNull()
})
