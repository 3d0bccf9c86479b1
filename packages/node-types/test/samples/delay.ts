import { t } from '@flow-service/flow-sdk'
import { delay } from '@flow-service/node-types/flow'

import type { Sample, Samples } from '../samples.ts'

const usual: Sample = {
  setup: { settings: { delay: 1, interval: 60 }, inputs: { x: 'any' }, outputs: { y: 'any' } },
  bad: [
    [{ delay: -1 }, 'setting "delay" is -1; give it a number of at least 0'],
    [{ mapping: [] }, 'setting "mapping" is []; give it an object'],
  ],
  misfits: [
    [{ inputs: { x: 'str' }, outputs: { y: 'float' } }, 'dtype_mismatch'],
    [{ inputs: { x: 'str' }, outputs: { y: 'str', z: 'str' } }, 'unsupported_ports'],
    [{ settings: { mapping: { x: 'z' } }, inputs: { x: 'str' }, outputs: { y: 'str' } }, 'unknown_output'],
  ],
}

export const samples: Samples = {
  roles: [usual, { ...usual, setup: { settings: { cron: '* * * * *' }, outputs: { y: 'str' } } }],
  typed: { by: delay, place: (x, use) => use(delay(t.float, { delay: 1 }), { in: x }, { out: { out: 'later' } }) },
}
