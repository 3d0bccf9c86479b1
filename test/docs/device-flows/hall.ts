import { liveFlow, node, t } from '@flow-service/flow-sdk'
import { device } from '@flow-service/node-types/flow'

/** On when somebody moves in the dark. */
export const decide = node('decide', {
  in: { motion: t.bool, lux: t.float },
  out: { light: t.bool },
  run: ({ motion, lux }) => ({ light: motion && lux < 100 }),
})

export const hall = liveFlow('hall', { light: t.bool }, (m, use) => {
  const panel = device('hall-panel', {
    out: { motion: t.bool, lux: t.float },
    in: { relay1: t.bool },
    interval: { lux: 1 },
    config: { relay1: { pin: 4 } },
  })
  const { motion, lux } = use(panel, { relay1: m.light }, { id: 'panel' })
  use(decide, { motion, lux }, { id: 'decide', out: { light: m.light } })
})
