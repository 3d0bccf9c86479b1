/** Acme meter: a device that says its values by itself, as a line of JSON each, over a connection that is kept up. */
import type { Duplex } from 'node:stream'

import { Connector, ConnectorParams, Redial } from '@flow-service/connector-sdk'
import * as z from 'zod'

/** What the device says in a line. */
const status = z.object({ power: z.number() })
/** Characters that a line may have. */
const LONGEST_LINE = 10_000

export default class AcmeMeter extends Connector<typeof AcmeMeter.Params, typeof AcmeMeter.ports> {
  static readonly contract = 1
  static override readonly title = 'Acme meter'
  static override readonly description = 'Takes the power that a device says by itself.'
  static override readonly Params = ConnectorParams.extend({
    host: z.string().min(1).describe('Name or address of the device, such as 10.0.0.5.'),
    port: z.int().min(1).max(65_535).default(4711).describe('TCP port of the device.'),
  })
  static override readonly ports = { outputs: { power: 'float' } } as const

  readonly #redial = new Redial({
    ctx: this.ctx,
    open: () => this.#open(),
    tell: (...health) => this.reportHealth(...health),
  })
  #connection: Duplex | null = null

  override async start(): Promise<void> {
    await super.start()
    this.#open()
  }

  override async stop(): Promise<void> {
    await super.stop()
    this.#redial.stop()
    this.#connection?.destroy()
    this.#connection = null
  }

  #open(): void {
    const { host, port } = this.config
    const connection = this.ctx.connect({ host, port })
    this.#connection = connection
    let reason = 'the device has closed the connection'
    let rest = ''
    connection.once('connect', () => this.#redial.up())
    connection.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) this.#take(line)
      if (rest.length > LONGEST_LINE) connection.destroy(new Error('the device says a line without an end'))
    })
    connection.once('error', (error) => (reason = error.message))
    connection.once('close', () => this.#redial.failed(reason))
  }

  #take(line: string): void {
    const { data } = status.safeParse(jsonIn(line))
    if (data === undefined) {
      this.reportHealth('degraded', `the device said what is no status: ${line.slice(0, 80)}`)
      return
    }
    this.inject({ power: data.power })
    this.reportHealth('ok')
  }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
