/**
 * What many-engines.bench.ts measures: one of several engines of a PostgreSQL server, whose URL, key and artifacts are its
 * arguments. `burst` emits the time, 5,000 times a second; `watch` notes how late it comes, which it tells when it is asked.
 */
import { defineNode } from '@flow-service/connector-sdk'
import * as z from 'zod'

import { startBenchService } from './bench-service.ts'

const PER_SECOND = 5_000

const [databaseUrl = '', oauthSigningKey = '', artifactsDir = '', leaseS = '8'] = process.argv.slice(2)
let lateMs: number[] = []

const burst = defineNode({
  type: 'burst',
  title: 'Burst',
  description: 'Emits the time, many times a second.',
  category: 'logic',
  settings: z.strictObject({}),
  ports: { inputs: 'none', outputs: 'any' },
  arrival: 'each',
  start(ctx) {
    const [output] = ctx.outputs
    const sinceMs = performance.now()
    let sent = 0
    ctx.every(0.01, () => {
      // timers are late on a busy machine
      const due = ((performance.now() - sinceMs) / 1000) * PER_SECOND
      for (; sent < due; sent++) ctx.send(output?.port ?? '', Date.now())
    })
    return {}
  },
})
const watch = defineNode({
  type: 'watch',
  title: 'Watch',
  description: 'Notes how late values come.',
  category: 'logic',
  settings: z.strictObject({}),
  ports: { inputs: 'any', outputs: 'none' },
  arrival: 'each',
  start: () => ({
    onValue(_port, value) {
      lateMs.push(Date.now() - Number(value))
    },
  }),
})

const { baseUrl, origin, token } = await startBenchService(
  [],
  [{ package: 'bench-nodes', version: '1.0.0', nodeTypes: { burst, watch } }],
  {
    databaseUrl,
    oauthSigningKey,
    artifactsDir,
    engineLeaseS: Number(leaseS),
    sessionKey: 'a session key of at least 32 bytes',
    secretKey: 'a key for secrets of at least 32 bytes',
  },
)
process.on('message', () => {
  process.send?.(lateMs)
  lateMs = []
})
process.send?.({ baseUrl, origin, token })
