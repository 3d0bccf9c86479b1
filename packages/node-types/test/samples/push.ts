import { push } from '@flow-service/node-types/flow'

import type { Samples } from '../samples.ts'

export const samples: Samples = {
  roles: [
    {
      setup: { settings: { topic: 'alarms' }, inputs: { value: 'any' } },
      bad: [
        [{}, 'setting "topic" is missing'],
        [{ topic: 'a b' }, 'setting "topic" is "a b"; use 1 to 64 letters'],
        [{ topic: 'a', priority: 'max' }, '"priority" is "max"; give it "min", "low", "default", "high" or "urgent"'],
        [{ topic: 'a', timeout: 0 }, 'setting "timeout" is 0'],
      ],
      misfits: [
        [{ settings: { topic: 'a' } }, 'unsupported_ports'],
        [{ settings: { topic: 'a', server: 'ntfy.sh' }, inputs: { x: 'any' } }, 'bad_setting'],
      ],
      answer: '{}',
    },
  ],
  credentials: ['token'],
  typed: { by: push, place: (x, use) => use(push({ topic: 'hall' }), { value: x }) },
}
