import { type PortRef, t } from '@flow-service/flow-sdk'
import { commandsLm } from '@flow-service/node-types/flow'

import type { Samples } from '../samples.ts'

const outputs = { actions: 'array', kitchen_light: 'bool' } as const

export const samples: Samples = {
  roles: [
    {
      setup: { inputs: { prompt: 'any' }, outputs },
      bad: [
        [{ min_confidence: 2 }, 'setting "min_confidence" is 2; give it a number of at most 1'],
        [{ apply: 'yes' }, 'setting "apply" is "yes"; give it'],
      ],
      misfits: [
        [{ outputs }, 'unsupported_ports'],
        [{ inputs: { prompt: 'str' } }, 'unsupported_ports'],
        [{ inputs: { prompt: 'str', room: 'str' }, outputs }, 'unsupported_ports'],
        [{ inputs: { prompt: 'int' }, outputs }, 'dtype_mismatch'],
        [{ inputs: { prompt: 'str' }, outputs: { actions: 'str' } }, 'dtype_mismatch'],
        [{ inputs: { prompt: 'str' }, outputs: { cellar_light: 'bool' } }, 'unsupported_ports'],
        [{ inputs: { prompt: 'str' }, outputs: { kitchen_light: 'any' } }, 'unsupported_ports'],
      ],
    },
  ],
  typed: {
    by: commandsLm,
    place: ({ message }, use) =>
      use(commandsLm({ targets: { kitchen_light: t.bool } }), {
        prompt: { message, dtype: 'any' } as PortRef<never, 'any'>,
      }),
  },
}
