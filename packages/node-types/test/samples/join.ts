import { t } from '@flow-service/flow-sdk'
import { join } from '@flow-service/node-types/flow'

import type { Samples } from '../samples.ts'

export const samples: Samples = {
  roles: [
    {
      setup: { inputs: { a: 'float', b: 'float' }, outputs: { both: 'object' } },
      bad: [[{ mode: 'list' }, 'setting "mode" is "list"; give it "object" or "array"']],
      misfits: [
        [{ inputs: { a: 'int' } }, 'unsupported_ports'],
        [{ inputs: { a: 'int' }, outputs: { both: 'array' } }, 'dtype_mismatch'],
      ],
    },
  ],
  typed: { by: join, place: (x, use) => use(join({ in: { x: t.float } }), { x }, { out: { out: 'joined' } }) },
}
