import { mqttNode } from '@flow-service/node-types'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'

import { codes, findings, type Setup, shapeOf } from './test-kit.ts'

describe('settings', () => {
  const check = (settings: object, ports: Partial<Setup> = { outputs: { a: 'any' } }) =>
    codes(mqttNode, { settings: settings as Record<string, unknown>, ...ports })

  test('have the documented defaults [R170] [R173] [R174] [R175] [R176] [R177] [R178] [R179] [R180] [R181] [R183]', () => {
    expect(mqttNode.settings.parse({})).toEqual({
      topic: '*',
      broker_host: 'localhost',
      broker_port: 1883,
      username: null,
      password: null,
      client_id: null,
      qos: 0,
      retain: false,
      keepalive: 60,
      timeout: 10,
      send_queue_size: 256,
      json_key: null,
    })
    expect(mqttNode.settings.safeParse({ qos: 3 }).success).toBe(false)
    expect(mqttNode.settings.safeParse({ password: { $secret: 'broker' } }).success).toBe(true)
    expect(z.toJSONSchema(mqttNode.settings, { io: 'input' }).properties?.['password']).toMatchObject({
      'x-secret': true,
    })
  })

  test.each(['http://h', 'mqtt://u:p@h', 'h:1883', 'h/x', 'a b', 'mqtts://h:8883', 'h\0', '[::1', 'file:///x'])(
    'refuse the broker %j [T75]',
    (broker_host) => expect(check({ broker_host })).toEqual(['bad_setting']),
  )

  test.each(['h', '127.0.0.1', '::1', '[::1]', 'mqtts://broker.example', 'mqtt://h/'])(
    'take the broker %j',
    (broker_host) => expect(check({ broker_host })).toEqual([]),
  )

  test.each(['a/b+/c', 'a/#/c', '#a', '+a', 'a\0', '\ud800', 'x'.repeat(70_000)])('refuse the filter %j', (topic) =>
    expect(check({ topic })).toEqual(['bad_setting']),
  )

  test('refuse to publish to a filter, and ports without a topic', () => {
    expect(check({ topic: 'a/+' }, { inputs: { a: 'any' } })).toEqual(['bad_setting'])
    expect(check({ topic: { b: 'x' } }, { inputs: { a: 'any', b: 'any' } })).toEqual(['bad_setting'])
    expect(check({ password: 'x' })).toEqual(['bad_setting'])
    expect(check({}, {})).toEqual(['unsupported_ports'])
    expect(check({}, { inputs: { a: 'any' }, outputs: { b: 'any' } })).toEqual(['unsupported_ports'])
  })

  test('warn of filters that share topics without one holding the other', () => {
    const of = (a: string, b: string) =>
      findings(mqttNode, { settings: { topic: { a, b } }, outputs: { a: 'any', b: 'any' } }).map(
        ({ severity }) => severity,
      )
    expect(of('a/+/c', '+/b/c')).toEqual(['warning'])
    expect(of('a/+/c', 'a/#')).toEqual([])
    expect(of('a/b', 'a/c')).toEqual([])
    expect(of('$share/g/a/#', 'a/b')).toEqual([])
  })

  test.each([
    'mqtt://ann:s3cr3t-pass@h:1883',
    'ann:s3cr3t-pass@h',
    'mqtts://s3cr3t-pass@h',
    'mqtt://ann:s3cr3t-pass/with?parts#of@a@h',
  ])('tell of the broker %s without its password', (broker_host) => {
    const [finding, ...more] = findings(mqttNode, { settings: { broker_host }, outputs: { a: 'any' } })
    expect(more).toEqual([])
    expect(finding?.message).toMatch(/^"(mqtts?:\/\/)?\*\*\*@h(:1883)?" is no broker/)
  })

  test('warn of a json_key for a port that is not there', () => {
    const of = (json_key: unknown, setup: Partial<Setup> = { outputs: { a: 'any', b: 'any' } }) =>
      findings(mqttNode, { settings: { json_key, topic: 'x' }, ...setup }).map(({ code, path, severity }) => [
        code,
        path,
        severity,
      ])
    expect(of({ a: 'value', 'b/c': 'value' })).toEqual([['bad_setting', '/settings/json_key/b~1c', 'warning']])
    expect(of({ a: 'value' }, { inputs: { a: 'any' } })).toEqual([['bad_setting', '/settings/json_key/a', 'warning']])
    expect(of({ a: 'value', b: 'value' })).toEqual([])
    expect(of('value')).toEqual([])
  })

  test('let senders stand in runs; they are not repeated', () => {
    const shape = (setup: Setup) => shapeOf(mqttNode, setup)
    const modes = mqttNode.modes as (of: ReturnType<typeof shape>) => readonly string[]
    const repeats = mqttNode.idempotent as (of: ReturnType<typeof shape>) => boolean
    const [sender, listener] = [shape({ inputs: { a: 'any' } }), shape({ outputs: { a: 'any' } })]
    expect([modes(sender), modes(listener)]).toEqual([['live', 'batch'], ['live']])
    expect([repeats(sender), repeats(listener)]).toEqual([false, true])
  })
})
