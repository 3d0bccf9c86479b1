import type { NodePort, NodeShape } from '@flow-service/connector-sdk'
import { batchFlow, input, liveFlow, secret, t } from '@flow-service/flow-sdk'
import { nodeTypes } from '@flow-service/node-types'
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
import { type FlowDocument, flowDocumentInputSchema, type FlowObject, normalizeDocument } from '@flow-service/protocol'
import { expect, test } from 'vitest'

const hall = liveFlow(
  'hall',
  { alert: t.object, temp: t.float, motion: t.bool, hold: t.float, light: t.bool, room: input(t.str, 'hall') },
  (m, use) => {
    use(http.webhook({ url: 'alerts', out: { alert: t.object }, secret: secret('hook') }), {}, { id: 'hook' })
    const rules = [
      { operator: 'eq', key: 'severity', value: 'critical', output: 'page' },
      { operator: 'eq', key: 'severity', value: 'warning', output: 'note' },
    ] as const
    const routed = use(switchOn(t.object, { rules, stopAtFirst: false, otherwise: 'rest' }), { in: m.alert })
    use(
      http.request({
        url: 'https://pager.example/send',
        in: { page: t.object },
        out: { receipt: t.str },
        timeout: 5,
        headers: { authorization: secret('pager') },
        query: { retry: 3 },
        sendInputs: true,
      }),
      { page: routed.page },
      { id: 'pager' },
    )
    const { out: fahrenheit } = use(
      change(t.float, { scale: 1.8, offset: 32, roundTo: 1 }),
      { in: m.temp },
      { id: 'convert', out: { out: 'fahrenheit' } },
    )
    use(
      change(t.float, { out: t.str, roundTo: 0, mapping: { '80': 'hot' }, default: 'mild' }),
      { in: fahrenheit },
      { id: 'word', out: { out: 'feeling' } },
    )
    use(
      debounce(t.bool, { wait: 90, extend: false, waitPort: 'wait' }),
      { in: m.motion, wait: m.hold },
      { out: { out: m.light } },
    )
    use(inject({ out: { tick: t.str }, interval: 60, cron: '0 6 * * mon', atStart: true, startDelay: 2 }))
    use(inject({ out: { a: t.int, b: t.str }, payload: 1, payloads: { b: 'x' } }), {}, { id: 'fixed' })
    use(join({ in: { temp: t.float, room: t.str } }), { temp: m.temp, room: m.room }, { out: { out: 'reading' } })
  },
)

const documentOf = (flow: FlowObject): FlowDocument =>
  normalizeDocument(flow.name, flowDocumentInputSchema.parse(flow.document))

/** What the node types say about the nodes of a flow. */
function findingsOf(flow: FlowObject): unknown[] {
  const { nodes, mode } = documentOf(flow)
  return nodes.flatMap(({ id, type, settings, ports }) => {
    const definition = nodeTypes.find((item) => item.type === type)
    const of = (direction: string): NodePort[] => ports.filter((port) => port.direction === direction)
    const parsed = definition?.settings.parse(settings) as NodeShape['settings']
    return definition?.check?.({ id, mode, settings: parsed, inputs: of('input'), outputs: of('output') }) ?? []
  })
}

test('every constructor places a node whose settings and ports its type accepts', () => {
  expect(findingsOf(hall)).toEqual([])
  expect(documentOf(hall).nodes.map(({ id, type }) => [id, type])).toEqual([
    ['hook', 'http'],
    ['switch', 'switch'],
    ['pager', 'http'],
    ['convert', 'change'],
    ['word', 'change'],
    ['debounce', 'debounce'],
    ['inject', 'inject'],
    ['fixed', 'inject'],
    ['join', 'join'],
  ])
})

test('options in camelCase become settings in snake_case', () => {
  const settings = Object.fromEntries(documentOf(hall).nodes.map((node) => [node.id, node.settings]))
  expect(settings['hook']).toEqual({ url: 'alerts', secret: { $secret: 'hook' } })
  expect(settings['switch']).toMatchObject({ stop_at_first: false, otherwise: 'rest' })
  expect(settings['pager']).toMatchObject({
    send_inputs: true,
    timeout: 5,
    headers: { authorization: { $secret: 'pager' } },
  })
  expect(settings['convert']).toEqual({ scale: 1.8, offset: 32, round_to: 1 })
  expect(settings['debounce']).toEqual({ wait: 90, extend: false, wait_port: 'wait' })
  expect(settings['inject']).toEqual({ interval: 60, cron: '0 6 * * mon', at_start: true, start_delay: 2 })
})

test('rules name the outputs of a switch, and a wait port is passive', () => {
  const ports = (id: string) => documentOf(hall).nodes.find((node) => node.id === id)?.ports ?? []
  expect(ports('switch').map(({ direction, port, dtype }) => [direction, port, dtype])).toEqual([
    ['input', 'in', 'object'],
    ['output', 'page', 'object'],
    ['output', 'note', 'object'],
    ['output', 'rest', 'object'],
  ])
  expect(ports('debounce').map(({ port, trigger, message }) => [port, trigger, message])).toEqual([
    ['in', true, 'hall.motion'],
    ['wait', false, 'hall.hold'],
    ['out', true, 'hall.light'],
  ])
})

test('a join of a batch flow carries the type of its parts', () => {
  const flow = batchFlow('pair', { a: t.int, b: t.str }, (p, use) => {
    const { out } = use(join({ in: { a: t.int, b: t.str }, mode: 'array' }), { a: p.a, b: p.b })
    return { pair: out }
  })
  expect(findingsOf(flow)).toEqual([])
  expect(documentOf(flow).outputs).toEqual([{ name: 'out', port: 'pair' }])
})

const influx = { url: 'http://127.0.0.1:8086', token: secret('tsdb'), org: 'home', bucket: 'climate' }
const outside = liveFlow('outside', { temp: t.float, alarm: t.str, ask: t.object }, (m, use) => {
  const { out: settled } = use(
    rbe(t.float, { deadband: 2, deadbandPercent: true }),
    { in: m.temp },
    { out: { out: 'settled' } },
  )
  use(mlp({ in: { a: t.float, b: t.float }, out: { score: t.float }, seed: 7 }), { a: m.temp, b: settled })
  use(push({ topic: 'hall', priority: 'high', tags: ['a', 'b'], token: secret('push') }), { value: m.alarm })
  const writes = { temp: { measurement: 'climate', field: 'temp', tags: { room: 'hall' } } }
  use(tsdb.write({ ...influx, precision: 's', in: { temp: t.float }, writes }), { temp: m.temp }, { id: 'write' })
  const mean = { measurement: 'climate', field: 'temp', range: '-1d', aggregation: 'mean' } as const
  use(
    tsdb.query({ ...influx, in: { tick: t.any }, out: { mean: t.float }, queries: { mean }, queryRange: '-2h' }),
    { tick: m.alarm },
    { id: 'query' },
  )
  use(tsdb.flux(influx), { query: m.ask }, { id: 'flux' })
  const shown = use(
    exec({ command: 'cat', in: { value: t.any }, out: { stdout: t.str }, appendPayload: true, failOnError: true }),
    { value: m.alarm },
  )
  use(exec({ command: 'date', in: { tick: t.any } }), { tick: m.alarm }, { id: 'date', out: { stdout: 'date' } })
  use(file.append({ path: 'log.txt', newline: false }), { value: shown.stdout }, { id: 'append' })
  use(file.write({ path: 'last.json', format: 'json' }), { value: m.ask }, { id: 'replace' })
  use(file.read({ path: 'log.txt', in: { tick: t.any } }), { tick: m.alarm }, { id: 'text' })
  use(
    file.read({ path: 'last.json', format: 'json', out: t.object, in: { tick: t.any } }),
    { tick: m.alarm },
    { id: 'json', out: { content: 'last' } },
  )
})

test('constructors of what reaches outside place nodes that their types accept, with their settings', () => {
  expect(findingsOf(outside)).toEqual([])
  const settings = Object.fromEntries(documentOf(outside).nodes.map((node) => [node.id, node.settings]))
  expect(settings).toMatchObject({
    rbe: { deadband: 2, deadband_percent: true },
    mlp: { seed: 7 },
    push: { topic: 'hall', priority: 'high', tags: 'a,b', token: { $secret: 'push' } },
    write: { token: { $secret: 'tsdb' }, write_precision: 's', writes: { temp: { tags: { room: 'hall' } } } },
    query: { query_range: '-2h', queries: { mean: { range: '-1d', aggregation: 'mean' } } },
    exec: { command: 'cat', append_payload: true, fail_on_error: true },
    append: { path: 'log.txt', mode: 'append', newline: false },
    replace: { path: 'last.json', mode: 'write', format: 'json' },
    text: { path: 'log.txt' },
  })
  const ports = (id: string) =>
    documentOf(outside)
      .nodes.find((node) => node.id === id)
      ?.ports.map(({ port }) => port)
  expect(ports('exec')).toEqual(['value', 'stdout'])
  expect(ports('date')).toEqual(['tick', 'stdout', 'stderr', 'exit_code'])
})

test('brokers and sockets have the settings of their types', () => {
  const flow = liveFlow('sockets', { temp: t.float, room: t.str, price: t.float }, (m, use) => {
    use(
      mqtt.subscribe({
        brokerHost: 'mqtts://broker.example',
        brokerPort: 8884,
        username: 'plant',
        password: secret('broker'),
        clientId: 'press',
        topic: { temp: 'a/+/temp', room: 'a/room' },
        jsonKey: { temp: 'v' },
        out: { temp: t.float, room: t.str },
      }),
      {},
      { id: 'in', out: { temp: m.temp, room: m.room } },
    )
    use(
      mqtt.publish({ topic: 'x', in: { v: t.float }, qos: 2, retain: true, sendQueueSize: 9 }),
      { v: m.temp },
      { id: 'out' },
    )
    use(
      websocket.connect({
        url: 'wss://feed.example/',
        onConnect: [secret('hello')],
        headers: { a: 'b' },
        out: { price: t.float },
      }),
      {},
      { id: 'feed', out: { price: m.price } },
    )
    use(
      websocket.serve({ path: 'ticker', in: { price: t.float }, secret: secret('s') }),
      { price: m.price },
      { id: 'ticker' },
    )
  })
  expect(findingsOf(flow)).toEqual([])
  expect(Object.fromEntries(documentOf(flow).nodes.map((node) => [node.id, node.settings]))).toEqual({
    in: {
      broker_host: 'mqtts://broker.example',
      broker_port: 8884,
      username: 'plant',
      password: { $secret: 'broker' },
      client_id: 'press',
      topic: { temp: 'a/+/temp', room: 'a/room' },
      json_key: { temp: 'v' },
    },
    out: { topic: 'x', qos: 2, retain: true, send_queue_size: 9 },
    feed: { url: 'wss://feed.example/', on_connect: [{ $secret: 'hello' }], headers: { a: 'b' } },
    ticker: { url: 'ticker', secret: { $secret: 's' } },
  })
})
