/** A connector of the guide: an electricity meter that answers JSON, and takes a limit. */
import { Connector, ConnectorParams, secret } from '@flow-service/connector-sdk'
import * as z from 'zod'

const status = z.object({ watts: z.number(), total_kwh: z.number() })

export default class Meter extends Connector<typeof Meter.Params, typeof Meter.ports> {
  static readonly contract = 1
  static override readonly title = 'ACME meter'
  static override readonly description = 'Power and energy of an ACME meter; takes a limit of power.'
  static override readonly Params = ConnectorParams.extend({
    url: z.url().describe('Address of the meter, such as http://10.0.0.5.'),
    token: secret().describe('Token from the menu of the meter.'),
  })
  static override readonly ports = {
    outputs: { power: 'float', energy: 'float' },
    inputs: { limit: 'float' },
  } as const

  override async poll() {
    const answer = status.parse(await this.#ask('GET', '/status'))
    return { power: answer.watts, energy: answer.total_kwh }
  }

  override async write({ limit }: { readonly limit?: number }) {
    if (limit !== undefined) await this.#ask('PUT', `/limit?watts=${limit}`)
  }

  async #ask(method: string, path: string): Promise<unknown> {
    const response = await this.ctx.fetch(new URL(path, this.config.url).href, {
      method,
      headers: { authorization: `Bearer ${this.config.token}` },
      signal: this.ctx.signal,
    })
    if (!response.ok) throw new Error(`the meter answered ${response.status} to ${method} ${path}`)
    return response.json()
  }
}
