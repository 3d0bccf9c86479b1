import { t } from '@flow-service/flow-sdk'
import { mlp } from '@flow-service/node-types/flow'

import type { Samples } from '../samples.ts'

export const samples: Samples = {
  roles: [
    {
      setup: { settings: { seed: 3 }, inputs: { a: 'float', b: 'float' }, outputs: { y: 'float' } },
      bad: [
        [{ seed: -1 }, 'setting "seed" is -1; give it a number of at least 0'],
        [{ seed: 0.5 }, 'setting "seed" is 0.5; give it a whole number'],
        [{ seed: 'x' }, 'setting "seed" is "x"; give it a number'],
      ],
      misfits: [
        [{ outputs: { y: 'float' } }, 'unsupported_ports'],
        [{ inputs: { a: 'str' }, outputs: { y: 'float' } }, 'dtype_mismatch'],
        [{ inputs: { a: 'float' }, outputs: { y: 'str' } }, 'dtype_mismatch'],
      ],
    },
  ],
  typed: { by: mlp, place: (x, use) => use(mlp({ in: { x: t.float }, out: { y: t.float } }), { x }) },
}
