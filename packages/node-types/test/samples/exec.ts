import { t } from '@flow-service/flow-sdk'
import { exec } from '@flow-service/node-types/flow'

import type { Samples } from '../samples.ts'

export const samples: Samples = {
  roles: [
    {
      setup: { settings: { command: 'sleep 9' }, inputs: { x: 'any' }, outputs: { exit_code: 'int' } },
      bad: [
        [{}, 'setting "command" is missing'],
        [{ command: '' }, 'setting "command" is ""; give it at least 1 character'],
        [{ command: 'true', timeout: -1 }, 'setting "timeout" is -1; give it a number of more than 0'],
      ],
      misfits: [
        [{ settings: { command: 'true' }, outputs: { code: 'int' } }, 'unsupported_ports'],
        [{ settings: { command: 'true #', append_payload: true }, inputs: { x: 'any' } }, 'bad_setting'],
      ],
      answer: { exitCode: 0, stdout: '', stderr: '', dropped: 0 },
    },
  ],
  typed: { by: exec, place: (x, use) => use(exec({ command: 'date', in: { x: t.float } }), { x }) },
}
