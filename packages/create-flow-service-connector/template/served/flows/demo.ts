/** A flow for `npm run dev`: what the device sends is shown in the terminal. */
import { liveFlow, node, nodeType, t } from '@flow-service/flow-sdk'

/** A token that everybody may know. Store yours, `npx service secrets set acme_meter`, and say secret('acme_meter') here. */
const meter = nodeType('acme_meter', { settings: { token: 'demo' }, out: { power: t.float } })

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
