/** What is said about a node by what its device has reported. */
import { expect, test } from 'vitest'
import * as z from 'zod'

import { checkDocument, type KnownDevice, NodeRegistry } from '../../src/index.ts'
import { batch, flow, input, output, type } from '../documents.ts'

const device = type('device', () => ({}), {
  category: 'device',
  modes: ['live'],
  settings: z.object({ device: z.string().nullable().default(null) }),
  device: ({ device: id }) => id as string | null,
})
const registry = new NodeRegistry([device])
const ports: KnownDevice['ports'] = [
  { name: 'count', direction: 'in', dtype: 'int' },
  { name: 'light', direction: 'out', dtype: 'float' },
]
const node = (given: ReturnType<typeof input>[], settings = { device: 'panel' }) => ({
  id: 'p',
  type: 'device',
  settings,
  ports: given,
})

function found(known: Record<string, KnownDevice>, document = flow([node([])])): string[] {
  const around = { devices: { find: (id: string) => known[id] } }
  const issues = checkDocument(document, registry, around).filter(({ severity }) => severity !== 'advisory')
  return issues.map(({ severity, code, message, path }) => `${severity} ${code} ${path}: ${message}`)
}

test('a device that does not exist, or is not connected, is a warning: the flow may be published', () => {
  expect(found({})).toEqual([
    'warning unknown_device /nodes/0/settings/device: there is no device "panel"; pair one under this id, or choose another one',
  ])
  expect(found({ panel: { ports: null, online: false } })).toEqual([
    expect.stringMatching(/^warning device_offline \/nodes\/0\/settings\/device: device "panel" is not connected/),
  ])
  expect(found({ panel: { ports: null, online: true } })).toEqual([])
})

test('ports are compared with the last report, each from its own side, and warn where it has others', () => {
  const of = (given: ReturnType<typeof input>) => found({ panel: { ports, online: true } }, flow([node([given])]))
  expect(of(output('count', { dtype: 'float' }))).toEqual([])
  expect(of(input('light', { dtype: 'int', trigger: false }))).toEqual([])
  expect(of(output('coumt'))).toEqual([
    'warning device_port_unknown /nodes/0/ports/0/port: device "panel" reports no port "coumt" that it publishes; correct the name, or update the device; did you mean "count"?',
  ])
  expect(of(output('light'))).toEqual([
    'warning device_port_unknown /nodes/0/ports/0/port: "light" is a port that device "panel" follows, so it is an input of the node; change its direction',
  ])
  expect(of(output('count', { dtype: 'str' }))).toEqual([
    'warning dtype_mismatch /nodes/0/ports/0/dtype: output "count" is str, but device "panel" publishes it as int; change its dtype',
  ])
  expect(of(input('light', { dtype: 'bool', trigger: false }))).toEqual([
    'warning dtype_mismatch /nodes/0/ports/0/dtype: input "light" is bool, but device "panel" follows it as float; change its dtype',
  ])
})

test('without a report, a chosen device, or anybody who knows devices nothing is missed', () => {
  expect(found({ panel: { ports: null, online: true } }, flow([node([output('anything')])]))).toEqual([])
  expect(found({}, flow([{ ...node([]), settings: {} }]))).toEqual([])
  expect(checkDocument(flow([node([])]), registry)).toEqual([])
})

test('in a batch flow a device has nothing to look for', () => {
  expect(found({}, batch([node([])]))).toEqual([expect.stringMatching(/^error live_only_node/)])
})

test('outputs of a device may be on demand, inputs may not [R076]', () => {
  const of = (given: ReturnType<typeof input>) => found({ panel: { ports: null, online: true } }, flow([node([given])]))
  expect(of(output('camera', { on_demand: true }))).toEqual([])
  expect(of(input('light', { on_demand: true, trigger: false }))).toEqual([
    'error unsupported_ports /nodes/0/ports/0/on_demand: input "light" is on demand, which only what a device publishes can be; set it to false',
  ])
})

test('a retry of what is never executed is no use, which is said', () => {
  const retried = { ...node([]), retry: { attempts: 3 } }
  expect(found({ panel: { ports: null, online: true } }, flow([retried]))).toEqual([
    'warning retry_ignored /nodes/0/retry: nothing of a "device" node is executed; remove "retry"',
  ])
})

test('no input of a device may run its node [R131]', () => {
  expect(registry.imposedTrigger({ type: 'device', settings: {} }, 'any name')).toBe(false)
})
