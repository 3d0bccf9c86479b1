import { t } from '@flow-service/flow-sdk'
import { http } from '@flow-service/node-types/flow'

import type { Sample, Samples } from '../samples.ts'

const usual: Sample = {
  setup: { settings: { url: 'alerts' }, outputs: { alert: 'float' } },
  bad: [
    [{}, 'setting "url" is missing; give it a text'],
    [{ url: 'x', method: 'PATCH' }, 'setting "method" is "PATCH"; give it "GET" or "POST"'],
    [{ url: 'x', timeout: '10' }, 'setting "timeout" is "10"; give it a number'],
    [
      { url: 'x', headers: { a: 5 } },
      'setting "headers.a" is 5; give it a text or a reference such as {"$secret": "name"}',
    ],
    [
      { url: 'x', secret: 77_123 },
      'setting "secret" is not valid; give it a text or a reference such as {"$secret": "name"}',
    ],
  ],
  misfits: [
    [{ settings: { url: 'a b' }, outputs: { x: 'any' } }, 'bad_setting'],
    [{ settings: { url: 'x' } }, 'unsupported_ports'],
    [{ settings: { url: 'x' }, inputs: { x: 'any' } }, 'bad_setting'],
  ],
  answer: { alert: 1 },
  offDtype: { alert: 'off' },
}

export const samples: Samples = {
  roles: [
    usual,
    {
      ...usual,
      setup: { settings: { url: 'http://127.0.0.1:1/' }, inputs: { x: 'float' }, outputs: { alert: 'float' } },
    },
  ],
  credentials: ['secret'],
  typed: { by: http, place: (x, use) => use(http.request({ url: 'https://example.com/', in: { x: t.float } }), { x }) },
}
