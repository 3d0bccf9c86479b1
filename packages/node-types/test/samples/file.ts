import { file } from '@flow-service/node-types/flow'

import type { Sample, Samples } from '../samples.ts'

const usual: Sample = {
  setup: { settings: { path: 'a/b.txt', mode: 'append' }, inputs: { x: 'any' } },
  bad: [
    [{}, 'setting "path" is missing'],
    [{ path: '' }, 'setting "path" is ""; give it at least 1 character'],
    [{ path: 'x', mode: 'delete' }, 'setting "mode" is "delete"; give it "read", "write" or "append"'],
    [{ path: 'x', format: 'yaml' }, 'setting "format" is "yaml"; give it "text" or "json"'],
  ],
  misfits: [
    [{ settings: { path: '../x' }, outputs: { y: 'str' } }, 'bad_setting'],
    [{ settings: { path: 'x' }, outputs: { y: 'float' } }, 'dtype_mismatch'],
    [{ settings: { path: 'x', mode: 'write' }, outputs: { y: 'str' } }, 'unsupported_ports'],
  ],
}

export const samples: Samples = {
  roles: [usual, { ...usual, setup: { settings: { path: 'given.txt' }, inputs: { x: 'any' }, outputs: { y: 'str' } } }],
  typed: { by: file, place: (x, use) => use(file.append({ path: 'x.txt' }), { value: x }) },
}
