import type { Samples } from '../samples.ts'

export const samples: Samples = {
  roles: [
    {
      setup: { settings: { factor: 2 }, inputs: { x: 'float' }, outputs: { y: 'float' } },
      bad: [[{ 'a-b': 1 }, 'the setting "a-b" cannot name an argument of code; use letters, digits and "_"']],
      misfits: [[{ settings: { 'a-b': 1 } }, 'bad_setting']],
      answer: { y: 1 },
      offDtype: { y: 'off' },
    },
  ],
}
