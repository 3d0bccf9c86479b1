import { liveFlow, t } from '@flow-service/flow-sdk'
import { nodeTypes } from '@flow-service/node-types'
import * as constructors from '@flow-service/node-types/flow'
import { flowDocumentInputSchema, normalizeDocument } from '@flow-service/protocol'
import { expect, test } from 'vitest'

const { change, debounce, delay, exec, file, http, inject, join, mlp, mqtt, push, rbe, switchOn, tsdb, websocket } =
  constructors

/** One node of each type, with nothing given that has a default. */
const all = liveFlow('all', { x: t.float }, (m, use) => {
  const { x } = m
  use(inject({ out: { tick: t.str } }))
  use(delay(t.float, { delay: 1 }), { in: x }, { out: { out: 'later' } })
  use(debounce(t.bool), { in: x }, { out: { out: 'quiet' } })
  use(switchOn(t.float, { rules: [], otherwise: 'rest' }), { in: x })
  use(change(t.float), { in: x }, { out: { out: 'same' } })
  use(rbe(t.float), { in: x }, { out: { out: 'changed' } })
  use(join({ in: { x: t.float } }), { x }, { out: { out: 'joined' } })
  use(mlp({ in: { x: t.float }, out: { y: t.float } }), { x })
  use(http.request({ url: 'https://example.com/', in: { x: t.float } }), { x })
  use(websocket.connect({ url: 'wss://example.com/', in: { x: t.float } }), { x })
  use(mqtt.publish({ topic: 't', in: { x: t.float } }), { x })
  use(push({ topic: 'hall' }), { value: x })
  const tsdbAt = { url: 'http://127.0.0.1:8086', org: 'o', bucket: 'b' }
  use(tsdb.write({ ...tsdbAt, in: { x: t.float }, writes: { x: { measurement: 'm' } } }), { x })
  use(exec({ command: 'date', in: { x: t.float } }), { x })
  use(file.append({ path: 'x.txt' }), { value: x })
})

test('every type but those of written code has a typed constructor, whose node the type takes', () => {
  const { nodes } = normalizeDocument(all.name, flowDocumentInputSchema.parse(all.document))
  const placed = nodes.map(({ type }) => type)
  // functions are `python` and `node` of flow-sdk itself
  expect(placed.toSorted()).toEqual(nodeTypes.flatMap(({ type, code }) => (code ? [] : [type])).toSorted())
  for (const { type, settings, ports } of nodes) {
    const definition = nodeTypes.find((each) => each.type === type)
    const of = (direction: string) => ports.filter((port) => port.direction === direction)
    const parsed = definition?.settings.parse(settings) ?? {}
    const findings = definition?.check?.({
      id: 'n',
      mode: 'live',
      settings: parsed,
      inputs: of('input'),
      outputs: of('output'),
    })
    expect([type, findings ?? []]).toEqual([type, []])
  }
})

test('every constructor has its type here', () => {
  const used = [
    change,
    debounce,
    delay,
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
  ]
  expect(new Set<unknown>(used)).toEqual(new Set<unknown>(Object.values(constructors)))
})
