import { t } from '@flow-service/flow-sdk'
import { change } from '@flow-service/node-types/flow'

import type { Samples } from '../samples.ts'

export const samples: Samples = {
  roles: [
    {
      setup: { settings: { scale: 2 }, inputs: { x: 'float' }, outputs: { y: 'float' } },
      bad: [
        [{ round_to: 1.5 }, 'setting "round_to" is 1.5; give it a whole number'],
        [{ scale: null }, 'setting "scale" is null; give it a number'],
      ],
      misfits: [[{ inputs: { x: 'float' }, outputs: { y: 'float', z: 'float' } }, 'unsupported_ports']],
    },
  ],
  typed: { by: change, place: (x, use) => use(change(t.float), { in: x }, { out: { out: 'same' } }) },
}
