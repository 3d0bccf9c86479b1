import { t } from '@flow-service/flow-sdk'
import { tsdb } from '@flow-service/node-types/flow'

import type { Samples } from '../samples.ts'

export const samples: Samples = {
  roles: [
    {
      setup: {
        settings: {
          url: 'http://127.0.0.1:1',
          org: 'o',
          bucket: 'b',
          timeout: 60,
          writes: { x: { measurement: 'm' } },
          queries: { y: { measurement: 'm', field: 'f', range: '-1d', aggregation: 'mean' } },
        },
        inputs: { x: 'float' },
        outputs: { y: 'float' },
      },
      bad: [
        [
          { url: 'http://h', org: 'o', bucket: 'b', write_precision: 'min' },
          '"write_precision" is "min"; give it "ns", "us",',
        ],
        [{ url: 'http://h', org: 'o', bucket: 'b', query_range: '1h' }, 'is "1h"; use a span before now, such as -1h'],
        [{ url: 'http://h', org: 'o', bucket: 'b', writes: { x: {} } }, 'setting "writes.x.measurement" is missing'],
        [{ url: 'http://h', bucket: 'b' }, 'setting "org" is missing'],
      ],
      misfits: [
        [{ settings: { url: 'h', org: 'o', bucket: 'b' }, outputs: { y: 'float' } }, 'bad_setting'],
        [{ settings: { url: 'http://h', org: 'o', bucket: 'b' } }, 'unsupported_ports'],
        [
          { settings: { url: 'http://h', org: 'o', bucket: 'b' }, inputs: { x: 'any' }, outputs: { y: 'float' } },
          'dtype_mismatch',
        ],
      ],
      answer: '#datatype,string,long,double\n,result,table,_value\n,,0,2.5\n',
      offDtype: '#datatype,string,long,string\n,result,table,_value\n,,0,off\n',
    },
  ],
  credentials: ['token'],
  typed: {
    by: tsdb,
    place: (x, use) => {
      const at = { url: 'http://127.0.0.1:8086', org: 'o', bucket: 'b' }
      use(tsdb.write({ ...at, in: { x: t.float }, writes: { x: { measurement: 'm' } } }), { x })
    },
  },
}
