import { t } from '@flow-service/flow-sdk'
import { device } from '@flow-service/node-types/flow'

import type { Samples } from '../samples.ts'

export const samples: Samples = {
  roles: [
    {
      setup: {
        settings: { device: 'hall-panel', config: { lux: { pin: 4 } } },
        inputs: { relay: 'bool' },
        outputs: { lux: 'float' },
      },
      bad: [
        [{}, 'no device is chosen; set "device" to the id of a paired one'],
        [{ device: 'the hall' }, 'setting "device" is "the hall"; use 1 to 100 letters'],
        [{ device: 'pending' }, '"pending" is a reserved id of devices'],
        [{ device: 'hall-panel', config: [] }, 'setting "config" is []; give it an object'],
        [{ device: 'hall-panel', config: { lux: 4 } }, 'setting "config.lux" is 4; give it an object'],
      ],
      misfits: [
        [{ outputs: { lux: 'float' } }, 'missing_setting'],
        [{ settings: { device: 'hall-panel', config: { lux: {} } } }, 'bad_setting'],
      ],
      offDtype: 'dark',
    },
    { setup: { settings: { device: 'hall-panel' }, outputs: { lux: 'float' } }, bad: [], misfits: [] },
  ],
  typed: {
    by: device,
    place: (x, use) => use(device('hall-panel', { in: { light: t.float }, out: { lux: t.float } }), { light: x }),
  },
}
