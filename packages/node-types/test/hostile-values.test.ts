/** JSON from outside that means no good, on every way by which a node takes some in. */
import { fileNode, httpNode, mqttNode, websocketNode } from '@flow-service/node-types'
import { afterEach, describe, expect, test } from 'vitest'

import { MqttRigs } from './mqtt-rigs.ts'
import { Rigs } from './rigs.ts'
import type { Rig } from './test-kit.ts'

const rigs = new Rigs()
const mqtt = new MqttRigs()
afterEach(async () => {
  await rigs.close()
  await mqtt.close()
})

const nested = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
const hostile = [
  '{"__proto__":{"polluted":1,"a":"theirs"}}',
  '{"__proto__":{"polluted":1},"a":1}',
  '{"a":{"__proto__":{"polluted":1}},"constructor":{"prototype":{"polluted":1}}}',
  '{"constructor":{"prototype":{"polluted":1}},"a":2}',
  '{"a":{"toString":1,"valueOf":2,"hasOwnProperty":3,"then":4,"toJSON":5}}',
  '{"toString":1,"hasOwnProperty":2,"toJSON":3}',
  '{"a":1,"a":2,"a":3}',
  '{"a":1e400}',
  '{"a":-1e400,"b":1e-400}',
  '{"a":"\\u0000\\ud800"}',
  nested(65),
  nested(10_000),
  `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
  `{${Array.from({ length: 10_000 }, (_, n) => `"k${n}":${n}`).join(',')}}`,
  '{"a":',
  '"\\ud83d"',
  '\u0000',
  '',
]
const globals = () =>
  [Object.prototype, Array.prototype, Function.prototype].map((each) => Object.getOwnPropertyNames(each))
const before = globals()

/** What a way takes in, one after the other. */
type Way = (texts: readonly string[]) => Promise<Rig>
const outputs = { a: 'any', b: 'any' } as const
const ways: [name: string, way: Way][] = [
  [
    'frames of a served socket',
    async (texts) => {
      const rig = await rigs.run(websocketNode, { settings: { url: '/s' }, outputs })
      const peer = { waiting: 0, send() {}, cut() {} }
      const client = rig.sockets[0]?.serve(peer)
      for (const text of texts) client?.heard(text)
      await rig.idle()
      return rig
    },
  ],
  [
    'bodies of a webhook',
    async (texts) => {
      const rig = await rigs.run(httpNode, { settings: { url: 'in' }, outputs })
      for (const text of texts) {
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        await rig.post('application/json', text).catch((error: Error) => expect(error.name).toBe('HookRefusal'))
      }
      return rig
    },
  ],
  [
    'answers to a request',
    async (texts) => {
      const left = [...texts]
      const fetch = async () => new Response(left.shift())
      const settings = { url: 'http://host/' }
      const rig = await rigs.run(httpNode, { settings, inputs: { x: 'any' }, outputs, fetch })
      for (const _ of texts) {
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        await rig.arrive({ x: 1 }).catch((error: Error) => expect(error.name).toBe('answer_too_large'))
      }
      return rig
    },
  ],
  [
    'JSON files',
    async (texts) => {
      const files: Record<string, string> = { f: '' }
      const settings = { path: 'f', format: 'json' }
      const rig = await rigs.run(fileNode, { settings, inputs: { x: 'any' }, outputs: { a: 'any' }, files })
      for (const text of texts) {
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        await rig.write('f', text)
        // oxlint-disable-next-line no-await-in-loop -- so are these
        await rig.arrive({ x: 1 }).catch((error: Error) => expect(error.message).not.toBe(''))
      }
      return rig
    },
  ],
]

describe.each(ways)('%s', (name, way) => {
  test('change no prototype, and feed the ports that they name and no other [T96]', async () => {
    const rig = await way(hostile)
    expect(globals()).toEqual(before)
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
    for (const values of rig.emitted) {
      expect(Object.getPrototypeOf(values)).toBe(Object.prototype)
      expect(Object.keys(values).every((port) => port in outputs)).toBe(true)
    }
    if (name !== 'JSON files') {
      const whole = rig.emitted.filter(({ a }) => a === 1 || a === 2 || a === 3)
      expect(whole.map(({ a }) => a)).toEqual([1, 2, 3])
    }
  })

  test('leave what comes afterwards as it is, however many there were [T96]', async () => {
    const short = hostile.filter((text) => text.length < 200)
    const many = Array.from({ length: 2500 }, (_, n) => short[n % short.length] ?? '')
    const rig = await way([...many, '{"a":{"good":[1]}}'])
    const last = rig.emitted.at(-1)?.['a']
    expect(name === 'JSON files' ? last : { a: last }).toEqual({ a: { good: [1] } })
    // the engine looks whether an execution lasts longer than 10 ms
    await rig.advance(0.01)
    expect(rig.timers).toBe(0)
  })
})

test('payloads of a broker: the same, and a key that is inherited is none [T96]', async () => {
  const broker = await mqtt.broker()
  const rig = await mqtt.listen(broker, { topic: 't', json_key: '__proto__' }, { a: 'any' })
  const plain = await mqtt.listen(broker, { topic: 't', json_key: 'constructor' }, { a: 'any' })
  for (const text of [...hostile, '{"constructor":"own"}']) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await broker.publish('t', text)
  }
  await expect.poll(() => plain.emitted.at(-1)).toEqual({ a: 'own' })
  expect(globals()).toEqual(before)
  // what is no object goes on whole
  const objects = (of: Rig) => of.emitted.map(({ a }) => a).filter((a) => typeof a === 'object')
  expect(objects(rig)).toEqual([{ polluted: 1, a: 'theirs' }, { polluted: 1 }])
  expect(objects(plain)).toEqual([{ prototype: { polluted: 1 } }, { prototype: { polluted: 1 } }])
  expect(mqttNode.settings.safeParse({ json_key: '' }).success).toBe(false)
})
