import { expect, test } from 'vitest'

import { histogramSamples, prometheusText } from '../../src/observability/prometheus.ts'

test('a metric is its help, its type and its samples, with what a label may not hold escaped', () => {
  const text = prometheusText([
    { name: 'a_total', type: 'counter', help: 'Two\nlines.', samples: [{ value: 1 }] },
    { name: 'b', type: 'gauge', help: 'B.', samples: [{ labels: { of: 'a"b\\c\nd', to: 'x' }, value: Infinity }] },
    { name: 'none', type: 'gauge', help: 'None.', samples: [] },
  ])
  expect(text).toBe(
    '# HELP a_total Two\\nlines.\n# TYPE a_total counter\na_total 1\n' +
      '# HELP b B.\n# TYPE b gauge\nb{of="a\\"b\\\\c\\nd",to="x"} +Inf\n',
  )
})

test('a histogram has cumulative buckets, a sum and a count', () => {
  const samples = histogramSamples({ flow: 'f' }, { bounds: [0.1, 1], within: [1, 2.4, 3.4], sum: 7.5 })
  const text = prometheusText([{ name: 'd', type: 'histogram', help: 'D.', samples }])
  expect(text.split('\n').slice(2, -1)).toEqual([
    'd_bucket{flow="f",le="0.1"} 1',
    'd_bucket{flow="f",le="1"} 2',
    'd_bucket{flow="f",le="+Inf"} 3',
    'd_sum{flow="f"} 7.5',
    'd_count{flow="f"} 3',
  ])
})
