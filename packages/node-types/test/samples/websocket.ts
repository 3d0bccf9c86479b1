import { t } from '@flow-service/flow-sdk'
import { websocket } from '@flow-service/node-types/flow'

import type { Sample, Samples } from '../samples.ts'

const usual: Sample = {
  setup: { settings: { url: 'ws://127.0.0.1:9/' }, inputs: { x: 'any' }, outputs: { y: 'any' } },
  bad: [
    [{}, 'setting "url" is missing'],
    [{ url: '' }, 'setting "url" is ""; give it at least 1 character'],
    [{ url: '/x', on_connect: 'hello' }, 'setting "on_connect" is "hello"; give it a list'],
    [{ url: '/x', timeout: 0 }, 'setting "timeout" is 0; give it a number of more than 0'],
    [{ url: '/x', json_key: '' }, 'setting "json_key" is ""; give it'],
  ],
  misfits: [
    [{ settings: { url: '/x' } }, 'unsupported_ports'],
    [{ settings: { url: 'http://h/' }, outputs: { y: 'any' } }, 'bad_setting'],
    [{ settings: { url: '/x', on_connect: ['a'] }, outputs: { y: 'any' } }, 'bad_setting'],
  ],
}

export const samples: Samples = {
  roles: [
    usual,
    {
      ...usual,
      setup: { settings: { url: '/ticker' }, inputs: { x: 'any' }, outputs: { y: 'float' } },
      offDtype: 'off',
    },
  ],
  credentials: ['secret'],
  typed: {
    by: websocket,
    place: (x, use) => use(websocket.connect({ url: 'wss://example.com/', in: { x: t.float } }), { x }),
  },
}
