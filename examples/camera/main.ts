/** Watches a camera by snapshots and by its stream: what it sees comes as messages, byte for byte. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { createService } from '@flow-service/api-server'
import { createClient } from '@flow-service/client-sdk'
import { Camera } from '@flow-service/connector-camera'
import { liveFlow, nodeType, secret, t } from '@flow-service/flow-sdk'

import { fakeCamera } from './fake-camera.ts'

const camera = await fakeCamera('plant', 'open sesame')
const signIn = { username: 'plant', password: secret('camera_password') }

/** One node asks each tenth of a second, the other one listens. */
const yard = liveFlow('yard', { still: t.image, moving: t.image }, (m, use) => {
  const asked = { ...signIn, url: `${camera.origin}/snapshot.jpg`, poll_interval: 0.1 }
  use(nodeType('camera', { out: { frame: t.image }, settings: asked }), {}, { id: 'still', out: { frame: m.still } })
  const streamed = { ...signIn, url: `${camera.origin}/stream`, mode: 'stream', max_fps: 10 }
  use(
    nodeType('camera', { out: { frame: t.image }, settings: streamed }),
    {},
    { id: 'moving', out: { frame: m.moving } },
  )
})

const dataDir = await mkdtemp(join(tmpdir(), 'camera-'))
const service = await createService({
  dataDir,
  port: 0,
  logLevel: 'warn',
  environment: 'local',
  flows: [yard],
  connectors: [{ package: '@flow-service/connector-camera', version: '0.0.0', nodeTypes: { camera: Camera } }],
})
try {
  const { baseUrl } = await service.listen()
  const token = await service.superuserToken()
  const client = createClient({ baseUrl, token })
  const load = async (path: string): Promise<Buffer> => {
    const response = await fetch(`${baseUrl}${path}`, { headers: { authorization: `Bearer ${token}` } })
    assert.equal(response.status, 200, `${path} answers ${response.status}`)
    return Buffer.from(await response.arrayBuffer())
  }

  await client.secrets.set('camera_password', { value: 'open sesame' })
  const messages = [yard.messages.still, yard.messages.moving]
  const readers = messages.map((message) => client.subscribe(message))
  const first = readers.map((frames) => frames.next())
  await client.flows.start(yard.name)
  await Promise.all(first)

  const seen = camera.see('the gate is open')
  for (const frames of readers) {
    const { value } = await frames.next()
    assert.ok(value, 'there is another picture')
    assert.deepEqual(await load(`/artifacts/${value.value.digest}`), seen)
  }
  assert.deepEqual(await load('/connectors/camera/yard/still/latest.jpg'), seen)
  console.log('camera: the gate opened in a snapshot and in the stream, byte for byte')
} finally {
  await service.close()
  camera.close()
  await rm(dataDir, { recursive: true, force: true })
}
