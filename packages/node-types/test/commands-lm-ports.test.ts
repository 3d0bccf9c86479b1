import { commandsLmNode, nodeTypes } from '@flow-service/node-types'
import { flowDocumentInputSchema, type Issue, normalizeDocument } from '@flow-service/protocol'
import { expect, test } from 'vitest'

import { checkDocument, NodeRegistry } from '../../core/src/index.ts'

type Port = Record<string, unknown>

const prompt: Port = { direction: 'input', name: 'said', port: 'prompt', dtype: 'str' }
const output = (name: string, more: Port = {}): Port => ({ direction: 'output', name, dtype: 'bool', ...more })
const registry = new NodeRegistry(nodeTypes)

function node(ports: readonly Port[], mode = 'live') {
  const inputs = [
    { name: 'said', dtype: 'str', initial: '' },
    { name: 'any', dtype: 'any' },
  ]
  const parsed = flowDocumentInputSchema.parse({ mode, inputs, nodes: [{ id: 'lm', type: 'commands_lm', ports }] })
  return normalizeDocument('home', parsed, undefined, (of, port) => registry.imposedTrigger(of, port))
}

const issuesOf = (ports: readonly Port[], mode?: string): readonly Issue[] =>
  checkDocument(node(ports, mode), registry).filter(({ severity }) => severity === 'error')
const messages = (ports: readonly Port[]): string[] => issuesOf(ports).map(({ message }) => message)

const areas = [
  'balcony',
  'bathroom',
  'bedroom',
  'driveway',
  'garage',
  'garden',
  'kitchen',
  'living_room',
  'office',
  'patio',
]
const kinds = [
  'light',
  'lamp',
  'brightness',
  'setpoint',
  'heating',
  'heat',
  'boost',
  'media',
  'music',
  'tv',
  'shutter',
  'blind',
  'cover',
  'water',
  'watering',
  'sprinkler',
]

test('the type is called commands_lm, and works in live flows and in runs [R003]', () => {
  expect(commandsLmNode).toMatchObject({ type: 'commands_lm', arrival: 'combine' })
  for (const mode of ['live', 'batch']) expect(issuesOf([prompt, output('kitchen_light')], mode)).toEqual([])
})

test('a target is any kind of device in any area, of a type that has values for it [R307, R312, R313, R314, R315, R316, R317]', () => {
  const targets = areas.flatMap((area) => kinds.map((kind) => output(`${area}_${kind}`)))
  expect(targets).toHaveLength(160)
  expect(messages([prompt, output('actions', { dtype: 'list' }), ...targets])).toEqual([])
  for (const dtype of ['bool', 'int', 'float', 'str'])
    expect(messages([prompt, output('patio_tv', { dtype })])).toEqual([])
})

test('a target is named after its message unless it has a name of its own [R308, R311]', () => {
  const own = output('lights.k1', { port: 'kitchen_light' })
  const { nodes } = node([prompt, output('kitchen_lamp'), output('lights.garden_light'), own])
  expect(nodes[0]?.ports.slice(1).map(({ port, message }) => [port, message])).toEqual([
    ['kitchen_lamp', 'home.kitchen_lamp'],
    ['garden_light', 'lights.garden_light'],
    ['kitchen_light', 'lights.k1'],
  ])
  expect(messages([prompt, own, output('lights.k2')])).toEqual([
    expect.stringMatching(
      /^output "k2" is no device that commands know; call it <area>_<kind>, of the areas living_room, /,
    ),
  ])
})

test.each([
  ['cellar_light', /call it living_room_light, .*, balcony_light$|or balcony_light$/],
  ['kitchen_fan', /; call it kitchen_light, kitchen_lamp, .* or kitchen_sprinkler$/],
  ['kichen_light', /; call it .*; did you mean "kitchen_light"\?$/],
  ['kitchen_ligth', /; call it .*; did you mean "kitchen_light"\?$/],
  ['Kitchen_light', /; did you mean "kitchen_light"\?$/],
  ['living_light', /or balcony_light$/],
  ['kitchen', /; call it <area>_<kind>, of the areas .* and the kinds light, lamp, /],
  ['action', /; call it <area>_<kind>/],
])('the output %s is refused with the names that would do [R310, R312]', (name, text) => {
  expect(issuesOf([prompt, output(name)])).toMatchObject([
    { code: 'unsupported_ports', node: 'lm', path: '/nodes/0/ports/1', message: expect.stringMatching(text) },
  ])
})

test.each(['any', 'object', 'array', 'image'])(
  'a target of type %s is refused: what is written depends on its type',
  (dtype) => {
    expect(issuesOf([prompt, output('kitchen_light', { dtype })])).toMatchObject([
      {
        code: 'unsupported_ports',
        path: '/nodes/0/ports/1/dtype',
        message: expect.stringContaining('make it bool, int, float, str'),
      },
    ])
  },
)

test('only the prompt runs a node, and nothing else says otherwise [R301]', () => {
  const passive = ['presence', 'outdoor', 'dark'].map((name) => ({ direction: 'input', name: 'any', port: name }))
  const ports = [prompt, ...passive, output('actions', { dtype: 'array' })]
  expect(messages(ports)).toEqual([])
  expect(node(ports).nodes[0]?.ports.map(({ trigger }) => trigger)).toEqual([true, false, false, false, true])
  expect(issuesOf([{ ...prompt, trigger: false }, output('kitchen_light')])).toMatchObject([
    { code: 'unsupported_ports', path: '/nodes/0/ports/0/trigger' },
  ])
  expect(issuesOf([prompt, { ...passive[0], trigger: true }, output('kitchen_light')])).toMatchObject([
    { code: 'unsupported_ports', path: '/nodes/0/ports/1/trigger' },
  ])
})

test.each([
  [[output('kitchen_light')], 'commands come in by the input "prompt"; add it, of the type str'],
  [[prompt], 'nothing would come of a command; add the output "actions", or one for a device'],
  [
    [prompt, { direction: 'input', name: 'any', port: 'room' }, output('kitchen_light')],
    'commands have no input "room"; they take prompt, presence, outdoor, dark',
  ],
  [
    [{ ...prompt, name: 'any', dtype: 'int' }, output('kitchen_light')],
    'input "prompt" is int, but commands take str there; change its dtype',
  ],
  [[prompt, output('actions')], 'output "actions" is bool, but commands report a list; make it an array'],
])('%j: %s', (ports, message) => {
  expect(messages(ports)).toEqual([message])
})
