/** Values that are too large for frames of a run: code gives and gets them as any other, workers store them (V15). */
import { STORED_VALUE_TYPE } from '@flow-service/protocol'
import { describe, expect, test } from 'vitest'

import { digestOf } from './fake-engine.ts'
import { bundle, type CallRequest, python, sharedRig } from './harness.ts'

const store_over = 262_144
const ports = (inputs: Record<string, unknown>) =>
  Object.keys(inputs).map((port) => ({ port, dtype: 'any' as const, trigger: true }))
/** Of many kinds and spellings, and long. */
const value = {
  text: 'ä\u0000"\\\u2028😀',
  half: '\ud800',
  'a "key"': [1, 1.5, -0.25, 1e300, 5e-324, true, false, null, '', {}, []],
  nested: [[[[{ deep: [1] }]]]],
  long: 'ß'.repeat(200_000),
}

const languages: [name: string, of: (expression: string) => Omit<CallRequest, 'inputs'>][] = [
  [
    'TypeScript',
    (expression) => ({ kind: 'code', entry: 'entry', source: bundle(`({ x }) => ({ y: ${expression} })`) }),
  ],
  ...(python === null
    ? []
    : [
        [
          'Python',
          (expression: string) => ({ source: `def run(x=None):\n    return {"y": ${expression}}\n` }),
        ] as never,
      ]),
]

describe.each(languages)('in %s', (language, of) => {
  const rig = sharedRig({ python, parallel: 4 })
  const given = (x: unknown) => {
    const bytes = Buffer.from(JSON.stringify(x))
    const digest = digestOf(bytes)
    rig().stored.set(digest, bytes)
    const ref = { digest, name: 'x.json', media_type: STORED_VALUE_TYPE, size: bytes.length, volatile: false }
    return { inputs: { x: ref }, input_ports: ports({ x: ref }), stored_inputs: ['x'] }
  }

  test('a value comes back as it went, and its reference in its place', async () => {
    const end = await rig().call({ ...of('x'), ...given(value), store_over })
    expect(end).toMatchObject({
      type: 'result',
      outputs: { y: { media_type: STORED_VALUE_TYPE, name: 'y.json', volatile: false } },
      stored: { y: 'object' },
    })
    const { digest } = (end.type === 'result' ? end.outputs['y'] : {}) as { digest: string }
    expect(JSON.parse(Buffer.from(rig().stored.get(digest) ?? '').toString())).toEqual(value)
  })

  test('what it is goes with the reference; a short value stays what it is, at the limit too', async () => {
    const long = language === 'Python' ? '"x" * 262143' : "'x'.repeat(262143)"
    const fits = language === 'Python' ? '"ä" * 131071' : "'ä'.repeat(131071)"
    expect(await rig().call({ ...of(long), store_over })).toMatchObject({ stored: { y: 'string' } })
    expect(await rig().call({ ...of(`[${long}]`), store_over })).toMatchObject({ stored: { y: 'array' } })
    const end = await rig().call({ ...of(fits), store_over })
    expect(end.type === 'result' && [end.outputs['y'], end.stored ?? {}]).toEqual(['ä'.repeat(131_071), {}])
  })

  test('a value larger than a frame goes both ways', async () => {
    const make = language === 'Python' ? '["0123456789" * 100] * 50000' : "Array(50000).fill('0123456789'.repeat(100))"
    const end = await rig().call({ ...of(make), store_over })
    expect(end).toMatchObject({ type: 'result', stored: { y: 'array' } })
    const ref = end.type === 'result' ? end.outputs['y'] : null
    const length = language === 'Python' ? '[len(x), len(x[49999])]' : '[x.length, x[49999].length]'
    const inputs = { x: ref }
    const read = await rig().call({
      ...of(length),
      inputs,
      input_ports: ports(inputs),
      stored_inputs: ['x'],
      store_over,
    })
    expect(read).toMatchObject({ outputs: { y: [50_000, 1000] } })
  })

  test('without a limit nothing is stored, and a reference that nobody calls stored is data', async () => {
    const long = language === 'Python' ? '"x" * 300000' : "'x'.repeat(300000)"
    expect(await rig().call(of(long))).toMatchObject({ outputs: { y: 'x'.repeat(300_000) } })
    const { inputs, input_ports } = given(value)
    expect(await rig().call({ ...of('x'), inputs, input_ports, store_over })).toMatchObject({
      outputs: { y: inputs.x },
    })
  })

  test('a call whose value is gone fails as missing_artifact, and names input and digest', async () => {
    const { inputs, ...more } = given('gone')
    rig().stored.clear()
    const end = await rig().call({ ...of('1'), inputs, ...more })
    expect(end).toMatchObject({
      error: {
        type: 'missing_artifact',
        message: expect.stringMatching(new RegExp(`input ["']x["'] .*${inputs.x.digest}`)),
      },
    })
  })
})
