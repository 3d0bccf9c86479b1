/** A panel and a camera at an entrance, played by twins: what they say reaches the flow, and what it says reaches them. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { createService } from '@flow-service/api-server'
import { createClient } from '@flow-service/client-sdk'
import type { Devices } from '@flow-service/node-types/flow'
import { createTwin, testPicture } from '@flow-service/testing'

import { entrance } from './entrance.ts'

const dataDir = await mkdtemp(join(tmpdir(), 'device-'))
const service = await createService({
  dataDir,
  port: 0,
  logLevel: 'warn',
  environment: 'local',
  flows: [entrance],
})
try {
  const { baseUrl } = await service.listen()
  const token = await service.superuserToken()
  const client = createClient({ baseUrl, token })

  const panel = await createTwin({
    url: baseUrl,
    token,
    id: 'entrance-panel',
    io: {
      in: { lux: 'float', motion: 'bool' },
      out: { backlight: 'float', relay1: 'bool' },
    } satisfies Devices['entrance-panel'],
    patience: '30s',
  })

  const camera = await createTwin({
    url: baseUrl,
    token,
    id: 'entrance-camera',
    io: { in: { picture: 'image' }, out: { shoot: 'bool' } } satisfies Devices['entrance-camera'],
    patience: '30s',
  })

  await panel.wired('motion', 'entrance.motion')
  assert.deepEqual(panel.device.config('motion'), { sensitivity: 3 })
  assert.equal(camera.wanted('picture'), false)
  const pictures = client.subscribe(entrance.messages.kept)
  const first = pictures.next()
  await client.flows.start(entrance.name)
  await camera.wants('picture')

  await panel.play([
    { at: 0, port: 'lux', value: 12 },
    { at: '100ms', port: 'motion', value: true },
  ])
  await panel.told('backlight', 0.2)
  await panel.told('relay1', true)

  await camera.told('shoot', true)
  const picture = testPicture(7)
  assert.ok(camera.show('picture', picture))
  const { value: kept } = await first
  assert.ok(kept, 'a picture is kept')
  const stored = await fetch(`${baseUrl}/artifacts/${kept.value.digest}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  assert.deepEqual(Buffer.from(await stored.arrayBuffer()), picture.bytes)
  await pictures.return()

  await panel.told('relay1', false)

  panel.drop()
  const later = panel.say({ lux: 300 })
  await panel.back()
  await later
  await panel.told('backlight', 1)

  await panel.leave()
  await camera.leave()
  console.log('device: motion lit the entrance for half a second, and a picture of it is kept')
} finally {
  await service.close()
  await rm(dataDir, { recursive: true, force: true })
}
