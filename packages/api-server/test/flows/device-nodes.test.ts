/** Nodes of devices in flows of an engine: what a document may say of them, and what is shown while their flow is active. */
import type { FlowDocumentInput, Issue, NodeState } from '@flow-service/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { type Engine, openEngine } from './engine.ts'
import { keepDevice } from './kept-device.ts'

let engine: Engine
beforeAll(async () => {
  engine = await openEngine()
})
afterAll(async () => {
  await engine[Symbol.asyncDispose]()
})

const hall = (trigger?: boolean): FlowDocumentInput => ({
  nodes: [
    {
      id: 'panel',
      type: 'device',
      settings: { device: 'hall-panel' },
      ports: [
        { direction: 'output', name: 'lux', dtype: 'float' },
        { direction: 'input', name: 'light', dtype: 'bool', ...(trigger === undefined ? {} : { trigger }) },
      ],
    },
    {
      id: 'dark',
      type: 'switch',
      settings: { rules: [{ operator: 'lt', value: 10, output: 'light' }] },
      ports: [
        { direction: 'input', port: 'in', name: 'lux' },
        { direction: 'output', port: 'light', name: 'seen' },
      ],
    },
  ],
})

test('an input of a device never runs its node: that is its normal form, and anything else is refused [R131]', async () => {
  const { value } = await engine.publish('passive', hall())
  expect(value.nodes[0]?.ports.map(({ port, trigger }) => [port, trigger])).toContainEqual(['light', false])
  const refused = await engine.root('PUT', '/flows/loud', hall(true))
  expect([refused.status, refused.problem.errors]).toEqual([
    422,
    [
      {
        path: '/nodes/0/ports/1/trigger',
        code: 'bad_setting',
        message: 'input "light" never runs a "device" node; set its trigger to false, or leave it out',
      },
    ],
  ])
})

test('values of a device reach its flow, credited to its node, and execute nothing of it; without it the node is offline [R129, R335, R339]', async () => {
  await engine.publish('hall', hall())
  await engine.ann('POST', '/flows/hall/start')
  const states = async (): Promise<readonly NodeState[]> => (await engine.ann('GET', '/flows/hall')).value.node_states
  expect(await states()).toContainEqual(
    expect.objectContaining({ node: 'panel', status: 'idle', health: 'degraded', message: 'offline', error: null }),
  )
  expect((await engine.ann('GET', '/flows/hall')).value.status).toBe('active')
  engine.deviceSeats.find('hall-panel', { flow: 'hall', node: 'panel' })?.emit({ lux: 3 })
  const shown = () =>
    engine.events.flatMap((event) =>
      event.type === 'value' ? [[event.message, event.value, event.node, event.port]] : [],
    )
  await expect.poll(shown).toEqual([
    ['hall.lux', 3, 'panel', 'lux'],
    ['hall.seen', 3, 'dark', 'light'],
  ])
  expect(engine.runtime.takeStats()).toMatchObject([{ flow: 'hall', executions: 1 }])
  await engine.ann('POST', '/flows/hall/stop')
  expect(engine.deviceSeats.find('hall-panel', { flow: 'hall', node: 'panel' })).toBeUndefined()
})

test('a request to a node of a device to act is refused, and values for its outputs are published [R335]', async () => {
  await engine.publish('asked', hall())
  await engine.ann('POST', '/flows/asked/start')
  const at = '/flows/asked/nodes/panel/trigger'
  const refused = await engine.ann('POST', at, {})
  expect([refused.status, refused.problem.errors?.[0]?.message]).toEqual([
    422,
    'node "panel" stands for a device, and nothing of it is executed; name outputs of it, to publish for the device',
  ])
  expect((await engine.ann('POST', at, { values: { lux: 4 } })).status).toBe(202)
})

test('what a flow lacks of its device is a warning, wherever the flow is checked, and it starts all the same [R339]', async () => {
  const warnings = async () => {
    const { value } = await engine.ann<{ valid: boolean; issues: Issue[] }>('POST', '/flows/warned/validate')
    expect(value.valid).toBe(true)
    expect((await engine.ann('GET', '/flows/warned')).value.issues).toEqual(value.issues)
    return value.issues.flatMap(({ severity, code, path }) => (severity === 'warning' ? [`${code} ${path}`] : []))
  }
  const document = hall()
  document.nodes![0]!.settings = { device: 'warned-panel' }
  await engine.publish('warned', document)
  expect((await engine.ann('POST', '/flows/warned/start')).status).toBe(200)
  expect(await warnings()).toEqual(['unknown_device /nodes/0/settings/device'])
  await keepDevice(engine, 'warned-panel', [
    { name: 'lux', direction: 'in', dtype: 'str' },
    { name: 'relay', direction: 'out' },
  ])
  expect(await warnings()).toEqual([
    'device_offline /nodes/0/settings/device',
    'dtype_mismatch /nodes/0/ports/0/dtype',
    'device_port_unknown /nodes/0/ports/1/port',
  ])
  const leave = engine.devicePresence.opened('warned-panel')
  await keepDevice(engine, 'warned-panel', [])
  expect(await warnings()).toEqual([])
  leave()
})

test('a node keeps to its device while its flow gets another name', async () => {
  await engine.publish('moving', hall())
  await engine.ann('POST', '/flows/moving/start')
  const isSeated = (flow: string) => engine.deviceSeats.find('hall-panel', { flow, node: 'panel' }) !== undefined
  expect(isSeated('moving')).toBe(true)
  await engine.root('POST', '/flows/moving/rename', { name: 'moved' })
  expect([isSeated('moving'), isSeated('moved')]).toEqual([false, true])
})
