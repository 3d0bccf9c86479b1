/** Snapshots of cameras that answer well, badly, late and not at all. */
import { expect, test } from 'vitest'

import { camera, node, watch } from './camera-rig.ts'
import { fakeCamera, guarded, jpeg, part, picture, stream } from './fake-camera.ts'

test('a snapshot is published each interval when it is another one, byte for byte', async () => {
  const at = await fakeCamera(picture(jpeg('one')))
  const rig = await watch({ url: at.url, poll_interval: 5 })
  await expect.poll(rig.after(0, rig.frames)).toEqual([jpeg('one')])
  expect(rig.host.values('f.frame')).toMatchObject([{ name: 'frame.jpg', media_type: 'image/jpeg', volatile: true }])
  await expect.poll(rig.after(5, () => at.requests.length)).toBeGreaterThan(2)
  expect(await rig.frames()).toHaveLength(1)
  at.answer = picture(jpeg('two'))
  await expect.poll(rig.after(5, rig.frames)).toEqual([jpeg('one'), jpeg('two')])
  expect(rig.health()).toEqual({ status: 'ok', message: null })
})

test('a request to act takes one now, without an interval too', async () => {
  const at = await fakeCamera(picture(jpeg('one')))
  const rig = await watch({ url: at.url, poll_interval: 0 })
  await rig.advance(3600)
  expect(at.requests).toHaveLength(0)
  rig.live.trigger('yard', {})
  await expect.poll(rig.frames).toEqual([jpeg('one')])
})

test('signs in by Digest once it is asked, goes on with the same nonce, and takes a new one when that is stale', async () => {
  const at = await fakeCamera(guarded(picture(jpeg('yard')), 3))
  const rig = await watch({ url: at.url, poll_interval: 5, username: 'plant', password: 'pa"ss' })
  await expect.poll(rig.after(5, () => at.requests.length)).toBeGreaterThanOrEqual(6)
  const sent = at.requests.slice(0, 6).map(({ headers }) => / nonce="(\w+)"|$/.exec(headers.authorization ?? '')?.[1])
  expect(sent).toEqual([undefined, 'n1', 'n1', 'n1', 'n1', 'n2'])
  expect(rig.health().status).toBe('ok')
  expect(await rig.frames()).toEqual([jpeg('yard')])
})

test('a wrong password is sent once a reading, told, and shown nowhere', async () => {
  const at = await fakeCamera(guarded(picture(jpeg('yard'))))
  const rig = await watch({ url: at.url, poll_interval: 5, username: 'plant', password: 'canary-1234' })
  await expect.poll(rig.after(5, () => rig.health().status)).toBe('down')
  // a reading asks without it first; the last one may not have come further
  const signed = at.requests.map(({ headers }) => headers.authorization !== undefined)
  expect(signed.slice(0, 2)).toEqual([false, true])
  expect(signed).toEqual(signed.map((_, nth) => nth % 2 === 1))
  expect(rig.health().message).toMatch(
    /^camera 127\.0\.0\.1:\d+ refuses the user name or the password; too many attempts may lock the account$/,
  )
  expect(JSON.stringify([rig.host.events, rig.host.logs])).not.toContain('canary')
})

const large = jpeg('large', 9 * 1024 * 1024)

test.each<[string, Parameters<typeof fakeCamera>[0], string]>([
  ['asks for a sign-in', guarded(picture(jpeg('x'))), 'asks for a sign-in; set username and password'],
  [
    'answers a page',
    (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
    'answers 6 bytes (text/html) that are no JPEG; set url to the address of a JPEG',
  ],
  [
    'redirects',
    (response) => void response.writeHead(302, { location: 'https://cam.local/new?token=1' }).end(),
    'redirects to https://cam.local/new; set url to the address of the picture itself',
  ],
  ['has nothing there', (response) => void response.writeHead(404).end(), 'answers 404: there is nothing at the path'],
  ['locks people out', (response) => void response.writeHead(403).end(), 'answers 403: the user may not see pictures'],
  ['has trouble', (response) => void response.writeHead(503).end(), 'answers 503'],
  ['sends 9 MiB', picture(large), 'sends more than 8388608 bytes; lower the resolution'],
  [
    'sends 9 MiB without saying so',
    (response) => void response.writeHead(200, { 'transfer-encoding': 'chunked' }).end(large),
    'sends more than 8388608 bytes; lower the resolution',
  ],
  [
    'cuts the picture off',
    (response) => void response.writeHead(200, { 'content-length': 5000 }).write(jpeg('x'), () => response.destroy()),
    '',
  ],
  ['cuts the connection', (response) => void response.destroy(), ''],
])('a camera that %s is told, and the next reading tries again', async (_name, answer, message) => {
  const at = await fakeCamera(answer)
  const rig = await watch({ url: at.url, poll_interval: 5 })
  await expect.poll(rig.after(0, () => rig.health().status)).toBe('degraded')
  expect(rig.health().message).toContain(`camera ${new URL(at.url).host} ${message}`)
  expect(await rig.frames()).toEqual([])
  at.answer = picture(jpeg('fine'))
  await expect.poll(rig.after(5, rig.health)).toEqual({ status: 'ok', message: null })
  expect(await rig.frames()).toEqual([jpeg('fine')])
})

test('a stream in place of a snapshot is told', async () => {
  const at = await fakeCamera(stream((response) => void response.end(part(jpeg('x')))))
  const rig = await watch({ url: at.url })
  await expect.poll(rig.after(0, () => rig.health().message)).toContain('set mode to stream')
})

test('a slow camera is given up after its time, and leaves no connection', async () => {
  const at = await fakeCamera((response) => void response.writeHead(200, { 'content-length': 5000 }).write('x'))
  const rig = await watch({ url: at.url, poll_interval: 100, timeout: 7 })
  await expect.poll(rig.after(0, () => at.requests.length)).toBe(1)
  await rig.advance(6)
  expect(rig.health().status).toBe('ok')
  await rig.advance(1)
  await expect.poll(() => rig.health().message).toMatch(/^camera \S+ has sent no picture within 7 s$/)
  await expect.poll(() => at.open).toBe(0)
})

test('the stop of the flow ends what is asked', async () => {
  const at = await fakeCamera(() => {})
  const rig = await watch({ url: at.url })
  await expect.poll(rig.after(0, () => at.requests.length)).toBe(1)
  await rig.live.stop()
  await expect.poll(() => at.open).toBe(0)
  expect(rig.host.clock.pending).toBe(0)
})

test.each([
  [{ url: 'rtsp://cam/1' }, 'use an address such as http://10.0.0.5/snapshot.jpg'],
  [{ url: 'http://plant:pa@cam/1' }, 'holds a user name or password; put them into username and password'],
  [{ url: 'http://cam/1', password: 'p' }, 'a password needs a user name; set one'],
  [{ url: 'http://cam/1', pin_certificate: true }, 'there is a certificate with https only'],
  [{ url: 'http://cam/1', max_fps: 0 }, '0.01'],
])('settings are checked before anything is asked: %j', (settings, message) => {
  const { error } = camera.settings.safeParse(node(settings).settings)
  expect(error?.issues.map((issue) => issue.message).join()).toContain(message)
})
