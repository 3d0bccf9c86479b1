/** What every connector keeps, held by this one: with snapshots, and with a stream. */
import { contractSuite } from '@flow-service/connector-sdk/testing'
import { describe, test } from 'vitest'

import { Camera } from '../src/index.ts'
import { jpeg, part } from './fake-camera.ts'

const signIn = { username: 'plant', password: { $secret: 'camera' }, pin_certificate: true }
const challenge = { status: 401, headers: { 'www-authenticate': 'Digest realm="r", nonce="n", qop="auth"' } }
const isSignedIn = (init?: RequestInit): boolean => new Headers(init?.headers).has('authorization')
const badSettings = [
  { url: 'ftp://cam/1' },
  { url: 'http://a:b@cam/1' },
  { max_fps: 100 },
  { timeout: 0 },
  { mode: 'x' },
]

describe('snapshots', () => {
  let taken = 0
  const fetch = (_url: string, init?: RequestInit): Response =>
    isSignedIn(init) ? new Response(jpeg(`frame ${taken++}`)) : new Response('', challenge)
  contractSuite(Camera, {
    test,
    params: { ...signIn, url: 'https://cam.local/snapshot.jpg' },
    fixtures: { fetch, pins: true, badSettings },
  })
})

describe('streams', () => {
  const cameras = new Set<ReadableStreamDefaultController<Uint8Array>>()
  /** Sends a picture at once, and more when they are pushed. */
  function stream() {
    let own: ReadableStreamDefaultController<Uint8Array>
    return new ReadableStream<Uint8Array>({
      start(camera) {
        own = camera
        cameras.add(camera)
        camera.enqueue(part(jpeg('first')))
      },
      cancel: () => void cameras.delete(own),
    })
  }
  const headers = { 'content-type': 'multipart/x-mixed-replace; boundary=frame' }
  const fetch = (_url: string, init?: RequestInit): Response =>
    isSignedIn(init) ? new Response(stream(), { headers }) : new Response('', challenge)
  contractSuite(Camera, {
    test,
    params: { ...signIn, url: 'https://cam.local/stream', mode: 'stream', timeout: 60 },
    fixtures: {
      fetch,
      pins: true,
      badSettings,
      reading: null,
      push: async ({ ctx }) => {
        await ctx.advance(1000)
        for (const camera of cameras) camera.enqueue(part(jpeg('moving')))
      },
    },
  })
})
