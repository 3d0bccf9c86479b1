/**
 * The dashboard of what a batch flow draws and returns: a chart for each numeric streaming port over the newest runs, and a
 * widget for each output, of the newest run.
 * @module
 */
import {
  type DashboardCreate,
  dashboardCreateSchema,
  type Dtype,
  type FlowDocument,
  MAX_WIDGETS,
  placedInRows,
  type Port,
  qualify,
  type WidgetInput,
} from '@flow-service/protocol'

/** Runs that a chart compares. */
const COMPARED_RUNS = 5
const COLUMNS = 12

type Unplaced = WidgetInput extends infer W ? (W extends unknown ? Omit<W, 'x' | 'y'> : never) : never

/** What such a dashboard shows; `dtypeOf` tells what a message of the flow carries. */
export function resultsDashboard(
  { name: flow, title, nodes, outputs }: FlowDocument,
  dtypeOf: (message: string) => Dtype | undefined,
): DashboardCreate {
  const streams = nodes.flatMap(({ ports }) => ports).filter(isNumericStream)
  const newest = (latest: number, metrics: string[]) => ({ kind: 'runs' as const, select: { latest, flow }, metrics })
  const charts = [...new Set(streams.map(({ message }) => message))].map((message, at): Unplaced => {
    const source = newest(COMPARED_RUNS, [message])
    return { id: `curve-${at + 1}`, type: 'chart', title: message.slice(flow.length + 1), w: 6, h: 4, source }
  })
  const results = outputs.map((output, at): Unplaced => {
    const message = qualify(flow, output.name)
    const shown = { title: output.port ?? output.name, binding: { message }, source: newest(1, []) }
    return { id: `result-${at + 1}`, ...shown, ...shapeOf(dtypeOf(message)) }
  })
  const widgets = [...charts, ...results].slice(0, MAX_WIDGETS)
  const places = placedInRows(COLUMNS, widgets)
  const placed = widgets.map((widget, at) => ({ ...widget, ...(places[at] ?? { x: 0, y: 0 }) }))
  const called = `Results of ${title === '' ? flow : title}`.slice(0, 200).toWellFormed()
  return dashboardCreateSchema.parse({ title: called, content: { columns: COLUMNS, widgets: placed } })
}

const isNumericStream = ({ direction, stream, dtype }: Port): boolean =>
  direction === 'output' && stream && (dtype === 'float' || dtype === 'int')

/** How an output of a dtype is shown. */
function shapeOf(dtype: Dtype | undefined) {
  if (dtype === 'image') return { type: 'image', w: 6, h: 4 } as const
  if (dtype === 'object' || dtype === 'array') return { type: 'table', w: 6, h: 4 } as const
  return { type: 'value', w: 3, h: 2 } as const
}
