import { expectTypeOf, test } from 'vitest'

import { type createTwin, type DeviceTwin, testPicture } from '../src/index.ts'

declare const make: typeof createTwin
const at = { url: 'http://127.0.0.1:8000', token: 'token', id: 'hall-panel' }

test('ports of a twin are those of its io', async () => {
  const panel = await make({ ...at, io: { in: { motion: 'bool', camera: 'image' }, out: { relay1: 'bool' } } })
  expectTypeOf(panel).toEqualTypeOf<DeviceTwin<'motion' | 'camera', 'relay1'>>()
  void panel.say({ motion: true })
  void panel.play([{ at: '1s', port: 'camera', picture: testPicture() }])
  // @ts-expect-error -- the panel follows it
  void panel.say({ relay1: true })
  // @ts-expect-error -- the panel publishes it
  void panel.told('motion', true)
  // @ts-expect-error -- no such port
  panel.show('kamera', testPicture())
  // @ts-expect-error -- no such dtype
  void make({ ...at, io: { in: { motion: 'boolean' } } })
})

test('a twin without ports of a direction has none', async () => {
  const lamp = await make({ ...at, io: { out: { relay1: 'bool' } } })
  expectTypeOf(lamp).toEqualTypeOf<DeviceTwin<never, 'relay1'>>()
})
