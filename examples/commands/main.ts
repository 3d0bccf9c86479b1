/** Sentences in English: on a virtual clock those that wait, and at an engine a panel, played by a twin, that follows them. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { createService } from '@flow-service/api-server'
import { createClient } from '@flow-service/client-sdk'
import { createTwin, testFlow } from '@flow-service/testing'

import { home } from './flows/home.ts'

// hours pass at once, and nothing is opened
const tried = await testFlow(home)
await tried.publish(home.messages.said, 'turn on the kitchen light')
await tried.publish(home.messages.said, 'turn the kitchen light off in half an hour')
await tried.advance('10m')
// said anew: what waits makes way for it
await tried.publish(home.messages.said, 'kitchen light off in an hour')
const [renewed, superseded] = tried.sent(home.messages.actions).at(-1) as readonly Record<string, unknown>[]
assert.deepEqual([renewed?.['applied'], renewed?.['delay_s']], [true, 3600])
assert.deepEqual([superseded?.['applied'], superseded?.['delay_s'], superseded?.['superseded']], [false, 1800, true])
await tried.advance('59m')
assert.deepEqual(tried.sent(home.messages.light), [true])
// the engine may crash meanwhile
tried.crash()
await tried.restart()
await tried.advance('1m')
assert.deepEqual(tried.sent(home.messages.light), [true, false])
await tried.stop()

const dataDir = await mkdtemp(join(tmpdir(), 'commands-'))
const service = await createService({ dataDir, port: 0, logLevel: 'warn', environment: 'local', flows: [home] })
try {
  const { baseUrl } = await service.listen()
  const token = await service.superuserToken()
  const client = createClient({ baseUrl, token })
  const io = { in: {}, out: { relay1: 'bool', target: 'float' } } as const
  const panel = await createTwin({ url: baseUrl, token, id: 'kitchen-panel', io, patience: '30s' })
  await client.flows.start(home.name)
  const reports = client.subscribe(home.messages.actions)
  const say = async (sentence: string) => {
    const report = reports.next()
    await client.messages.publish('home.said', sentence)
    return (await report).value?.value as readonly Record<string, unknown>[]
  }

  await client.messages.publish('home.room', 'kitchen')
  await say('could you put the light on in here please')
  await panel.told('relay1', true)
  await say('set the heating in the kitchen to 21.5')
  await panel.told('target', 21.5)

  // the house may have a light there, but none that is wired
  const [garden] = await say('lights on in the garden')
  assert.deepEqual([garden?.['call'], garden?.['message'], garden?.['applied']], ['lights_on', '', false])
  assert.deepEqual(await say('is the kitchen light on?'), [])
  await reports.return()
  await panel.leave()
  console.log('commands: the kitchen is lit and at 21.5 degrees, a later sentence took the place of one that waited')
} finally {
  await service.close()
  await rm(dataDir, { recursive: true, force: true })
}
