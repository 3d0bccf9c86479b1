import * as z from 'zod'

import { Connector, ConnectorParams, secret } from '../../src/index.ts'
/** A connector without a fault, and how its device answers: the suite has to pass it, and each fault is planted in it. */
import type { ContractFixtures } from '../../src/testing.ts'

export class Meter extends Connector<typeof Meter.Params, typeof Meter.ports> {
  static readonly contract: number = 1
  static override readonly title = 'Meter'
  static override readonly Params = ConnectorParams.extend({
    url: z.url().describe('Address of the meter.'),
    token: secret().describe('Token of the meter.'),
    unit: z.enum(['W', 'kW']).default('W').describe('Unit of the power.'),
  })
  static override readonly ports = {
    outputs: { power: 'float', state: 'str' },
    inputs: { limit: 'float' },
  } as const

  override async poll(): Promise<{ readonly power?: number; readonly state?: string } | null> {
    const answer = await this.ask('status')
    const { watts, state } = (await answer.json()) as { watts: number; state: string }
    return { power: this.config.unit === 'W' ? watts : watts / 1000, state }
  }

  override async write({ limit }: { readonly limit?: number }): Promise<{ readonly state?: string } | void> {
    await this.ask(`limit?watts=${limit}`, { method: 'PUT' })
  }

  async ask(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { authorization: `Bearer ${this.config.token}` }
    const answer = await this.ctx.fetch(new URL(path, this.config.url).href, {
      ...init,
      headers,
      signal: this.ctx.signal,
    })
    if (!answer.ok) throw new Error(`the meter answers ${answer.status}`)
    return answer
  }
}

export const params = { url: 'http://meter.local/', token: { $secret: 'meter_token' } }

export const fixtures: ContractFixtures<typeof Meter> = {
  fetch: () => Response.json({ watts: 230, state: 'on' }),
  reading: { power: 230, state: 'on' },
  write: { limit: 100 },
  badSettings: [{ url: 'meter' }, { token: '' }],
}
