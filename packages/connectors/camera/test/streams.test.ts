/** MJPEG streams: kept up, thinned, and given up when nothing comes. */
import type { ServerResponse } from 'node:http'

import { expect, test } from 'vitest'

import { watch } from './camera-rig.ts'
import { fakeCamera, guarded, jpeg, part, picture, stream } from './fake-camera.ts'

/** A camera that streams what the test sends to the newest connection. */
async function streaming() {
  const connections: ServerResponse[] = []
  const at = await fakeCamera(stream((response) => void connections.push(response)))
  const send = (bytes: Uint8Array): void => void connections.at(-1)?.write(bytes)
  return { at, connections, send }
}

test('pictures of a stream are published as they come, byte for byte, over one connection', async () => {
  const { at, connections, send } = await streaming()
  at.answer = guarded(at.answer)
  const rig = await watch({ url: at.url, mode: 'stream', max_fps: 10, username: 'plant', password: 'pa"ss' })
  await expect.poll(() => connections.length).toBe(1)
  const sent = ['one', 'two', 'three'].map((name) => jpeg(name, 100_000))
  for (const [before, frame] of sent.entries()) {
    const whole = part(frame)
    send(whole.subarray(0, 5000))
    send(whole.subarray(5000))
    await expect.poll(rig.after(0.1, async () => (await rig.frames()).length)).toBe(before + 1)
  }
  expect(await rig.frames()).toEqual(sent)
  expect(rig.health()).toEqual({ status: 'ok', message: null })
  expect(at.requests).toHaveLength(2)
})

test('of more pictures than are wanted the newest are published, at most so many a second', async () => {
  const { connections, send, at } = await streaming()
  const rig = await watch({ url: at.url, mode: 'stream', max_fps: 0.5, poll_interval: 1 })
  await expect.poll(() => connections.length).toBe(1)
  send(part(jpeg('a')))
  await expect.poll(rig.frames).toEqual([jpeg('a')])
  // in one piece, so that the trigger below finds the last
  send(Buffer.concat(['b', 'c', 'd'].map((name) => part(jpeg(name)))))
  // whatever the interval of snapshots is
  await rig.advance(1.9)
  expect(await rig.frames()).toHaveLength(1)
  await expect
    .poll(async () => {
      rig.live.trigger('yard', {})
      return (await rig.frames()).at(-1)
    })
    .toEqual(jpeg('d'))
  expect(await rig.frames()).toHaveLength(2)
  await rig.advance(0.2)
  await expect.poll(rig.frames).toEqual([jpeg('a'), jpeg('d'), jpeg('d')])
})

test('a stream that stalls is told, left and opened again', async () => {
  const { connections, send, at } = await streaming()
  const rig = await watch({ url: at.url, mode: 'stream', timeout: 5 })
  await expect.poll(() => connections.length).toBe(1)
  send(part(jpeg('a')))
  await expect.poll(rig.frames).toHaveLength(1)
  await rig.advance(4.9)
  expect(rig.health().status).toBe('ok')
  await rig.advance(0.2)
  await expect.poll(rig.health).toEqual({
    status: 'degraded',
    message: `camera ${new URL(at.url).host} has sent no picture for 5 s`,
  })
  await expect.poll(() => at.open).toBe(0)
  await expect.poll(rig.after(0.1, () => connections.length)).toBe(2)
  send(part(jpeg('b')))
  await expect.poll(rig.health).toEqual({ status: 'ok', message: null })
  await expect.poll(rig.frames).toHaveLength(2)
})

test('a camera that is away is down after a minute, is not knocked at more than it has to, and comes back', async () => {
  const { connections, at } = await streaming()
  const streams = at.answer
  at.answer = (response) => void response.destroy()
  const rig = await watch({ url: at.url, mode: 'stream' })
  await expect.poll(rig.after(1, () => rig.health().status)).toBe('down')
  expect(at.requests.length).toBeLessThanOrEqual(10)
  expect(rig.health().message).toContain(`camera ${new URL(at.url).host} `)
  at.answer = streams
  await expect.poll(rig.after(1, () => connections.length)).toBe(1)
  connections[0]?.write(part(jpeg('back')))
  await expect.poll(rig.health).toEqual({ status: 'ok', message: null })
})

test.each<[string, Parameters<typeof fakeCamera>[0], string]>([
  ['a snapshot', picture(jpeg('x')), 'answers image/jpeg, which is no stream; set mode to snapshot'],
  ['a stream that ends', stream((response) => void response.end()), 'has ended the stream'],
  [
    'a picture of 9 MiB',
    stream((response) => void response.write(part(jpeg('large', 9 * 1024 * 1024)))),
    'bytes or more, and at most 8388608 are taken; lower its resolution or quality in the camera',
  ],
  [
    'no picture but text',
    stream((response) => void response.end(part(Buffer.from('still starting')))),
    'has ended the stream',
  ],
])('%s is told', async (_name, answer, message) => {
  const at = await fakeCamera(answer)
  const rig = await watch({ url: at.url, mode: 'stream' })
  await expect.poll(() => rig.health().message).toContain(message)
  expect(await rig.frames()).toEqual([])
})

test('the stop of the flow ends the stream and publishes nothing more', async () => {
  const { connections, send, at } = await streaming()
  const rig = await watch({ url: at.url, mode: 'stream' })
  await expect.poll(() => connections.length).toBe(1)
  send(part(jpeg('a')))
  await expect.poll(rig.frames).toHaveLength(1)
  send(part(jpeg('b')))
  await rig.live.stop()
  await expect.poll(() => at.open).toBe(0)
  await rig.advance(120)
  expect([await rig.frames(), rig.host.clock.pending, at.requests.length]).toEqual([[jpeg('a')], 0, 1])
})
