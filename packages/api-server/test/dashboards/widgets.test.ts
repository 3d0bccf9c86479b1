import type { Dashboard, Problem } from '@flow-service/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { contentOf, type DashboardService, startDashboards, widget } from './service.ts'

let at: DashboardService
beforeAll(async () => {
  at = await startDashboards()
  await at.create('wall')
})
afterAll(() => at[Symbol.asyncDispose]())

const save = (...widgets: object[]) => at.save('wall', { content: contentOf(...widgets) })
const run = '0198d2a0-0000-7000-8000-000000000000'

test.each([
  ['value', {}, {}],
  ['value', { unit: '°C', decimals: 1 }, {}],
  ['gauge', {}, { min: 0, max: 100 }],
  ['gauge', { min: -20, max: 40, unit: '°C', thresholds: [{ from: 30, level: 'warning' }] }, {}],
  ['chart', { log_x: true, log_y: false, smoothing: 0.9, unit: 'W' }, {}],
  ['table', { columns: ['name', 'size'] }, { limit: 50 }],
  ['image', {}, {}],
  ['text', { markdown: '# Hall' }, {}],
  ['button', { label: 'Open' }, { value: true }],
  ['button', { value: { open: [1, null] } }, {}],
  ['switch', {}, { on: true, off: false }],
  ['switch', { on: 'ON', off: 'OFF' }, {}],
  ['slider', { min: 0, max: 10 }, { step: 1 }],
  ['input', { placeholder: 'a name' }, {}],
])('a %s with %j is kept, with its defaults', async (type, options, defaults) => {
  const { status, value } = await save(widget({ type, options, binding: { message: 'hall.temp' } }))
  expect([status, value.content?.widgets[0]?.options]).toEqual([200, { ...defaults, ...options }])
})

test.each([
  [{ kind: 'messages', messages: ['hall.temp', 'hall.set'], window_s: 60 }],
  [{ kind: 'runs', select: { latest: 5, flow: 'fit' }, metrics: ['fit.loss'] }],
  [{ kind: 'runs', select: { group_id: run }, metrics: ['fit.loss'], x: 'time' }],
  [{ kind: 'runs', select: { ids: [run] }, metrics: [], x: 'fit.step' }],
])('a chart is drawn of %j [R115]', async (source) => {
  const { status, value } = await save(widget({ type: 'chart', source }))
  expect([status, value.content?.widgets[0]?.source]).toEqual([200, source])
})

test.each([
  ['another type', { type: 'chair' }, '/type'],
  ['another source', { source: { kind: 'files', paths: [] } }, '/source/kind'],
  ['runs of nothing', { source: { kind: 'runs', select: {}, metrics: [] } }, '/source/select/group_id'],
  ['no messages', { source: { kind: 'messages', messages: [] } }, '/source/messages'],
  [
    'too many runs',
    { source: { kind: 'runs', select: { latest: 51, flow: 'a' }, metrics: [] } },
    '/source/select/latest',
  ],
  ['an unknown word of a source', { source: { kind: 'messages', messages: ['a.b'], since: 1 } }, '/source/since'],
  ['what is no message', { binding: { message: '<script>' } }, '/binding/message'],
  ['an unknown word', { colour: 'red' }, '/colour'],
  ['an unknown option', { options: { units: 'W' } }, '/options/units'],
  ['the option of another type', { options: { markdown: '' } }, '/options/markdown'],
  ['no text', { type: 'text' }, '/options'],
  ['no range', { type: 'slider' }, '/options'],
  ['half a range', { type: 'slider', options: { min: 0 } }, '/options/max'],
  ['a range without length', { type: 'slider', options: { min: 3, max: 3 } }, '/options/max'],
  ['a range upside down', { type: 'gauge', options: { min: 300 } }, '/options/max'],
  ['no step', { type: 'slider', options: { min: 0, max: 1, step: 0 } }, '/options/step'],
  [
    'another level',
    { type: 'gauge', options: { thresholds: [{ from: 1, level: 'red' }] } },
    '/options/thresholds/0/level',
  ],
  ['too much smoothing', { type: 'chart', options: { smoothing: 1.1 } }, '/options/smoothing'],
  ['too many rows', { type: 'table', options: { limit: 1001 } }, '/options/limit'],
  ['half an artifact', { type: 'image', options: { artifact: { digest: 'a' } } }, '/options/artifact/digest'],
  ['an id with a dot', { id: 'a.b' }, '/id'],
  ['a place left of all', { x: -1 }, '/x'],
  ['no width', { w: 0 }, '/w'],
  ['half a row', { y: 0.5 }, '/y'],
  ['an end beside the columns', { x: 10, w: 3 }, '/w'],
])('%s is refused, and said where', async (_what, more, place) => {
  const before = (await at.read('wall', '?draft=true')).value
  const { status, problem } = await save(widget(more))
  expect([status, problem.code]).toEqual([422, 'validation_failed'])
  expect(problem.errors?.map(({ path }) => path)).toContain(`/content/widgets/0${place}`)
  expect((await at.read('wall', '?draft=true')).value).toEqual(before)
})

describe('limits', () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, index) =>
      widget({ id: `w${index}`, y: Math.floor(index / 4), x: 3 * (index % 4) }),
    )

  test('200 widgets are kept, and one more is refused', async () => {
    expect((await save(...many(200))).status).toBe(200)
    expect((await save(...many(201))).problem.errors?.[0]?.path).toBe('/content/widgets')
  })

  test.each([
    [0, 422],
    [1, 200],
    [24, 200],
    [25, 422],
  ])('%d columns: %d', async (columns, status) => {
    const body = { content: { columns, widgets: [widget({ w: 1 })] } }
    expect((await at.save('wall', body)).status).toBe(status)
  })

  test('an id stands for one widget', async () => {
    const { problem } = await save(widget(), widget({ x: 3 }))
    expect(problem.errors).toEqual([
      { path: '/content/widgets/1/id', code: 'duplicate_id', message: expect.stringContaining('"temp"') },
    ])
  })

  const texts = (bytes: number) => {
    const empty = { columns: 12, widgets: [] as object[] }
    const text = (markdown: string, index: number) => ({
      ...widget({ id: `t${index}`, type: 'text', options: { markdown } }),
      title: '',
      binding: null,
      source: null,
    })
    const full = Array.from({ length: 10 }, (_, index) => text('é'.repeat(50_000), index))
    const last = (length: number) => ({ ...empty, widgets: [...full, text('x'.repeat(length), 10)] })
    return last(bytes - Buffer.byteLength(JSON.stringify(last(0))))
  }

  test('a content of 1 MiB is kept, and one byte more is refused, wherever it comes from [T99]', async () => {
    expect((await at.save('wall', { content: texts(1_048_576) })).status).toBe(200)
    const refused = { status: 413, problem: { code: 'payload_too_large', max_bytes: 1_048_576 } }
    expect(await at.save('wall', { content: texts(1_048_577) })).toMatchObject(refused)
    expect(await at.create('large', { content: texts(1_048_577) })).toMatchObject(refused)
    expect((await at.read('large', '?draft=true')).status).toBe(404)
    expect((await at.save('wall', { content: texts(5_000_000) })).status).toBe(413)
  })

  test('a title has 200 characters at most', async () => {
    expect((await at.save('wall', { title: 'x'.repeat(200) })).status).toBe(200)
    expect((await at.save('wall', { title: 'x'.repeat(201) })).problem.errors?.[0]?.path).toBe('/title')
  })
})

const payloads = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '"><svg/onload=alert(1)>',
  '</textarea><script>fetch("//evil")</script>',
  '[click](javascript:alert(1))',
  '![x](data:text/html;base64,PHNjcmlwdD4=)',
  '{{constructor.constructor("alert(1)")()}}',
  '<!--<iframe srcdoc="<script>alert(1)</script>">-->',
  '\u202Egnp.exe',
  "';drop table dashboard;--",
  '__proto__',
  '${7*7}',
]

describe('markup in texts is text: it is stored as it came, and answered as JSON [T99]', () => {
  test.each(payloads)('%j', async (text) => {
    const texts = [
      { type: 'text', options: { markdown: text } },
      { type: 'button', options: { label: text, value: [text] } },
      { type: 'input', options: { placeholder: text } },
      { type: 'value', options: { unit: text.slice(0, 50) } },
      { type: 'table', options: { columns: [text] } },
    ]
    const body = {
      title: text,
      content: contentOf(...texts.map((more, y) => widget({ id: `w${y}`, y, h: 1, title: text, ...more }))),
    }
    const saved = await at.save('wall', body)
    expect(saved.status).toBe(200)
    const read = await at.read('wall', '?draft=true')
    expect(read.headers.get('content-type')).toMatch(/^application\/json/)
    expect(read.headers.get('x-content-type-options')).toBe('nosniff')
    expect(read.value).toMatchObject({
      title: text,
      content: { widgets: texts.map((more) => ({ title: text, ...more })) },
    })
  })

  test.each(payloads)('as a name it is refused: %j', async (text) => {
    const created = await at.create(encodeURIComponent(text))
    const renamed = await at.act('wall', 'rename', { name: text })
    for (const { status, headers, problem } of [created, renamed] as {
      status: number
      headers: Headers
      problem: Problem
    }[]) {
      expect(status).toBeGreaterThanOrEqual(400)
      expect(status).toBeLessThan(500)
      expect(headers.get('content-type')).toMatch(/^application\/problem\+json/)
      expect(problem.status).toBe(status)
    }
    const { value } = await at.ann<Dashboard[]>('GET', '/dashboards/')
    expect(value.map(({ name }) => name)).toEqual(['wall'])
  })
})
