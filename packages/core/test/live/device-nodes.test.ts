/** Nodes that stand for paired devices: what their flow gets of the device, and when they have a seat at it. */
import { DtypeViolation, type Values } from '@flow-service/connector-sdk'
import { expect, test } from 'vitest'
import * as z from 'zod'

import { type DeviceSeat, runPrivately } from '../../src/index.ts'
import { flow, input, output, recorder, type } from '../documents.ts'
import { turn } from '../turn.ts'
import { engine } from './live-engine.ts'

const device = type('device', () => ({}), {
  category: 'device',
  settings: z.object({ device: z.string().nullable().default(null) }),
  device: ({ device: id }) => id as string | null,
})
const broken = type('broken', () => {
  throw new Error('no such port')
})
const panel = { id: 'panel', type: 'device', settings: { device: 'hall-panel' } }
const lux = output('lux', { dtype: 'float' })
const relay = input('relay', { dtype: 'bool', trigger: false })

function hall() {
  const { calls, definition } = recorder('end')
  const made = engine([device, broken, definition])
  const { devices } = made.host
  const seats: DeviceSeat[] = []
  const seat = devices.seat.bind(devices)
  devices.seat = (id, taken) => {
    seats.push(taken)
    const leave = seat(id, taken)
    return () => {
      seats.splice(seats.indexOf(taken), 1)
      leave()
    }
  }
  const say = async (values: Values) => {
    devices.say('hall-panel', values)
    await turn()
  }
  return { ...made, calls, devices, say, seats }
}

const reader = { id: 'end', type: 'end', ports: [input('lux', { dtype: 'float' })] }

test('what a device says is published by the outputs of its node, as readings that are credited to it [R129, R336]', async () => {
  const { calls, host, say, start } = hall()
  await start(flow([{ ...panel, ports: [lux] }, reader]))
  await say({ lux: 3 })
  expect(calls).toEqual([['end', 'lux', 3]])
  expect(host.records).toMatchObject([{ message: 'f.lux', node: 'panel', port: 'lux', value: 3 }])
  expect(host.cascades.map(({ origin }) => origin)).toEqual([{ kind: 'reading', node: 'panel', message: null }])
})

test('a value off the dtype of its port is refused to who brings it, with all that came beside it, and marks no node as failed', async () => {
  const { devices, host, start } = hall()
  const live = await start(flow([{ ...panel, ports: [lux, output('door', { dtype: 'bool' })] }]))
  expect(() => devices.say('hall-panel', { door: true, lux: 'dark' })).toThrow(DtypeViolation)
  expect(() => devices.say('hall-panel', { door: true, dim: 1 })).toThrow('there is no output port "dim"; the node has')
  expect(host.records).toEqual([])
  expect(live.nodeStates()).toMatchObject([{ status: 'idle', error: null }])
})

test('the interval of a port thins what a device says: the first value at once, and the latest at the end', async () => {
  const { host, say, start } = hall()
  await start(flow([{ ...panel, ports: [output('lux', { interval: 1 })] }]))
  for (const value of [1, 2, 3]) await say({ lux: value })
  expect(host.values('f.lux')).toEqual([1])
  await host.advance(1000)
  expect(host.values('f.lux')).toEqual([1, 3])
})

test('what a device follows executes nothing, in its own flow or of another one [R131, R335]', async () => {
  const { host, runtime, start } = hall()
  const document = flow([{ ...panel, ports: [relay] }])
  const live = await start(document)
  runtime.publish('f.relay', true)
  await turn()
  expect(runtime.takeStats()).toEqual([])
  expect(host.cascades).toEqual([])
  expect(live.nodeStates()).toMatchObject([{ node: 'panel', status: 'idle' }])
})

test('a node of a device is not asked to act, and may be fed for its device by its outputs [R335]', async () => {
  const { calls, start } = hall()
  const live = await start(flow([{ ...panel, ports: [lux, relay] }, reader]))
  const refusal = 'node "panel" stands for a device, and nothing of it is executed; name outputs of it'
  expect(() => live.trigger('panel', {})).toThrow(refusal)
  expect(() => live.trigger('panel', { relay: true })).toThrow(refusal)
  live.trigger('panel', { lux: 7 })
  await turn()
  expect(calls).toEqual([['end', 'lux', 7]])
})

test('a node without its device is degraded and offline, not failed, while its flow stays active [R339]', async () => {
  const { devices, host, start } = hall()
  const live = await start(flow([{ ...panel, ports: [lux] }]))
  const state = () => live.nodeStates()[0]
  expect(state()).toMatchObject({ status: 'idle', health: 'degraded', message: 'offline', error: null })
  devices.presence('hall-panel', true)
  expect(state()).toMatchObject({ health: 'ok', message: null })
  devices.presence('hall-panel', false)
  devices.presence('hall-panel', false)
  expect(state()).toMatchObject({ health: 'degraded', message: 'offline' })
  const told = host.events.flatMap((event) => (event.type === 'health' ? [event.status] : []))
  expect(told).toEqual(['degraded', 'ok', 'degraded'])
  devices.say('hall-panel', { lux: 2 })
  expect(host.values('f.lux')).toEqual([2])
})

test('in a paused flow what a device says is recorded, and reaches nobody before the flow goes on', async () => {
  const { calls, host, say, start } = hall()
  const live = await start(flow([{ ...panel, ports: [lux] }, reader]))
  live.pause()
  await say({ lux: 3 })
  expect([host.values('f.lux'), live.held, calls]).toEqual([[3], 1, []])
  live.resume()
  await turn()
  expect(calls).toEqual([['end', 'lux', 3]])
})

test('a node has its seat from its start to its stop, and a failed start leaves none', async () => {
  const { devices, host, seats, start } = hall()
  const live = await start(flow([{ ...panel, ports: [lux] }]))
  expect(seats).toMatchObject([{ flow: 'f', node: 'panel' }])
  const [seat] = seats
  await live.stop()
  expect(seats).toEqual([])
  seat?.emit({ lux: 1 })
  seat?.presence(true)
  expect(host.records).toEqual([])
  devices.presence('hall-panel', true)
  await expect(start(flow([panel, { id: 'no', type: 'broken' }]))).rejects.toThrow('no such port')
  expect(seats).toEqual([])
})

test('a node that chooses no device, or stands in a private run, takes no seat', async () => {
  const { host, registry, seats, start } = hall()
  await start(flow([{ id: 'panel', type: 'device' }], { name: 'none' }))
  const run = runPrivately({ document: flow([{ ...panel, ports: [lux] }]), host, registry, inputs: {} })
  await host.advance(1000)
  await expect(run).resolves.toMatchObject({ status: 'ok', nodes: [{ status: 'idle', health: 'ok' }] })
  expect(seats).toEqual([])
})

test('an equal node keeps its seat over a rebuild, and a changed one leaves it to its successor', async () => {
  const { calls, say, seats, start } = hall()
  const live = await start(flow([{ ...panel, ports: [lux] }, reader]))
  const [first] = seats
  await live.rebuild(flow([{ ...panel, title: 'Hall', ports: [lux] }, reader, { id: 'more', type: 'end' }]))
  expect(seats).toEqual([first])
  await live.rebuild(flow([{ ...panel, settings: { device: 'hall-panel' }, ports: [lux, relay] }, reader]))
  expect(seats).toHaveLength(1)
  expect(seats[0]).not.toBe(first)
  await say({ lux: 4 })
  expect(calls).toEqual([['end', 'lux', 4]])
})

test('a rebuild that fails brings the earlier node back to its seat', async () => {
  const { calls, say, seats, start } = hall()
  const live = await start(flow([{ ...panel, ports: [lux] }, reader]))
  const next = flow([{ ...panel, ports: [lux, relay] }, reader, { id: 'no', type: 'broken' }])
  await expect(live.rebuild(next)).rejects.toThrow('no such port')
  expect(seats).toHaveLength(1)
  await say({ lux: 5 })
  expect(calls).toEqual([['end', 'lux', 5]])
})

test('what a device says while nodes start goes out once all of them have', async () => {
  const { calls, devices, registry, runtime } = hall()
  const saying = type('saying', () => {
    devices.say('hall-panel', { lux: 6 })
    return {}
  })
  registry.replace('p', {
    types: [{ definition: saying, origin: { package: 'p', version: '1' } }],
    absent: new Map(),
  })
  const starting = runtime.start(flow([{ ...panel, ports: [lux] }, { id: 'says', type: 'saying' }, reader]))
  expect(calls).toEqual([])
  await starting
  await turn()
  expect(calls).toEqual([['end', 'lux', 6]])
})

test('a message is read while a node of a flow that is neither stopped nor paused reads it [R658]', async () => {
  const { runtime, start } = hall()
  expect(runtime.isRead('f.lux')).toBe(false)
  await start(flow([{ ...panel, ports: [lux] }]))
  expect(runtime.isRead('f.lux')).toBe(false)
  const other = await start(flow([{ ...reader, ports: [input('x:f.lux')] }], { name: 'g' }))
  expect(runtime.isRead('f.lux')).toBe(true)
  other.pause()
  expect(runtime.isRead('f.lux')).toBe(false)
  other.resume()
  expect(runtime.isRead('f.lux')).toBe(true)
  await other.stop()
  expect(runtime.isRead('f.lux')).toBe(false)
})
