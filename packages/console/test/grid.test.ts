/** The rules of the grid of a dashboard: nothing covers anything else, whatever is moved where. */
import type { DashboardContentOutput, Message } from '@flow-service/client-sdk'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { added, bounded, freePlace, isOver, ofMessages, placed, widgetTypes } from '../src/dashboards/grid.ts'

const empty: DashboardContentOutput = { columns: 12, widgets: [] }
const covered = ({ widgets }: DashboardContentOutput): string[] =>
  widgets.flatMap((a, at) => widgets.slice(at + 1).flatMap((b) => (isOver(a, b) ? [`${a.id} ${b.id}`] : [])))
const isInside = ({ columns, widgets }: DashboardContentOutput): boolean =>
  widgets.every(({ x, y, w, h }) => x >= 0 && y >= 0 && w >= 1 && h >= 1 && x + w <= columns)

describe('a widget', () => {
  test('of each type finds a free place, with an id that none has', () => {
    const content = [...widgetTypes, ...widgetTypes].reduce((known, type) => added(known, type).content, empty)
    expect(content.widgets).toHaveLength(2 * widgetTypes.length)
    expect(new Set(content.widgets.map(({ id }) => id)).size).toBe(content.widgets.length)
    expect([covered(content), isInside(content)]).toEqual([[], true])
  })

  test('that is put on others moves them down, and keeps its own place', () => {
    const content = added(added(empty, 'chart').content, 'table').content
    const moved = placed(content, 'table_1', { x: 3, y: 1, w: 6, h: 4 })
    expect(moved.widgets.map(({ id, x, y }) => [id, x, y])).toEqual([
      ['chart_1', 0, 5],
      ['table_1', 3, 1],
    ])
  })

  test('is never outside the columns, and has a column and a row at least', () => {
    expect(bounded({ x: -3, y: -1, w: 0, h: 0 }, 12)).toEqual({ x: 0, y: 0, w: 1, h: 1 })
    expect(bounded({ x: 11, y: 2, w: 30, h: 2 }, 12)).toEqual({ x: 0, y: 2, w: 12, h: 2 })
    expect(freePlace({ columns: 2, widgets: [] }, 6, 4)).toEqual({ x: 0, y: 0, w: 2, h: 4 })
  })

  test('may be put anywhere, again and again, and nothing covers anything', () => {
    const step = fc.record({
      at: fc.nat(7),
      x: fc.integer({ min: -4, max: 16 }),
      y: fc.integer({ min: -2, max: 12 }),
      w: fc.integer({ min: -1, max: 14 }),
      h: fc.integer({ min: -1, max: 6 }),
    })
    const first = widgetTypes.slice(0, 8).reduce((known, type) => added(known, type).content, empty)
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 12 }), (steps) => {
        const content = steps.reduce((known, { at, ...box }) => placed(known, first.widgets[at]?.id ?? '', box), first)
        expect([covered(content), isInside(content), content.widgets.length]).toEqual([[], true, 8])
      }),
    )
  })
})

test('a board of messages has values above their curves', () => {
  const message = (name: string, dtype: Message['dtype']): Message => ({
    name: `hall.${name}`,
    flow: 'hall',
    message: name,
    dtype,
    stream: false,
    value: null,
    ts: null,
    sources: [],
    readers: [],
  })
  const content = ofMessages([message('temp', 'float'), message('word', 'str'), message('count', 'int')])
  expect(content.widgets.map(({ id, type, binding }) => [id, type, binding?.message])).toEqual([
    ['temp_value', 'value', 'hall.temp'],
    ['word_value', 'value', 'hall.word'],
    ['count_value', 'value', 'hall.count'],
    ['temp_chart', 'chart', 'hall.temp'],
    ['count_chart', 'chart', 'hall.count'],
  ])
  expect([covered(content), isInside(content)]).toEqual([[], true])
})
