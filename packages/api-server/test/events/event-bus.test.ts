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

test('what another engine has done is told here, and not to those that spread it', () => {
  const bus = createEventBus()
  const heard: string[] = []
  bus.subscribe((event) => heard.push(`here ${event.type}`))
  const end = bus.subscribe((event) => heard.push(`spread ${event.type}`), { spreads: true })
  const event = { type: 'flow', name: 'porch', status: 'active', held: 0, version: 1 } as const
  bus.follow(event)
  expect(heard).toEqual(['here flow'])
  bus.publish(event)
  end()
  bus.publish(event)
  expect(heard.slice(1)).toEqual(['here flow', 'spread flow', 'here flow'])
})
