import {
  batchFlow,
  button,
  chart,
  dashboard,
  field,
  FlowError,
  gauge,
  image,
  input,
  liveFlow,
  runsChart,
  slider,
  stage,
  stream,
  t,
  table,
  text,
  toggle,
  value,
} from '@flow-service/flow-sdk'
import { dashboardContentSchema } from '@flow-service/protocol'
import { expect, test } from 'vitest'

const hall = liveFlow('hall', { temp: t.float, light: t.bool, mode: t.str, rows: t.array, photo: t.image }, () => {})
const train = stage('train', {
  in: { n: t.int },
  out: { loss: stream(t.float), error: stream(t.float), kept: t.float },
  run: () => ({ kept: 1 }),
})
const fit = batchFlow('fit', { n: input(t.int, 3) }, (p, use) => ({
  kept: use(train, { n: p.n }, { out: { error: 'deviation' } }).kept,
}))
const stored = { digest: `sha256:${'0'.repeat(64)}`, name: 'a.png', media_type: 'image/png', size: 1, volatile: false }
const { temp, light, mode, rows, photo } = hall.messages

const contentOf = (...widgets: Parameters<typeof dashboard>[1]['widgets']) =>
  dashboardContentSchema.parse(dashboard('wall', { widgets }).document.content).widgets

test('a widget says in the words of the document what it shows, and is called as its message unless named', () => {
  const shown = contentOf(
    value(temp, { unit: '°C', decimals: 1, title: 'Temperature' }),
    gauge(temp, { max: 40, thresholds: [{ from: 30, level: 'warning' }] }),
    chart([temp], { window: 60, logY: true, smoothing: 0.5 }),
    runsChart(fit, { metrics: ['loss', 'deviation'], x: 'time' }),
    table(rows, { columns: ['name'] }),
    image(photo),
    image(stored),
    text('# Hall'),
    button(mode, { value: 'auto', label: 'Automatic' }),
    toggle(light),
    toggle(mode, { on: 'day', off: 'night' }),
    slider(temp, { min: 10, max: 30, step: 0.5 }),
    field(mode, { placeholder: 'auto' }),
  )
  expect(
    shown.map(({ type, title, binding, source, options }) => [type, title, binding?.message ?? source, options]),
  ).toEqual([
    ['value', 'Temperature', 'hall.temp', { unit: '°C', decimals: 1 }],
    ['gauge', 'temp', 'hall.temp', { min: 0, max: 40, thresholds: [{ from: 30, level: 'warning' }] }],
    ['chart', '', { kind: 'messages', messages: ['hall.temp'], window_s: 60 }, { log_y: true, smoothing: 0.5 }],
    [
      'chart',
      'fit',
      { kind: 'runs', select: { latest: 5, flow: 'fit' }, metrics: ['fit.loss', 'fit.deviation'], x: 'time' },
      {},
    ],
    ['table', 'rows', 'hall.rows', { columns: ['name'], limit: 50 }],
    ['image', 'photo', 'hall.photo', {}],
    ['image', '', null, { artifact: stored }],
    ['text', '', null, { markdown: '# Hall' }],
    ['button', 'mode', 'hall.mode', { value: 'auto', label: 'Automatic' }],
    ['switch', 'light', 'hall.light', { on: true, off: false }],
    ['switch', 'mode', 'hall.mode', { on: 'day', off: 'night' }],
    ['slider', 'temp', 'hall.temp', { min: 10, max: 30, step: 0.5 }],
    ['input', 'mode', 'hall.mode', { placeholder: 'auto' }],
  ])
  expect(new Set(shown.map(({ id }) => id)).size).toBe(shown.length)
})

test('widgets stand from left to right, in rows as high as the highest of each', () => {
  const { document } = dashboard('wall', {
    title: 'Wall',
    columns: 8,
    widgets: [
      value(temp, { w: 4, h: 1 }),
      value(temp, { w: 3, h: 5, id: 'high' }),
      value(temp, { w: 2, h: 1 }),
      value(temp, { w: 8, h: 2 }),
      text('', { w: 1 }),
    ],
  })
  expect(document.title).toBe('Wall')
  expect(document.content?.widgets?.map(({ id, x, y, w, h }) => [id, x, y, w, h])).toEqual([
    ['value-1', 0, 0, 4, 1],
    ['high', 4, 0, 3, 5],
    ['value-3', 0, 5, 2, 1],
    ['value-4', 0, 6, 8, 2],
    ['text-5', 0, 8, 1, 2],
  ])
})

test('a widget takes no more columns than there are unless it asks for them', () => {
  expect(dashboard('slim', { columns: 2, widgets: [chart([temp])] }).document.content?.widgets?.[0]?.w).toBe(2)
})

test.each([
  ['a.b', [], 'dashboard "a.b": use 1 to 100 letters'],
  ['from-flow', [], 'dashboard "from-flow": "from-flow" is a reserved name'],
  ['wide', [value(temp, { w: 13 })], 'dashboard "wide": widget "value-1", w: widget "value-1" ends in column 13 of 12'],
  ['twice', [text('', { id: 'a' }), text('', { id: 'a' })], 'another widget has the id "a"'],
  ['flat', [slider(temp, { min: 1, max: 1 })], 'widget "slider-1", options.max: give a "max" above "min"'],
  ['none', [chart([])], 'dashboard "none": widget "chart-1", source.messages'],
] as const)('what cannot be shown is said with its widget: %s', (name, widgets, message) => {
  expect(() => dashboard(name, { widgets })).toThrow(FlowError)
  expect(() => dashboard(name, { widgets })).toThrow(message)
})

test('a curve that no run draws is refused with those that they do', () => {
  const message = 'chart of flow "fit": there is no streaming output "kept"; it has "loss", "deviation"'
  expect(() => runsChart(fit, { metrics: ['kept'] })).toThrow(message)
  expect(() => runsChart(fit, { metrics: ['loss'], x: 'error' })).toThrow('no streaming output "error"')
  const none = batchFlow('none', {}, () => ({}))
  expect(() => runsChart(none, { metrics: ['loss'] })).toThrow('it has none')
})
