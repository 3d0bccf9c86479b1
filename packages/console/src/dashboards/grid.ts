/** The rules of the grid of a dashboard: where a widget fits, and what moving or resizing one does to the others. */
import type { DashboardContentOutput, Message, WidgetOutput } from '@flow-service/client-sdk'

export type WidgetType = WidgetOutput['type']

/** Where a widget is, and how large. */
export type Box = Pick<WidgetOutput, 'x' | 'y' | 'w' | 'h'>

/** The size that a new widget has, and the least that it is of use in. */
const sizes: Readonly<Record<WidgetType, { readonly w: number; readonly h: number }>> = {
  value: { w: 3, h: 2 },
  gauge: { w: 3, h: 3 },
  chart: { w: 6, h: 4 },
  table: { w: 6, h: 4 },
  image: { w: 4, h: 4 },
  text: { w: 4, h: 2 },
  button: { w: 2, h: 2 },
  switch: { w: 2, h: 2 },
  slider: { w: 3, h: 2 },
  input: { w: 3, h: 2 },
}

export const widgetTypes = Object.keys(sizes) as readonly WidgetType[]

export const isOver = (a: Box, b: Box): boolean =>
  a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h

/** Within the columns, at least one column and row large. */
export function bounded({ x, y, w, h }: Box, columns: number): Box {
  const width = Math.max(1, Math.min(columns, w))
  return { x: Math.max(0, Math.min(columns - width, x)), y: Math.max(0, y), w: width, h: Math.max(1, h) }
}

/** The widget there; those that it would cover go down, and what they would cover too. */
export function placed(content: DashboardContentOutput, id: string, to: Box): DashboardContentOutput {
  const box = bounded(to, content.columns)
  const others = content.widgets.filter((widget) => widget.id !== id).toSorted((a, b) => a.y - b.y || a.x - b.x)
  const fixed = new Map<string, Box>([[id, box]])
  for (const { id: other, x, y, w, h } of others) {
    let here: Box = { x, y, w, h }
    for (;;) {
      const below = [...fixed.values()].filter((one) => isOver(one, here))
      if (below.length === 0) break
      here = { ...here, y: Math.max(...below.map((one) => one.y + one.h)) }
    }
    fixed.set(other, here)
  }
  return { ...content, widgets: content.widgets.map((widget) => ({ ...widget, ...fixed.get(widget.id) })) }
}

/** The first free place for so large a widget, from above. */
export function freePlace({ columns, widgets }: DashboardContentOutput, w: number, h: number): Box {
  const width = Math.min(columns, w)
  for (let y = 0; ; y += 1) {
    for (let x = 0; x + width <= columns; x += 1) {
      const box = { x, y, w: width, h }
      if (!widgets.some((widget) => isOver(widget, box))) return box
    }
  }
}

/** A new widget of a type at the first free place. */
export function added(
  content: DashboardContentOutput,
  type: WidgetType,
): { readonly content: DashboardContentOutput; readonly id: string } {
  const ids = new Set(content.widgets.map(({ id }) => id))
  let count = 1
  while (ids.has(`${type}_${count}`)) count += 1
  const id = `${type}_${count}`
  const widget = newWidget(type, id, freePlace(content, sizes[type].w, sizes[type].h))
  return { content: { ...content, widgets: [...content.widgets, widget] }, id }
}

function newWidget(type: WidgetType, id: string, box: Box): WidgetOutput {
  const common = { id, title: '', binding: null, source: null, ...box }
  switch (type) {
    case 'value':
    case 'chart':
    case 'image':
    case 'input':
      return { ...common, type, options: {} }
    case 'gauge':
      return { ...common, type, options: { min: 0, max: 100 } }
    case 'table':
      return { ...common, type, options: { limit: 50 } }
    case 'text':
      return { ...common, type, options: { markdown: 'A text, in **Markdown**.' } }
    case 'button':
      return { ...common, type, options: { value: true } }
    case 'switch':
      return { ...common, type, options: { on: true, off: false } }
    case 'slider':
      return { ...common, type, options: { min: 0, max: 100, step: 1 } }
  }
}

/** A dashboard of messages: numbers over time with their newest value, truths and texts as values. */
export function ofMessages(messages: readonly Message[]): DashboardContentOutput {
  const columns = 12
  const widgets = messages.flatMap(({ name, message, dtype }) => {
    const isNumber = dtype === 'float' || dtype === 'int'
    const binding = { message: name }
    return [
      { ...newWidget('value', `${message}_value`, { x: 0, y: 0, ...sizes.value }), title: message, binding },
      ...(isNumber
        ? [
            {
              ...newWidget('chart', `${message}_chart`, { x: 0, y: 0, ...sizes.chart }),
              title: `${message} over time`,
              binding,
            },
          ]
        : []),
    ]
  })
  const ordered = [...widgets.filter(({ type }) => type === 'value'), ...widgets.filter(({ type }) => type === 'chart')]
  const empty: DashboardContentOutput = { columns, widgets: [] }
  return ordered.reduce(
    (content, widget) => ({
      ...content,
      widgets: [...content.widgets, { ...widget, ...freePlace(content, widget.w, widget.h) }],
    }),
    empty,
  )
}
