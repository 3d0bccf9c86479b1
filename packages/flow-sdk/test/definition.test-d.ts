/* oxlint-disable vitest/expect-expect -- most assertions are the expected compile errors */
import { type ArtifactRef, input, latest, node, stage, stream, t } from '@flow-service/flow-sdk'
import { expectTypeOf, test } from 'vitest'
import * as z from 'zod'

test('arguments are inputs and parsed settings in one object', () => {
  stage('a', {
    in: { n: t.int, rows: t.artifact, mode: latest(t.str, 'auto') },
    out: { m: t.str },
    settings: z.object({ k: z.number().default(3) }),
    run(args) {
      expectTypeOf(args.n).toBeNumber()
      expectTypeOf(args.k).toBeNumber()
      expectTypeOf(args.mode).toBeString()
      expectTypeOf(args.rows).toEqualTypeOf<ArtifactRef>()
      // @ts-expect-error there is no such argument
      return { m: String(args.zzz) }
    },
  })
})

test('arguments without settings are the inputs alone', () => {
  node('a', {
    in: { n: t.int },
    out: {},
    run(args) {
      expectTypeOf(args).toEqualTypeOf<{ readonly n: number }>()
      // @ts-expect-error there is no such argument
      return args.zzz
    },
  })
})

test('a stage returns every output that is no stream, of the right type', () => {
  const out = { loss: stream(t.float), m: t.str }
  // @ts-expect-error the output m is missing
  stage('a', { in: {}, out, run: () => ({}) })
  // @ts-expect-error m is a string
  stage('b', { in: {}, out, run: () => ({ m: 1 }) })
  // @ts-expect-error nothing is returned
  stage('c', { in: {}, out, run: () => {} })
  stage('d', {
    in: {},
    out, // @ts-expect-error a generator has to return the outputs too
    async *run() {
      yield { loss: 1 }
      return {}
    },
  })
  stage('e', { in: { x: t.float }, out: {}, run: () => {} })
})

test('only streams are yielded and emitted by a stage', () => {
  const out = { loss: stream(t.float, { interval: 0.5 }), m: t.str }
  stage('a', {
    in: {},
    out, // @ts-expect-error the stream carries numbers
    async *run() {
      yield { loss: 'x' }
      return { m: '' }
    },
  })
  stage('b', {
    in: {},
    out,
    async *run(_, ctx) {
      yield { loss: 1 }
      ctx.emit('loss', 2)
      // @ts-expect-error the stream carries numbers
      ctx.emit('loss', 'x')
      // @ts-expect-error m is no stream
      ctx.emit('m', 'x')
      expectTypeOf(ctx.random()).toBeNumber()
      return { m: '' }
    },
  })
})

test('a live node may leave outputs out, and emit all of them', () => {
  node('a', {
    in: { x: t.float },
    out: { y: t.float, z: t.str },
    run({ x }, ctx) {
      ctx.emit('z', 'now')
      // @ts-expect-error there is no such output
      ctx.emit('w', 1)
      return x > 1 ? { y: x } : {}
    },
  })
  // @ts-expect-error y is a number
  node('b', { in: {}, out: { y: t.float }, run: () => ({ y: 'x' }) })
})

test('only shapes that JSON can hold make a port', () => {
  t.json(z.object({ n: z.number(), tags: z.array(z.string()).optional() }))
  // @ts-expect-error a Date is no JSON
  t.json(z.object({ at: z.date() }))
  // @ts-expect-error a Map is no JSON
  t.json(z.map(z.string(), z.number()))
  // @ts-expect-error a bigint is no JSON
  t.json(z.bigint())
})

test('kinds of ports stay where they belong', () => {
  // @ts-expect-error a stream is an output
  stage('a', { in: { x: stream(t.float) }, out: {}, run: () => {} })
  // @ts-expect-error a passive port is an input
  stage('b', { in: {}, out: { x: latest(t.float, 1) }, run: () => ({ x: 1 }) })
  // @ts-expect-error the initial value has the port's type
  latest(t.str, 1)
  // @ts-expect-error the initial value has the input's type
  input(t.float, 'a')
})

test('a stage can be called in a unit test', () => {
  const double = stage('double', { in: { x: t.float }, out: { y: t.float }, run: ({ x }) => ({ y: 2 * x }) })
  expectTypeOf(double.run).parameter(0).toEqualTypeOf<{ readonly x: number }>()
})

test('literals of an answer keep their types, and an answer of unknown ports is refused', () => {
  const Mode = z.object({ mode: z.enum(['auto', 'manual']), tags: z.array(z.literal('a')) })
  const ports = { in: { x: t.float }, out: { mode: t.json(Mode), level: stream(t.json(Mode)) } }
  stage('returns', { ...ports, run: ({ x }) => ({ mode: { mode: x > 1 ? 'auto' : 'manual', tags: ['a'] } }) })
  stage('waits', { ...ports, run: async (_args) => ({ mode: { mode: 'auto', tags: ['a'] } }) })
  stage('yields', {
    ...ports,
    async *run(_args) {
      yield { level: { mode: 'manual', tags: [] } }
      return { mode: { mode: 'auto', tags: ['a'] } }
    },
  })
  node('says', { ...ports, run: ({ x }) => (x > 1 ? { mode: { mode: 'auto', tags: [] } } : {}) })
  // @ts-expect-error an object of any keys is no answer
  stage('any_object', { ...ports, run: (): object => ({}) })
  // @ts-expect-error nor is one that may be nothing
  stage('maybe', { ...ports, run: (): object | void => {} })
  // @ts-expect-error nor is something unknown
  stage('unknown', { ...ports, run: (): unknown => 1 })
  // @ts-expect-error a number is no answer
  node('number', { ...ports, run: () => 1 })
})
