/** Acme meter: a device that sends its values to a route of the node. */
import { hash, timingSafeEqual } from 'node:crypto'
import { json } from 'node:stream/consumers'

import { Connector, ConnectorParams, type Router, secret } from '@flow-service/connector-sdk'
import * as z from 'zod'

/** What the device sends. */
const status = z.object({ power: z.number() })
/** Engines keep `authorization`, which is for their users, to themselves. */
const TOKEN = 'x-device-token'

export default class AcmeMeter extends Connector<typeof AcmeMeter.Params, typeof AcmeMeter.ports> {
  static readonly contract = 1
  static override readonly title = 'Acme meter'
  static override readonly description = 'Takes the power that a device sends to /event of the node.'
  static override readonly Params = ConnectorParams.extend({
    token: secret().describe('What the device sends in the header x-device-token.'),
  })
  static override readonly ports = { outputs: { power: 'float' } } as const
  /** Routes that take no sign-in of a user: the device has a token of its own. */
  static override readonly openRoutes = ['/event']

  override async start(app?: Router): Promise<void> {
    await super.start(app)
    app?.post('/event', async (request, response) => {
      if (!this.#isFromDevice(request.get(TOKEN))) {
        response.status(401).json({ message: `send the token of the node in the header ${TOKEN}` })
        return
      }
      const { data } = status.safeParse(await json(request).catch(() => null))
      if (data === undefined) {
        response.status(400).json({ message: 'send the power as a number: {"power":230}' })
        return
      }
      this.inject({ power: data.power })
      response.status(204).end()
    })
  }

  #isFromDevice(token = ''): boolean {
    // digests have one length, and take one time to compare
    const [given, right] = [token, this.config.token].map((text) => hash('sha256', text, 'buffer'))
    return given !== undefined && right !== undefined && timingSafeEqual(given, right)
  }
}
