/**
 * What node-sockets.bench.ts measures: mqtt in, switch, mqtt out; a served socket that sends back what it hears; and one
 * that asks an HTTP server first.
 */
import { createClient } from '@flow-service/client-sdk'
import { liveFlow, t } from '@flow-service/flow-sdk'
import { change, http, mqtt, switchOn, websocket } from '@flow-service/node-types/flow'

import { startBenchService } from './bench-service.ts'

const [what = '', peer = '', level = '0'] = process.argv.slice(2)
const qos = Number(level) as 0 | 1

function passOn() {
  const broker = { brokerHost: '127.0.0.1', brokerPort: Number(new URL(peer).port), qos }
  const login = { username: 'plant', password: 'pa ss:wörd' }
  return liveFlow('bench', { temp: t.float }, (m, use) => {
    use(
      mqtt.subscribe({ ...broker, ...login, topic: 'flow/in', out: { temp: t.float } }),
      {},
      { id: 'in', out: { temp: m.temp } },
    )
    const { hot } = use(switchOn(t.float, { rules: [{ operator: 'gt', value: 28, output: 'hot' }] }), { in: m.temp })
    use(mqtt.publish({ ...broker, ...login, topic: 'flow/out', in: { hot: t.float } }), { hot }, { id: 'out' })
  })
}

const echo = () =>
  liveFlow('bench', { heard: t.float, said: t.float }, (m, use) => {
    use(
      websocket.serve({ path: 'echo', in: { said: t.float }, out: { heard: t.float } }),
      { said: m.said },
      { id: 'socket', out: { heard: m.heard } },
    )
    if (what === 'ws') use(change(t.float, {}), { in: m.heard }, { id: 'pass', out: { out: m.said } })
    else {
      const asked = http.request({ url: peer, in: { heard: t.float }, out: { said: t.float } })
      use(asked, { heard: m.heard }, { id: 'ask', out: { said: m.said } })
    }
  })

const { baseUrl, origin, token } = await startBenchService([what === 'mqtt' ? passOn() : echo()])
await createClient({ baseUrl, token }).http.flows.start({ name: 'bench' })
process.send?.(what === 'mqtt' ? 'flow' : `${origin.replace('http', 'ws')}/hooks/bench/echo`)
