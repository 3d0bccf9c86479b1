/** Rows: of a message that is a list or an object, or of runs with their results. */
import { ago, oneLine, shortId } from '../format.ts'
import { now as clockNow } from '../live/clock.ts'
import { Sheet, type SheetColumn } from '../parts/sheet.tsx'
import { Loading } from '../parts/states.tsx'
import { Status } from '../parts/status.tsx'
import { useNewest, type WidgetProps } from './newest.ts'
import { type ShownRun, useRuns } from './runs-of.ts'

export function TableWidget(props: WidgetProps<'table'>) {
  const { source } = props.widget
  return source?.kind === 'runs' && props.widget.binding === null ? <OfRuns {...props} /> : <OfMessage {...props} />
}

function OfRuns({ widget: { title, source, options }, now }: WidgetProps<'table'>) {
  const { data, fault } = useRuns(source?.kind === 'runs' ? source : null, now)
  if (data === null) return fault === null ? <Loading /> : <p class="hint">{fault}</p>
  const last = new Map(data.curves.map(({ run, metric, y }) => [`${run} ${metric}`, y.at(-1)]))
  const metrics = [...new Set(data.curves.map(({ metric }) => metric))]
  const results = [...new Set(data.runs.flatMap((run) => Object.keys(run.results)))]
  const names = options.columns ?? (metrics.length > 0 ? metrics : results)
  const columns: readonly SheetColumn<ShownRun>[] = [
    {
      title: 'Run',
      show: ({ id }) => (
        <a href={`#/runs/${id}`}>
          <code>{shortId(id)}</code>
        </a>
      ),
    },
    { title: 'Status', show: ({ status }) => <Status is={status} isWord /> },
    ...names.map((name) => ({
      title: name,
      is: 'num' as const,
      show: (run: ShownRun) => oneLine(last.get(`${run.id} ${name}`) ?? run.results[name] ?? '', 60),
    })),
    { title: 'Submitted', is: 'num', show: ({ created_at: ts }) => <span title={ts}>{ago(ts, clockNow.value)}</span> },
  ]
  return data.runs.length === 0 ? (
    <p class="hint">no runs yet</p>
  ) : (
    <Sheet
      name={`Runs of ${title || 'the widget'}`}
      columns={columns}
      rows={data.runs.slice(0, options.limit)}
      keyOf={({ id }) => id}
    />
  )
}

type Row = readonly [key: string, cells: Readonly<Record<string, unknown>>]

function OfMessage(props: WidgetProps<'table'>) {
  const value = useNewest(props)
  const { title, options } = props.widget
  if (value === undefined) return <p class="hint">no value yet</p>
  const rows = rowsOf(value).slice(0, options.limit)
  const names = options.columns ?? [...new Set(rows.flatMap(([, cells]) => Object.keys(cells)))]
  if (rows.length === 0) return <p class="hint">no rows</p>
  return (
    <Sheet<Row>
      name={`Rows of ${title || 'the widget'}`}
      columns={names.map((name) => ({ title: name, is: 'wrap', show: ([, cells]) => oneLine(cells[name] ?? '', 200) }))}
      rows={rows}
      keyOf={([key]) => key}
    />
  )
}

/** A list of objects has a row each, an object one for each of its keys, anything else one row. */
function rowsOf(value: unknown): readonly Row[] {
  if (Array.isArray(value)) return value.map((one: unknown, at) => [String(at), isObject(one) ? one : { value: one }])
  if (isObject(value)) return Object.entries(value).map(([name, one]) => [name, { name, value: one }])
  return [['', { value }]]
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
