import { defineNode } from '@flow-service/connector-sdk'
import * as z from 'zod'

/** Reads a number from a device by HTTP, every so many seconds. */
export const gaugeNode = defineNode({
  type: 'gauge',
  title: 'Gauge',
  description: 'Reads a number from a device.',
  category: 'connector',
  settings: z.strictObject({
    url: z.url().describe('Address of the device.'),
    every: z.number().positive().default(10).describe('Seconds between two readings.'),
    token: z.string().nullable().default(null).meta({ 'x-secret': true, description: 'Token of the device.' }),
  }),
  modes: ['live'],
  ports: { inputs: 'none', outputs: 'any' },
  arrival: 'each',
  start(ctx) {
    const { url, every, token } = ctx.settings
    const headers = token === null ? {} : { Authorization: `Bearer ${token}` }
    const read = async (): Promise<void> => {
      const response = await ctx.fetch(url, { headers, signal: ctx.signal })
      if (!response.ok) throw new Error(`the device answers ${response.status}`)
      const value = Number(await response.text())
      ctx.reportHealth('ok')
      ctx.emit(Object.fromEntries(ctx.outputs.map(({ port }) => [port, value])))
    }
    ctx.every(every, () => void read().catch((error: Error) => ctx.reportHealth('down', error.message)))
    return {}
  },
})
