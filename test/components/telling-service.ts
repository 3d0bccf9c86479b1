/**
 * `service serve` with a node type `tell`, which sends what arrives to a ledger outside and says who does so: the process,
 * the life of the node, and when it began to. Port and data directory are the arguments.
 * @module
 */
import { once } from 'node:events'

import { createService } from '@flow-service/api-server'
import { defineNode } from '@flow-service/connector-sdk'
import * as z from 'zod'

/** What the ledger is told. */
export interface Act {
  readonly value: unknown
  /** The process of the engine. */
  readonly pid: number
  /** Another one with each start of the node. */
  readonly life: string
  readonly decidedMs: number
}

const tell = defineNode({
  type: 'tell',
  title: 'Tell',
  description: 'Tells a ledger of each arrival, once.',
  category: 'network',
  settings: z.strictObject({ url: z.url() }),
  ports: { inputs: 'any', outputs: 'none' },
  arrival: 'each',
  idempotent: false,
  start(ctx) {
    const life = crypto.randomUUID()
    return {
      async onValue(_port, value) {
        const act: Act = { value, pid: process.pid, life, decidedMs: Date.now() }
        const response = await ctx.fetch(ctx.settings.url, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(act),
          signal: ctx.signal,
        })
        await response.body?.cancel()
      },
    }
  },
})

const [port, dataDir = ''] = process.argv.slice(2)
const service = await createService({
  port: Number(port),
  dataDir,
  guardProcess: true,
  connectors: [{ package: 'ledger-teller', version: '1.0.0', nodeTypes: { tell } }],
})
const { baseUrl } = await service.listen()
console.log(`flow-service listens at ${baseUrl}`)
await once(process, 'SIGTERM')
await service.close()
process.exit()
