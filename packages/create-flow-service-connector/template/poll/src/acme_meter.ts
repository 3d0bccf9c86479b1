/** Acme meter: a device that answers its values as JSON, and is asked for them. */
import { Connector, ConnectorParams } from '@flow-service/connector-sdk'
import * as z from 'zod'

/** What the device answers. */
const status = z.object({ power: z.number() })

export default class AcmeMeter extends Connector<typeof AcmeMeter.Params, typeof AcmeMeter.ports> {
  static readonly contract = 1
  static override readonly title = 'Acme meter'
  static override readonly description = 'Reads the power of a device.'
  static override readonly Params = ConnectorParams.extend({
    poll_interval: ConnectorParams.shape.poll_interval.default(10),
    url: z.url({ protocol: /^https?$/ }).describe('Address that answers the values, such as http://10.0.0.5/status.'),
  })
  static override readonly ports = { outputs: { power: 'float' } } as const

  /** Called each `poll_interval` seconds; what has changed is published. What it throws makes the node degraded. */
  override async poll() {
    const response = await this.ctx.fetch(this.config.url, { signal: this.ctx.signal })
    if (!response.ok) throw new Error(`the device answered ${response.status}`)
    const { power } = status.parse(await response.json())
    return { power }
  }
}
