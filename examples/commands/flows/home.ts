/** A live flow: what somebody says switches the light of the kitchen, and sets its heating. */
import { liveFlow, t } from '@flow-service/flow-sdk'
import { commandsLm, device } from '@flow-service/node-types/flow'

const messages = { said: t.str, room: t.str, light: t.bool, setpoint: t.float, actions: t.array }

export const home = liveFlow('home', messages, (m, use) => {
  // what is a target here may be written, and nothing else
  const commands = commandsLm({
    targets: { kitchen_light: t.bool, kitchen_setpoint: t.float },
    knows: ['presence'],
    apply: true,
  })
  const wires = { actions: m.actions, kitchen_light: m.light, kitchen_setpoint: m.setpoint }
  use(commands, { prompt: m.said, presence: m.room }, { id: 'commands', out: wires })

  const panel = device('kitchen-panel', { in: { relay1: t.bool, target: t.float } })
  use(panel, { relay1: m.light, target: m.setpoint }, { id: 'panel' })
})
