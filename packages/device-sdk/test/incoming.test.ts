/** Whatever an engine sends, the program of a board goes on. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'

import { incomingFrame } from '../src/incoming-frame.ts'
import { Rig, snapshot } from './fake-socket.ts'

const words = [
  'snapshot',
  'value',
  'demand',
  'published',
  'error',
  'binary',
  'http',
  'lamp',
  'camera',
  '__proto__',
  '1',
]
const names = [
  'type',
  'device',
  'bindings',
  'values',
  'demand',
  'ports',
  'port',
  'message',
  'value',
  'ts',
  'id',
  'code',
  'detail',
]
const anything = fc.letrec((tie) => ({
  leaf: fc.oneof(fc.constantFrom(...words), fc.jsonValue({ maxDepth: 1 })),
  list: fc.array(tie('any'), { maxLength: 4 }),
  fields: fc.dictionary(fc.constantFrom(...names, 'direction', 'config', 'uplink', 'dtype'), tie('any'), {
    maxKeys: 8,
  }),
  any: fc.oneof({ depthSize: 'small' }, tie('leaf'), tie('list'), tie('fields')),
})).any
/** Frames with something else in some of their places. */
const frame = fc
  .tuple(fc.constantFrom(...words.slice(0, 5)), fc.dictionary(fc.constantFrom(...names), anything))
  .map(([type, fields]) => ({ ...(type === 'snapshot' ? snapshot() : {}), ...fields, type }))
const text = fc.oneof(
  frame.map((value) => JSON.stringify(value)),
  anything.map((value) => JSON.stringify(value)),
  fc.string(),
)

test('frames of any shape end neither the program nor the connection [R629]', () => {
  fc.assert(
    fc.property(fc.array(text, { maxLength: 20 }), (texts) => {
      const rig = new Rig()
      const told: unknown[] = []
      rig.device.on('lamp', (value) => told.push(value))
      rig.device.onDemand((ports) => told.push(ports))
      rig.device.onBindings((bindings) => told.push(bindings.map(({ port }) => port)))
      for (const said of texts) rig.socket.say(said)
      for (const port of ['lamp', 'camera', '__proto__']) {
        rig.device.frame(port, new Uint8Array(1), 'image/png')
        expect(rig.device.config(port)).toBeTypeOf('object')
      }
      rig.online()
      rig.socket.say({ type: 'value', port: 'lamp', message: 'f.lamp', value: 'end', ts: 'now' })
      expect(rig.device.status.state).toBe('online')
      expect(told.at(-1)).toBe('end')
      rig.device.close()
    }),
    { numRuns: 1000 },
  )
})

test('any text is a frame or none', () => {
  fc.assert(
    fc.property(text, (said) => void incomingFrame(said)),
    { numRuns: 5000 },
  )
  expect(incomingFrame('{"type":"value"}')).toBeNull()
})
