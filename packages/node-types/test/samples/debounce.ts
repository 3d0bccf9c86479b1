import { t } from '@flow-service/flow-sdk'
import { debounce } from '@flow-service/node-types/flow'

import type { Samples } from '../samples.ts'

export const samples: Samples = {
  roles: [
    {
      setup: { inputs: { x: 'any' }, outputs: { y: 'bool' } },
      bad: [[{ wait: 'long' }, 'setting "wait" is "long"; give it a number']],
      misfits: [
        [{ outputs: { y: 'bool' } }, 'unsupported_ports'],
        [{ inputs: { x: 'any' }, outputs: { y: 'str' } }, 'dtype_mismatch'],
        [{ settings: { wait_port: 'w' }, inputs: { x: 'any' }, outputs: { y: 'bool' } }, 'bad_setting'],
      ],
    },
  ],
  typed: { by: debounce, place: (x, use) => use(debounce(t.bool), { in: x }, { out: { out: 'quiet' } }) },
}
