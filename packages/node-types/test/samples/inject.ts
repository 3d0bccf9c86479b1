import { t } from '@flow-service/flow-sdk'
import { inject } from '@flow-service/node-types/flow'

import type { Samples } from '../samples.ts'

export const samples: Samples = {
  roles: [
    {
      setup: {
        settings: { interval: 5, cron: '* * * * *', at_start: true, start_delay: 9, payload: 1 },
        outputs: { tick: 'any' },
      },
      bad: [
        [{ interval: -1 }, 'setting "interval" is -1; give it a number of at least 0'],
        [{ payloads: [] }, 'setting "payloads" is []; give it an object'],
        [{ at_start: 'yes' }, 'setting "at_start" is "yes"; give it true or false'],
      ],
      misfits: [
        [{ settings: { payload: 'on' }, outputs: { tick: 'bool' } }, 'dtype_mismatch'],
        [{ settings: { cron: '0 0 30 2 *' }, outputs: { tick: 'str' } }, 'bad_setting'],
        [{ settings: { payloads: { other: 1 } }, outputs: { tick: 'str' } }, 'unknown_output'],
      ],
    },
  ],
  typed: { by: inject, place: (_x, use) => use(inject({ out: { tick: t.str } })) },
}
