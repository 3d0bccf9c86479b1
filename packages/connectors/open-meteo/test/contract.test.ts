/** What every connector keeps, held by this one. */
import { readFileSync } from 'node:fs'

import { contractSuite } from '@flow-service/connector-sdk/testing'
import { test } from 'vitest'

import { OpenMeteo } from '../src/index.ts'

const answer = readFileSync(new URL('exchanges/now.json', import.meta.url), 'utf8')
contractSuite(OpenMeteo, {
  test,
  params: { latitude: 52.52, longitude: 13.42, api_key: { $secret: 'open_meteo' } },
  fixtures: {
    fetch: () => new Response(answer, { headers: { 'content-type': 'application/json' } }),
    outputs: { temperature: 'float', weather_code: 'int', is_day: 'bool', time: 'str' },
    reading: { temperature: -1.4, weather_code: 71, is_day: true, time: '2026-01-31T08:00Z' },
    badSettings: [{ latitude: 91 }, { longitude: -181 }, { url: 'ftp://host' }],
  },
})
