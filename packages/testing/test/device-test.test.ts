import { input, liveFlow, t } from '@flow-service/flow-sdk'
import { device, rbe, switchOn } from '@flow-service/node-types/flow'
import { expect, test } from 'vitest'

import { testFlow } from '../src/index.ts'

const hall = liveFlow('hall', { light: input(t.bool, false), brightness: t.float }, (m, use) => {
  const panel = device('hall-panel', {
    in: { relay1: t.bool, backlight: t.float },
    out: { dark: t.bool, lux: t.float },
    interval: { lux: 10 },
  })
  const { dark } = use(panel, { relay1: m.light, backlight: m.brightness }, { id: 'panel' })
  use(rbe(t.bool), { in: dark }, { out: { out: m.light } })
})

test('the relay follows what the panel says of the light', async () => {
  const flow = await testFlow(hall)
  const panel = flow.device('hall-panel')
  expect(panel.followed()).toEqual({ relay1: false, backlight: null })
  await panel.say({ dark: true })
  expect(flow.sent(hall.messages.light)).toEqual([true])
  expect(panel.followed()).toEqual({ relay1: true, backlight: null })
})

test('a device that is not connected leaves its node offline, until it comes, and also after a crash', async () => {
  const flow = await testFlow(hall)
  const panel = flow.device('hall-panel')
  const health = () => flow.nodeStates().find(({ node }) => node === 'panel')
  expect(health()).toMatchObject({ health: 'degraded', message: 'offline', error: null })
  panel.presence(true)
  expect(health()).toMatchObject({ health: 'ok' })
  flow.crash()
  await expect(panel.say({ dark: true })).rejects.toThrow('the flow is down')
  await flow.restart()
  expect(health()).toMatchObject({ health: 'ok' })
  panel.presence(false)
  expect(health()).toMatchObject({ health: 'degraded' })
})

test('what a device says is thinned by the interval of its port, and reaches each node that has the port', async () => {
  const two = liveFlow('two', {}, (_m, use) => {
    use(device('board', { out: { lux: t.float }, interval: { lux: 10 } }), {}, { id: 'one' })
    use(device('board', { out: { lux: t.float, door: t.bool } }), {}, { id: 'other', out: { lux: 'plain' } })
  })
  const flow = await testFlow(two)
  const board = flow.device('board')
  for (const lux of [1, 2, 3]) await board.say({ lux })
  await board.say({ door: true })
  await flow.advance('10s')
  expect([flow.sent('lux'), flow.sent('plain'), flow.sent('door')]).toEqual([[1, 3], [1, 2, 3], [true]])
})

test('what no node has, or takes, is refused', async () => {
  const flow = await testFlow(hall)
  expect(() => flow.device('hall')).toThrow('flow "hall" has no node of device "hall"; its devices: "hall-panel"')
  const panel = flow.device('hall-panel')
  await expect(panel.say({ dim: true })).rejects.toThrow(
    'no node has an output "dim" of device "hall-panel"; there are: "dark", "lux"',
  )
  await expect(panel.say({ lux: 'none' })).rejects.toThrow('output "lux" is float')
  expect(flow.sent('lux')).toEqual([])
  const none = await testFlow(
    liveFlow('none', { x: t.float }, (m, use) => {
      use(switchOn(t.float, { rules: [], otherwise: 'y' }), { in: m.x })
    }),
  )
  expect(() => none.device('hall-panel')).toThrow('its devices: none')
})
