/* oxlint-disable vitest/expect-expect -- most assertions are the expected compile errors */
import { batchFlow, liveFlow, type Ref, type ResultOf, secret, t } from '@flow-service/flow-sdk'
import {
  change,
  debounce,
  exec,
  file,
  http,
  inject,
  join,
  mlp,
  mqtt,
  push,
  rbe,
  switchOn,
  tsdb,
  websocket,
} from '@flow-service/node-types/flow'
import { expectTypeOf, test } from 'vitest'

test('outputs of a switch are those its rules name, with the type of the input', () => {
  liveFlow('f', { temp: t.float, text: t.str }, (m, use) => {
    const rules = [{ operator: 'gt', value: 40, output: 'hot' }] as const
    const out = use(switchOn(t.float, { rules, otherwise: 'rest' }), { in: m.temp })
    expectTypeOf(out.hot).toExtend<Ref<number>>()
    expectTypeOf(out).toHaveProperty('rest')
    // @ts-expect-error no rule names this output
    void out.cold
    // @ts-expect-error a str does not fit the switch
    use(switchOn(t.float, { rules }), { in: m.text }, { id: 'b' })
    // @ts-expect-error there is no such operator
    switchOn(t.float, { rules: [{ operator: 'like', value: 1, output: 'x' }] })
  })
})

test('values of a debounce fit its type, and may be left out where the defaults do', () => {
  debounce(t.bool)
  debounce(t.any, { wait: 5 })
  debounce(t.str, { first: 'alarm', then: null })
  debounce(t.float, { passthrough: true, then: 0 })
  // @ts-expect-error the default of first is true
  debounce(t.str, { then: null })
  // @ts-expect-error the defaults are no strings
  debounce(t.str)
  // @ts-expect-error there is no such option
  debounce(t.bool, { waits: 5 })
  debounce(t.bool, { passthrough: false, wait: 5 })
  // @ts-expect-error the type of the input depends on it
  debounce(t.bool, { passthrough: Math.random() > 0.5 })
  // @ts-expect-error what is passed through takes the place of first
  debounce(t.bool, { passthrough: true, first: true })
  // @ts-expect-error first has the type of the port
  debounce(t.float, { first: 'on', then: 0 })
  liveFlow('f', { motion: t.bool, hold: t.float, alert: t.object }, (m, use) => {
    use(debounce(t.bool), { in: m.alert }, { id: 'any' })
    // @ts-expect-error an object cannot be passed through as a bool
    use(debounce(t.bool, { passthrough: true }), { in: m.alert }, { id: 'pass' })
    use(debounce(t.bool, { waitPort: 'hold' }), { in: m.motion, hold: m.hold })
    // @ts-expect-error the wait port is not wired
    use(debounce(t.bool, { waitPort: 'hold' }), { in: m.motion }, { id: 'b' })
  })
})

test('settings of requests, webhooks, injects and changes are typed', () => {
  http.webhook({ url: 'x', out: { a: t.any }, secret: secret('hook') })
  // @ts-expect-error a webhook has outputs
  http.webhook({ url: 'x' })
  // @ts-expect-error there is no such method
  http.request({ url: 'http://x', in: { a: t.int }, method: 'PATCH' })
  inject({ out: { n: t.int }, payload: 1 })
  // @ts-expect-error the payload has the port's type
  inject({ out: { n: t.int }, payload: 'x' })
  // @ts-expect-error there is no such output
  inject({ out: { n: t.int }, payloads: { m: 1 } })
  change(t.float, { out: t.str, mapping: { 1: 'one' } })
  // @ts-expect-error the mapping gives values of the output's type
  change(t.float, { mapping: { 1: 'one' } })
})

test('a join gives an object of its inputs, or an array', () => {
  const flow = batchFlow('f', { a: t.int, b: t.str }, (p, use) => ({
    object: use(join({ in: { a: t.int, b: t.str } }), p).out,
    array: use(join({ in: { a: t.int, b: t.str }, mode: 'array' }), p, { id: 'list', out: { out: 'list' } }).out,
  }))
  expectTypeOf<ResultOf<typeof flow>['object']>().toEqualTypeOf<{ readonly a: number; readonly b: string }>()
  expectTypeOf<ResultOf<typeof flow>['array']>().toEqualTypeOf<readonly (number | string)[]>()
})

test('what reaches outside has typed ports and settings', () => {
  const influx = { url: 'http://h', org: 'o', bucket: 'b' }
  liveFlow('f', { temp: t.float, text: t.str }, (m, use) => {
    expectTypeOf(use(rbe(t.float), { in: m.temp }).out).toExtend<Ref<number>>()
    // @ts-expect-error a str does not fit
    use(rbe(t.float), { in: m.text }, { id: 'r' })
    use(push({ topic: 'x' }), { value: m.temp })
    const command = use(exec({ command: 'x', in: { a: t.any }, out: { exit_code: t.int } }), { a: m.text })
    expectTypeOf(command.exit_code).toExtend<Ref<number>>()
    // @ts-expect-error it was not asked for
    void command.stdout
    expectTypeOf(use(exec({ command: 'x', in: {} }), {}, { id: 'e' }).stdout).toExtend<Ref<string>>()
    const read = use(file.read({ path: 'x', in: { a: t.any } }), { a: m.text })
    expectTypeOf(read.content).toExtend<Ref<string>>()
  })
  // @ts-expect-error a topic is required
  push({})
  // @ts-expect-error there is no such priority
  push({ topic: 'x', priority: 'max' })
  // @ts-expect-error a command has no such output
  exec({ command: 'x', in: {}, out: { result: t.str } })
  // @ts-expect-error JSON has the type that it is read as
  file.read({ path: 'x', format: 'json', in: {} })
  // @ts-expect-error each input has a series
  tsdb.write({ ...influx, in: { a: t.float, b: t.float }, writes: { a: { measurement: 'm' } } })
  const average = { measurement: 'm', field: 'f', aggregation: 'avg' } as const
  // @ts-expect-error there is no such aggregation
  tsdb.query({ ...influx, in: {}, out: { a: t.float }, queries: { a: average } })
  // @ts-expect-error a layer has numbers
  mlp({ in: { a: t.str }, out: { y: t.float } })
})

test('brokers and sockets have typed ports and settings', () => {
  liveFlow('f', { temp: t.float }, (_m, use) => {
    const { a } = use(mqtt.subscribe({ topic: { a: 'x', b: 'y' }, out: { a: t.float, b: t.str } }))
    expectTypeOf(a).toExtend<Ref<number>>()
    use(mqtt.publish({ topic: 'x', in: { v: t.float } }), { v: a })
    expectTypeOf(use(websocket.connect({ url: 'ws://h', out: { c: t.str } }), {}, { id: 'c' }).c).toExtend<
      Ref<string>
    >()
    // @ts-expect-error the input is not wired
    use(websocket.serve({ path: 'x', in: { v: t.float } }), {}, { id: 's' })
  })
  // @ts-expect-error an output has no topic
  mqtt.subscribe({ topic: { a: 'x' }, out: { a: t.float, b: t.str } })
  // @ts-expect-error there is no such quality of service
  mqtt.publish({ topic: 'x', in: {}, qos: 3 })
  // @ts-expect-error a served socket sends no headers
  websocket.serve({ path: 'x', headers: {} })
})
