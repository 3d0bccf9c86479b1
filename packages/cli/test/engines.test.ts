import type { Engine } from '@flow-service/protocol'
import { expect, test } from 'vitest'

import { describeEngines } from '../src/commands/engines.ts'

const engine: Engine = {
  id: '01963f2e-7a10-7c3e-9b1a-5d2f8e4c6a01',
  name: 'east/11',
  self: true,
  version: '1.4.0',
  address: 'http://10.0.0.1:8000/api/v1',
  started_at: new Date().toISOString(),
  lease_s: 7.04,
  flows: 2,
  link: null,
}
const other: Engine = {
  ...engine,
  id: '01963f2e-7a10-7c3e-9b1a-5d2f8e4c6a02',
  name: 'west/7',
  self: false,
  address: null,
  flows: 1,
  link: { status: 'up', round_trip_ms: 0.42, unsent_bytes: 0 },
}
const flows = { wished: 3, nowhere: 0, nowhere_names: [] }

test('engines stand in a table, the one that was asked by its link', () => {
  expect(describeEngines({ engines: [engine, other], flows, refused_writes: 0 }).split('\n')).toEqual([
    expect.stringMatching(/^NAME +VERSION +FLOWS +LEASE +LINK +SINCE +ADDRESS$/),
    expect.stringMatching(/^east\/11 +1\.4\.0 +2 +7\.0 s +this one +\d\S+ +http:\/\/10\.0\.0\.1:8000\/api\/v1$/),
    expect.stringMatching(/^west\/7 +1\.4\.0 +1 +7\.0 s +up, 0\.4 ms +\d\S+ +-$/),
    '3 live flows to run.',
  ])
})

test('what is wrong is said below: other versions, flows that run nowhere, writes that were refused, what waits in a link', () => {
  const older: Engine = {
    ...other,
    version: '1.3.0',
    link: { status: 'down', round_trip_ms: null, unsent_bytes: 2000 },
  }
  const lines = describeEngines({
    engines: [engine, older],
    flows: { wished: 30, nowhere: 22, nowhere_names: ['attic', 'cellar'] },
    refused_writes: 1,
  }).split('\n')
  expect(lines[2]).toMatch(/^west\/7 +1\.3\.0 +1 +7\.0 s +down, 2\.0 kB unsent +/)
  expect(lines.slice(3)).toEqual([
    '30 live flows to run.',
    'The engines have different versions: 1.4.0, 1.3.0.',
    '22 live flows run nowhere: attic, cellar and 20 more.',
    'The engine that was asked has not written 1 value of flows that another one had taken.',
  ])
})

test('a name cannot tell a terminal what to do', () => {
  const hostile = describeEngines({ engines: [engine, { ...other, name: '\u001b[2Jx' }], flows, refused_writes: 0 })
  expect(hostile).toContain(String.raw`\u001b[2Jx`)
})
