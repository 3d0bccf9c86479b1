import { t } from '@flow-service/flow-sdk'
import { rbe } from '@flow-service/node-types/flow'

import type { Samples } from '../samples.ts'

export const samples: Samples = {
  roles: [
    {
      setup: { settings: { deadband: 2 }, inputs: { x: 'float' }, outputs: { y: 'float' } },
      bad: [
        [{ deadband: -1 }, 'setting "deadband" is -1; give it a number of at least 0'],
        [{ deadband_percent: 10 }, 'setting "deadband_percent" is 10; give it true or false'],
      ],
      misfits: [
        [{ inputs: { x: 'float' } }, 'unsupported_ports'],
        [{ inputs: { x: 'str' }, outputs: { y: 'float' } }, 'dtype_mismatch'],
      ],
    },
  ],
  typed: { by: rbe, place: (x, use) => use(rbe(t.float), { in: x }, { out: { out: 'changed' } }) },
}
