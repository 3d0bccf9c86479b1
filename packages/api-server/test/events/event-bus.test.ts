import type { EngineEvent } from '@flow-service/protocol'
import { expect, test } from 'vitest'

import { createEventBus } from '../../src/events/event-bus.ts'

const event: EngineEvent = { type: 'flow', name: 'f', status: 'active', held: 0, version: 1 }

test('every listener hears every event in order, until it ends its subscription', () => {
  const bus = createEventBus()
  expect(bus.isHeard()).toBe(false)
  const heard: string[] = []
  const end = bus.subscribe((_event, atMs) => heard.push(`a${atMs}`))
  bus.subscribe((_event, atMs) => heard.push(`b${atMs}`))
  bus.publish(event, 1)
  end()
  expect(bus.isHeard()).toBe(true)
  bus.publish(event, 2)
  expect(heard).toEqual(['a1', 'b1', 'b2'])
})

test('a listener that throws is reported and keeps nobody from hearing', () => {
  const errors: unknown[] = []
  const bus = createEventBus((error) => errors.push(error))
  let heard = 0
  bus.subscribe(() => {
    throw new Error('broken')
  })
  bus.subscribe(() => (heard += 1))
  bus.publish(event)
  expect(heard).toBe(1)
  expect(errors).toEqual([new Error('broken')])
})

test('a quiet listener hears everything, and nobody makes events of values for it', () => {
  const bus = createEventBus()
  let heard = 0
  const end = bus.subscribe(() => (heard += 1), { quiet: true })
  expect(bus.isHeard()).toBe(false)
  bus.publish(event)
  const endLoud = bus.subscribe(() => undefined)
  expect(bus.isHeard()).toBe(true)
  endLoud()
  endLoud()
  expect(bus.isHeard()).toBe(false)
  end()
  bus.publish(event)
  expect(heard).toBe(1)
})
