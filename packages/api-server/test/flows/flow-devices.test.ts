/** What published flows tell devices: how their nodes wire ports, and which messages are read now. */
import type { FlowDocumentInput } from '@flow-service/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { type Engine, openEngine, reader } from './engine.ts'

let engine: Engine
beforeAll(async () => {
  engine = await openEngine()
})
afterAll(async () => {
  await engine[Symbol.asyncDispose]()
})

type Port = NonNullable<NonNullable<FlowDocumentInput['nodes']>[number]['ports']>[number]

/** A flow with one node that stands for a device; both are called `panel` unless a device is given. */
const standing = (ports: Port[], settings: Record<string, never> | object): FlowDocumentInput => ({
  nodes: [{ id: 'panel', type: 'device', ports, settings: settings as Record<string, never> }],
})
const lux: Port = { direction: 'output', name: 'lux', dtype: 'float' }

const wiringOf = (device: string): string[] =>
  engine.deviceWiring.of(device).map(({ port, direction, message }) => `${direction} ${port} ${message}`)

const version = async (name: string): Promise<number> => (await engine.ann('GET', `/flows/${name}`)).value.version

describe('the wiring of a device', () => {
  test('has each port as nodes of published live flows wire it, seen from the device, with its config as it stands [R122, R132, R336, R338]', async () => {
    const ports: Port[] = [
      { direction: 'output', port: 'pin 4', name: 'lux', dtype: 'float', interval: 2 },
      { direction: 'output', name: 'camera', dtype: 'image', on_demand: true },
      { direction: 'input', port: 'backlight', name: 'light', dtype: 'bool' },
      { direction: 'input', port: 'text', name: 'other.word' },
    ]
    const config = { 'pin 4': { pull: 'up', deep: [{ x: null }] } }
    const { status } = await engine.publish('hall', standing(ports, { device: 'first', config }))
    expect(status).toBe(200)
    const [node, none] = [{ flow: 'hall', node: 'panel', interval: null, on_demand: false }, { config: {} }]
    expect(engine.deviceWiring.of('first')).toEqual([
      {
        ...node,
        port: 'pin 4',
        direction: 'in',
        message: 'hall.lux',
        dtype: 'float',
        interval: 2,
        config: config['pin 4'],
      },
      {
        ...node,
        ...none,
        port: 'camera',
        direction: 'in',
        message: 'hall.camera',
        dtype: 'image',
        on_demand: true,
      },
      { ...node, ...none, port: 'backlight', direction: 'out', message: 'hall.light', dtype: 'bool' },
      { ...node, ...none, port: 'text', direction: 'out', message: 'other.word', dtype: 'any' },
    ])
    expect(engine.deviceWiring.of('another')).toEqual([])
  })

  test('joins what several flows do with the device, each port as often as it is wired', async () => {
    await engine.publish('one', standing([lux], { device: 'shared' }))
    await engine.publish('two', standing([lux], { device: 'shared' }))
    expect(wiringOf('shared')).toEqual(['in lux one.lux', 'in lux two.lux'])
  })

  test('is not changed by a draft, and is by its publication, of which listeners are told', async () => {
    await engine.publish('draft', standing([lux], { device: 'drafted' }))
    const next = standing([{ ...lux, port: 'light' }], { device: 'drafted' })
    const saved = await engine.root('PUT', '/flows/draft', { ...next, version: await version('draft') })
    expect([saved.status, wiringOf('drafted')]).toEqual([200, ['in lux draft.lux']])
    const told: string[][] = []
    const end = engine.deviceWiring.onPublished(() => told.push(wiringOf('drafted')))
    await engine.root('POST', '/flows/draft/publish', { version: saved.value.version })
    expect(told).toContainEqual(['in light draft.lux'])
    end()
    const calls = told.length
    await engine.publish('draft', { ...standing([lux], { device: 'drafted' }), version: await version('draft') })
    expect([told.length, wiringOf('drafted')]).toEqual([calls, ['in lux draft.lux']])
  })

  test('follows another name of its flow, and of flows whose messages it has', async () => {
    const light: Port = { direction: 'input', name: 'before.light' }
    await engine.publish('before', standing([lux], { device: 'renamed' }))
    await engine.publish('beside', standing([light], { device: 'renamed' }))
    const told: string[][] = []
    const end = engine.deviceWiring.onPublished(() => queueMicrotask(() => told.push(wiringOf('renamed'))))
    expect((await engine.root('POST', '/flows/before/rename', { name: 'after' })).status).toBe(200)
    end()
    // whoever looks at the end of the turn sees no flow without a name, or under one name here and another there
    expect(new Set(told.map(String))).toEqual(new Set(['in lux after.lux,out light after.light']))
    expect(wiringOf('renamed')).toEqual(['in lux after.lux', 'out light after.light'])
    expect(engine.deviceWiring.of('renamed').map(({ flow }) => flow)).toEqual(['after', 'beside'])
  })

  test('ends with its flow, and is there again after a restart of the engine', async () => {
    await engine.publish('short', standing([lux], { device: 'gone' }))
    await engine.publish('long', standing([lux], { device: 'gone' }))
    expect((await engine.root('DELETE', '/flows/short')).status).toBe(204)
    expect(wiringOf('gone')).toEqual(['in lux long.lux'])
    await engine.close()
    engine = await openEngine({ dataDir: engine.dataDir })
    expect(wiringOf('gone')).toEqual(['in lux long.lux'])
  })
})

test('a message is read while a flow that reads it runs, and listeners are told when that changes [R658]', async () => {
  const isRead = (message: string) => engine.deviceWiring.isRead(message)
  await engine.publish('source', standing([lux], { device: 'watched' }))
  await engine.publish('sink', reader('source.lux'))
  let changes = 0
  const end = engine.deviceWiring.onReaders(() => changes++)
  const after = async (operation: string): Promise<readonly [boolean, boolean]> => {
    const before = changes
    await engine.ann('POST', `/flows/sink/${operation}`)
    return [isRead('source.lux'), changes > before]
  }
  expect(isRead('source.lux')).toBe(false)
  expect(await after('start')).toEqual([true, true])
  expect(await after('pause')).toEqual([false, true])
  expect(await after('resume')).toEqual([true, true])
  expect(await after('stop')).toEqual([false, true])
  end()
})

test('a message is read, and listeners know, once an active flow is given a node that reads it [R658]', async () => {
  await engine.publish('given', standing([lux], { device: 'watched' }))
  await engine.publish('changing', reader('source.lux'))
  await engine.ann('POST', '/flows/changing/start')
  let known: boolean | null = null
  const end = engine.deviceWiring.onReaders(() => void (known = engine.deviceWiring.isRead('given.lux')))
  await engine.publish('changing', { ...reader('given.lux'), version: await version('changing') })
  await expect.poll(() => known).toBe(true)
  await engine.publish('changing', { ...reader('source.lux'), version: await version('changing') })
  await expect.poll(() => known).toBe(false)
  end()
})
