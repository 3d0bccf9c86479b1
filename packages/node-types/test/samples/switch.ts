import { t } from '@flow-service/flow-sdk'
import { switchOn } from '@flow-service/node-types/flow'

import type { Samples } from '../samples.ts'

export const samples: Samples = {
  roles: [
    {
      setup: {
        settings: { rules: [{ operator: 'gt', value: 1, output: 'high' }], otherwise: 'low' },
        inputs: { x: 'float' },
        outputs: { high: 'float', low: 'float' },
      },
      bad: [
        [
          { rules: [{ operator: 'like', value: 1, output: 'high' }] },
          '"rules.0.operator" is "like"; give it "eq", "ne"',
        ],
        [
          { rules: [{ operator: 'between', value: 1, output: 'high' }] },
          '"rules.0.value" is 1; "between" needs [low, high]',
        ],
        [{ rules: [{ operator: 'eq', value: 1, output: 'high', kee: 'a' }] }, 'no setting "rules.0.kee"; remove it'],
      ],
      misfits: [
        [{ outputs: { high: 'float' } }, 'unsupported_ports'],
        [{ settings: { otherwise: 'none' }, inputs: { x: 'float' }, outputs: { high: 'float' } }, 'unknown_output'],
        [{ settings: { otherwise: 'low' }, inputs: { x: 'str' }, outputs: { low: 'float' } }, 'dtype_mismatch'],
      ],
    },
  ],
  typed: { by: switchOn, place: (x, use) => use(switchOn(t.float, { rules: [], otherwise: 'rest' }), { in: x }) },
}
