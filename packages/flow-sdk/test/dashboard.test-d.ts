/* oxlint-disable vitest/expect-expect -- the assertions are the expected compile errors */
import {
  batchFlow,
  button,
  chart,
  dashboard,
  field,
  gauge,
  image,
  liveFlow,
  runsChart,
  slider,
  t,
  table,
  toggle,
  value,
} from '@flow-service/flow-sdk'
import { test } from 'vitest'
import * as z from 'zod'

const { messages: m } = liveFlow(
  'hall',
  {
    temp: t.float,
    count: t.int,
    light: t.bool,
    mode: t.str,
    rows: t.json(z.array(z.object({ name: z.string() }))),
    photo: t.image,
    file: t.artifact,
    loose: t.any,
  },
  () => {},
)
const fit = batchFlow('fit', { n: t.int }, () => ({}))

test('widgets show messages of a fitting type', () => {
  const fitting = [
    value(m.photo),
    gauge(m.count),
    gauge(m.loose),
    chart([m.temp, m.count]),
    table(m.rows),
    image(m.photo),
  ]
  // @ts-expect-error a text is no number
  gauge(m.mode)
  // @ts-expect-error a switch has no curve
  chart([m.temp, m.light])
  // @ts-expect-error a number has no rows
  table(m.temp)
  // @ts-expect-error a file may not be a picture
  image(m.file)
  // @ts-expect-error a live flow has no runs
  runsChart({ ...m }, { metrics: [] })
  runsChart(fit, { metrics: [] })
  // @ts-expect-error a name is no widget
  dashboard('wall', { widgets: ['temp'] })
  dashboard('wall', { widgets: fitting })
})

test('controls publish values that their message takes', () => {
  button(m.light)
  button(m.loose)
  toggle(m.light, { on: false, off: true })
  button(m.mode, { value: 'auto' })
  toggle(m.temp, { on: 21, off: 16 })
  slider(m.count, { min: 0, max: 9 })
  field(m.mode)
  field(m.temp)
  // @ts-expect-error true is no text: the button needs a value
  button(m.mode)
  // @ts-expect-error a number is no text
  button(m.mode, { value: 3 })
  // @ts-expect-error a switch of numbers needs both
  toggle(m.temp, { on: 21 })
  // @ts-expect-error a text is no switch
  toggle(m.light, { on: 'yes', off: 'no' })
  // @ts-expect-error a slider gives numbers
  slider(m.mode, { min: 0, max: 9 })
  // @ts-expect-error nobody types a picture
  field(m.photo)
})
