/**
 * The node type `open_meteo`: the weather now at a place, from the forecast API of Open-Meteo or a server of one's own that
 * speaks it (https://open-meteo.com/en/docs).
 * @module
 */
import {
  Connector,
  ConnectorParams,
  type NodeFinding,
  type NodeShape,
  reasonOf,
  secret,
} from '@flow-service/connector-sdk'
import * as z from 'zod'

import { currentIn, type CurrentWeather, instantOf } from './answer.ts'

/** Variables of the API by the port that carries each. */
const variables = {
  temperature: 'temperature_2m',
  feels_like: 'apparent_temperature',
  humidity: 'relative_humidity_2m',
  dew_point: 'dew_point_2m',
  precipitation: 'precipitation',
  cloud_cover: 'cloud_cover',
  pressure: 'pressure_msl',
  wind_speed: 'wind_speed_10m',
  wind_gusts: 'wind_gusts_10m',
  wind_direction: 'wind_direction_10m',
  weather_code: 'weather_code',
  is_day: 'is_day',
} as const

type Measure = keyof typeof variables
const measures = Object.keys(variables) as Measure[]

const FREE = 'https://api.open-meteo.com'
const PAID = 'https://customer-api.open-meteo.com'
/** Seconds that an answer may take. */
const PATIENCE_S = 20

/** The weather now at a place; a model's value each 15 minutes, so that reading more often asks for the same again. */
export class OpenMeteo extends Connector<typeof OpenMeteo.Params, typeof OpenMeteo.ports> {
  static readonly contract = 1
  static override readonly title = 'Weather (Open-Meteo)'
  static override readonly description = 'The weather now at a place: temperature, wind, precipitation and more.'
  static override readonly Params = ConnectorParams.extend({
    poll_interval: ConnectorParams.shape.poll_interval.default(900),
    latitude: z.number().min(-90).max(90).describe('Degrees north of the equator.'),
    longitude: z.number().min(-180).max(180).describe('Degrees east of Greenwich.'),
    url: z
      .url({ protocol: /^https?$/, error: 'give the full http:// or https:// address of a server' })
      .optional()
      .describe(`Address of the API up to "/v1/forecast"; ${FREE} unless given, and ${PAID} with a key.`),
    api_key: secret().optional().describe('Key of a paid plan; the free service needs none.'),
  })
  static override readonly ports = {
    outputs: {
      temperature: 'float',
      feels_like: 'float',
      humidity: 'float',
      dew_point: 'float',
      precipitation: 'float',
      cloud_cover: 'float',
      pressure: 'float',
      wind_speed: 'float',
      wind_gusts: 'float',
      wind_direction: 'float',
      weather_code: 'int',
      is_day: 'bool',
      time: 'str',
    },
  } as const

  static override check({ settings: { url } }: NodeShape<z.output<typeof OpenMeteo.Params>>): NodeFinding[] {
    if (url === undefined || isBare(url)) return []
    const message = 'setting "url" holds more than an address; leave out user, password, query and fragment'
    return [{ code: 'bad_setting', message, path: '/settings/url' }]
  }

  override async poll() {
    const current = await this.#current()
    return { ...this.#measured(current), time: instantOf(current.time) }
  }

  async #current(): Promise<CurrentWeather> {
    const server = this.#server()
    const patience = new AbortController()
    const cancel = this.ctx.after(PATIENCE_S, () =>
      patience.abort(new Error(`${server} gave no answer within ${PATIENCE_S} s`)),
    )
    const signal = AbortSignal.any([this.ctx.signal, patience.signal])
    try {
      const response = await this.ctx.fetch(this.#request(server), { signal })
      return await currentIn(response, server)
    } catch (error) {
      patience.signal.throwIfAborted()
      throw this.#inWords(error, server)
    } finally {
      cancel()
    }
  }

  /** Without the key, which a server may repeat, and with the server, which `fetch` may not name. */
  #inWords(error: unknown, server: string): Error {
    const { api_key: key } = this.config
    const text = reasonOf(error)
    const shown = key === undefined ? text : text.replaceAll(key, '***').replaceAll(encodeURIComponent(key), '***')
    return new Error(shown.startsWith(server) ? shown : `${server} cannot be asked: ${shown}`)
  }

  #server(): string {
    const { api_key: key, url = key === undefined ? FREE : PAID } = this.config
    return url.replace(/\/+$/, '')
  }

  #request(server: string): string {
    const { api_key: key, latitude, longitude } = this.config
    const asked = this.#measures().map((port) => variables[port])
    const query = new URLSearchParams({
      latitude: String(latitude),
      longitude: String(longitude),
      // the time comes with any variable
      current: asked.join(',') || variables.temperature,
      wind_speed_unit: 'ms',
      timezone: 'UTC',
      ...(key !== undefined && { apikey: key }),
    })
    return `${server}/v1/forecast?${query.toString()}`
  }

  /** Values of the ports that the node has; what the model does not know is left out. */
  #measured(current: CurrentWeather) {
    const values = this.#measures().flatMap((port) => {
      const value = current[variables[port]]
      return typeof value === 'number' ? [[port, port === 'is_day' ? value === 1 : value] as const] : []
    })
    return Object.fromEntries(values) as { readonly [P in Exclude<Measure, 'is_day'>]?: number }
  }

  #measures(): Measure[] {
    return measures.filter((measure) => this.outputs.some(({ port }) => port === measure))
  }
}

/** Whether an address has nothing that the request would lose, or that would be shown. */
function isBare(address: string): boolean {
  const { username, password, search, hash } = new URL(address)
  return username + password + search + hash === ''
}
