/**
 * The node type `open_meteo`: the weather now at a place, from the forecast API of Open-Meteo or a server of one's own that
 * speaks it (https://open-meteo.com/en/docs).
 * @module
 */
import { Connector, ConnectorParams, secret } from '@flow-service/connector-sdk'
import * as z from 'zod'

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

/** What the API answers, as far as it is read; a refusal has `reason`. */
const answerSchema = z.object({
  current: z.looseObject({ time: z.string() }).optional(),
  reason: z.string().optional(),
})

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
      .url({ protocol: /^https?$/ })
      .default('https://api.open-meteo.com')
      .describe('Address of the API, without a path.'),
    api_key: secret().optional().describe('Key of a paid plan.'),
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

  override async poll() {
    const { current, reason } = answerSchema.parse(await this.#answer())
    if (current === undefined) throw new Error(reason ?? 'the answer has no current weather')
    return { ...this.#measured(current), ...(this.#has('time') && { time: current.time }) }
  }

  async #answer(): Promise<unknown> {
    const signal = AbortSignal.any([this.ctx.signal, AbortSignal.timeout(PATIENCE_S * 1000)])
    const response = await this.ctx.fetch(this.#address(), { signal })
    const text = await response.text()
    try {
      return JSON.parse(text) as unknown
    } catch {
      throw new Error(`${this.config.url} answered ${response.status} and no JSON`)
    }
  }

  #address(): string {
    const { api_key: key, latitude, longitude, url } = this.config
    const address = new URL('/v1/forecast', url)
    const query = {
      latitude: String(latitude),
      longitude: String(longitude),
      current:
        this.#measures()
          .map((port) => variables[port])
          .join(',') || variables.temperature,
      wind_speed_unit: 'ms',
      timezone: 'UTC',
      ...(key !== undefined && { apikey: key }),
    }
    address.search = new URLSearchParams(query).toString()
    return address.href
  }

  /** Values of the ports that the node has; what the model does not know is left out. */
  #measured(current: Readonly<Record<string, unknown>>) {
    const values = this.#measures().flatMap((port) => {
      const value = current[variables[port]]
      return typeof value === 'number' ? [[port, port === 'is_day' ? value === 1 : value] as const] : []
    })
    return Object.fromEntries(values) as { readonly [P in Exclude<Measure, 'is_day'>]?: number }
  }

  #measures(): Measure[] {
    return (Object.keys(variables) as Measure[]).filter((port) => this.#has(port))
  }

  #has(name: string): boolean {
    return this.outputs.some(({ port }) => port === name)
  }
}
