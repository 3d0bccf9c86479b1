import { websocketNode } from '@flow-service/node-types'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'

import { codes, findings, type Setup, shapeOf } from './test-kit.ts'

describe('settings', () => {
  const check = (settings: object, ports: Partial<Setup> = { outputs: { a: 'any' } }) =>
    codes(websocketNode, { settings: settings as Record<string, unknown>, ...ports })

  test('have the documented defaults [R207] [R208] [R209] [R212] [R214] [R215]', () => {
    expect(websocketNode.settings.safeParse({}).success).toBe(false)
    expect(websocketNode.settings.parse({ url: '/x' })).toEqual({
      url: '/x',
      headers: {},
      on_connect: [],
      secret: null,
      timeout: 10,
      send_queue_size: 256,
      json_key: null,
    })
    expect(z.toJSONSchema(websocketNode.settings, { io: 'input' }).properties?.['secret']).toMatchObject({
      'x-secret': true,
    })
  })

  test.each([
    'http://h/x',
    'file:///etc/passwd',
    'unix:/run/x.sock',
    'ws://u:p@h/',
    'ws://h/#a',
    'ws://',
    'a b',
    '../x',
    'a//b',
    '//h/x',
  ])('refuse the url %s [T75]', (url) => {
    expect(check({ url, secret: url.includes(':') ? null : 's' })).toEqual(['bad_setting'])
  })

  test.each(['Host', 'connection', 'Sec-WebSocket-Key', 'a b', 'x\ny'])('refuse the header %j [T71]', (name) => {
    expect(check({ url: 'ws://h', headers: { [name]: 'x' } })).toEqual(['bad_setting'])
    expect(check({ url: 'ws://h', headers: { 'x-key': 'a\r\nb' } })).toEqual(['bad_setting'])
  })

  test('of a served socket have nothing of a client; without a secret it is an advisory', () => {
    expect(check({ url: 'x', secret: 's', headers: { a: 'b' }, on_connect: ['x'] })).toEqual([
      'bad_setting',
      'bad_setting',
    ])
    expect(findings(websocketNode, { settings: { url: '/x' }, outputs: { a: 'any' } })).toMatchObject([
      { code: 'webhook_without_secret', severity: 'advisory' },
    ])
    expect(check({ url: 'ws://h' }, {})).toEqual(['unsupported_ports'])
  })

  test('decide the modes and what is claimed', () => {
    const shape = (setup: Setup) => shapeOf(websocketNode, setup)
    const modes = websocketNode.modes as (of: ReturnType<typeof shape>) => readonly string[]
    expect(modes(shape({ settings: { url: 'ws://h' }, inputs: { a: 'any' } }))).toEqual(['live', 'batch'])
    expect(modes(shape({ settings: { url: 'ws://h' }, outputs: { a: 'any' } }))).toEqual(['live'])
    expect(modes(shape({ settings: { url: '/x' }, inputs: { a: 'any' } }))).toEqual(['live'])
    expect(websocketNode.claims?.(shape({ settings: { url: '/x' }, inputs: { a: 'any' } }))).toEqual(['socket /x'])
    expect(websocketNode.claims?.(shape({ settings: { url: 'ws://h' }, inputs: { a: 'any' } }))).toEqual([])
  })
})
