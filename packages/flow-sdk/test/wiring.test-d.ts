/* oxlint-disable vitest/expect-expect -- most assertions are the expected compile errors */
import {
  batchFlow,
  input,
  latest,
  liveFlow,
  node,
  nodeType,
  type ParamsOf,
  python,
  type Ref,
  type ResultOf,
  secret,
  stage,
  t,
} from '@flow-service/flow-sdk'
import { expectTypeOf, test } from 'vitest'
import * as z from 'zod'

declare function publish<T>(ref: Ref<T>, value: NoInfer<T>): void

const Part = z.object({ serial: z.string(), line: z.int() })
const clean = python('clean', { file: './clean.py', in: { raw: t.artifact }, out: { rows: t.artifact, kept: t.int } })
const gain = stage('gain', {
  in: { x: t.float },
  out: { y: t.float },
  settings: z.object({ by: z.number(), token: z.string().default('') }),
  run: ({ x, by }) => ({ y: x * by }),
})
const verdict = node('verdict', {
  in: { part: t.json(Part), mode: latest(t.str, 'auto') },
  out: { stop: t.json(Part), count: t.int },
  run: ({ part, mode }) => (mode === 'auto' ? { stop: part } : {}),
})
const fit = batchFlow('fit', { raw: t.artifact, lr: input(t.float, 0.1), epochs: input(t.int, 3) }, (p, use) => {
  const { kept } = use(clean, { raw: p.raw })
  const { y } = use(gain, { x: p.lr }, { settings: { by: 2, token: secret('key') } })
  return { kept, scaled: y }
})

test('parameters and results of a batch flow are inferred: an input without initial is required', () => {
  expectTypeOf<ParamsOf<typeof fit>['lr']>().toEqualTypeOf<number | undefined>()
  expectTypeOf<Required<ParamsOf<typeof fit>>['raw']['digest']>().toBeString()
  expectTypeOf<ResultOf<typeof fit>>().toEqualTypeOf<{ readonly kept: number; readonly scaled: number }>()
  // @ts-expect-error raw has no initial value
  const missing: ParamsOf<typeof fit> = { lr: 0.1 }
  // @ts-expect-error a string is no number of epochs
  const wrong: ParamsOf<typeof fit>['epochs'] = 'many'
  // @ts-expect-error there is no such result
  type Nope = ResultOf<typeof fit>['nope']
  return [missing, wrong] as [unknown, unknown, Nope?]
})

test('inputs are wired by Refs of a fitting type, all of them', () => {
  batchFlow('wires', { s: t.str, x: t.float, n: t.int, photo: t.image, file: t.artifact, loose: t.any }, (p, use) => {
    // @ts-expect-error a str does not fit an artifact
    use(clean, { raw: p.s })
    // @ts-expect-error the input is not wired
    use(clean, {})
    // @ts-expect-error there is no such input
    use(clean, { raw: p.file, row: p.file })
    // @ts-expect-error constants are settings, not wires
    use(gain, { x: 3 }, { settings: { by: 1 } })
    const count = stage('count', { in: { n: t.int }, out: {}, run: () => {} })
    // @ts-expect-error a float does not fit an int, though both are numbers
    use(count, { n: p.x })
    use(gain, { x: p.n }, { settings: { by: 1 } })
    use(gain, { x: p.loose }, { id: 'checked_at_delivery', settings: { by: 1 } })
    const show = stage('show', { in: { photo: t.image }, out: {}, run: () => {} })
    // @ts-expect-error an artifact may not be an image
    use(show, { photo: p.file })
    use(clean, { raw: p.photo })
    use(nodeType('push', { in: { message: t.any } }), { message: p.photo })
    return {}
  })
})

test('a live function, whose outputs are optional, is no part of a batch flow', () => {
  batchFlow('kinds', { part: t.json(Part), mode: t.str }, (p, use) => {
    // @ts-expect-error it has to be a stage
    use(verdict, p)
    return {}
  })
})

test('settings of a use are typed and required where the schema has no default', () => {
  batchFlow('settings', { x: t.float }, (p, use) => {
    // @ts-expect-error the setting is a number
    use(gain, { x: p.x }, { settings: { by: 'big' } })
    // @ts-expect-error "by" is required
    use(gain, { x: p.x })
    // @ts-expect-error there is no such setting
    use(gain, { x: p.x }, { settings: { by: 1, unit: 'V' } })
    // @ts-expect-error the clean node has no settings
    use(clean, { raw: p.x as never }, { settings: { by: 1 } })
    return {}
  })
})

test('messages of a live flow type publish, and outputs map only to messages that take them', () => {
  const line = liveFlow('line', { part: t.json(Part), stop: t.json(Part), temp: t.float, text: t.str }, (m, use) => {
    use(verdict, { part: m.part, mode: m.text }, { out: { stop: m.stop, count: m.temp } })
    // @ts-expect-error mode is not wired
    use(verdict, { part: m.part }, { id: 'a' })
    use(verdict, { part: m.part, mode: m.text }, { id: 'b', out: { stop: 'halt' } })
    // @ts-expect-error an int does not fit a str message
    use(verdict, { part: m.part, mode: m.text }, { id: 'c', out: { count: m.text } })
    // @ts-expect-error there is no such output
    use(verdict, { part: m.part, mode: m.text }, { id: 'd', out: { halt: 'x' } })
    const small = node('small', {
      in: { x: t.float },
      out: { p: t.json(z.object({ serial: z.string() })) },
      run: () => {},
    })
    // @ts-expect-error the message promises more than the output gives
    use(small, { x: m.temp }, { out: { p: m.part } })
  })
  publish(line.messages.temp, 21.5)
  publish(line.messages.part, { serial: 'a', line: 1 })
  // @ts-expect-error a string is no temperature
  publish(line.messages.temp, 'hot')
  // @ts-expect-error a part has a line
  publish(line.messages.part, { serial: 'a' })
  // @ts-expect-error the flow has no such message
  publish(line.messages.humidity, 1)
})
