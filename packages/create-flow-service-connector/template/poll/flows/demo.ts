/** A flow for `npm run dev`: what the node reads is shown in the terminal. */
import { liveFlow, node, nodeType, t } from '@flow-service/flow-sdk'

/** The device of dev/device.mjs; put the address of yours here. */
const meter = nodeType('acme_meter', {
  settings: { url: 'http://127.0.0.1:4711/status', poll_interval: 1 },
  out: { power: t.float },
})

export const show = node('show', {
  in: { power: t.float },
  out: {},
  run({ power }) {
    console.log(`power is ${power}`)
    return {}
  },
})

export const demo = liveFlow('demo', { power: t.float }, (m, use) => {
  use(meter, {}, { id: 'meter', out: { power: m.power } })
  use(show, { power: m.power })
})
