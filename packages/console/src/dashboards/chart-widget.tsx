/** Values of messages over time, or curves of runs. */
import type { MessageHistoryEntry } from '@flow-service/client-sdk'
import type { ComponentChildren } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'

import { get, Problem } from '../api/call.ts'
import { clock, duration, number, shortId } from '../format.ts'
import { Chart } from '../parts/chart/chart.tsx'
import { coloursOf } from '../parts/chart/colours.ts'
import { type Series, smoothed } from '../parts/chart/series.ts'
import { Swatch } from '../parts/chart/swatch.tsx'
import { Loading } from '../parts/states.tsx'
import { theme } from '../theme.ts'
import { type BoardNow, messagesOf } from './live.ts'
import type { WidgetProps } from './newest.ts'
import { useRuns } from './runs-of.ts'

export function ChartWidget(props: WidgetProps<'chart'>) {
  const { source } = props.widget
  return source?.kind === 'runs' ? <OfRuns {...props} /> : <OfMessages {...props} />
}

/** Columns of one curve before they have a colour. */
interface Columns {
  readonly key: string
  readonly name: string
  readonly xs: readonly number[]
  readonly ys: readonly number[]
}

function useSeries(columns: readonly Columns[], smoothing: number): readonly Series[] {
  return useMemo(() => {
    const last = new Map(columns.map(({ key, ys }) => [key, ys.at(-1) ?? Number.NaN]))
    const colours = coloursOf(
      columns.map(({ key }) => key),
      (key) => last.get(key) ?? Number.NaN,
      theme.value,
    )
    return columns.map(({ key, name, xs, ys }) => {
      const values = Float64Array.from(ys)
      return {
        key,
        name,
        colour: colours.get(key) ?? 'currentColor',
        xs: Float64Array.from(xs),
        ys: smoothed(values, smoothing),
        ...(smoothing > 0 ? { raw: values } : {}),
      }
    })
  }, [columns, smoothing, theme.value])
}

function OfRuns({ widget: { title, source, options }, now }: WidgetProps<'chart'>) {
  const runs = source?.kind === 'runs' ? source : null
  const { data, fault } = useRuns(runs, now)
  const columns = useMemo<readonly Columns[]>(
    () =>
      (data?.curves ?? [])
        .filter(({ count }) => count > 0)
        .map(({ run, metric, x, y }) => ({
          key: `${run} ${metric}`,
          name: (runs?.metrics.length ?? 0) > 1 ? `${metric} ${shortId(run)}` : shortId(run),
          xs: x.map(Number),
          ys: y.map(Number),
        })),
    [data],
  )
  const series = useSeries(columns, options.smoothing ?? 0)
  if (data === null) return fault === null ? <Loading /> : <p class="hint">{fault}</p>
  if (series.length === 0) return <p class="hint">None of these runs has such a curve.</p>
  return (
    <Named series={series}>
      <Chart
        series={series}
        label={`${title || 'Curves of runs'}: ${series.length} curves`}
        isLogX={options.log_x ?? false}
        isLogY={options.log_y ?? false}
        textOfX={runs?.x === 'time' ? duration : number}
        theme={theme.value}
      />
    </Named>
  )
}

/** More names would leave the curves no room. */
const MOST_NAMED = 8

/** A chart with the names of its curves below it, where there are several and they can be told apart. */
const Named = ({ series, children }: { series: readonly Series[]; children: ComponentChildren }) => (
  <div class="named">
    <div class="curves">{children}</div>
    {series.length < 2 || series.length > MOST_NAMED ? null : (
      <ul>
        {series.map(({ key, name, colour }) => (
          <li key={key}>
            <Swatch colour={colour} />
            {name}
          </li>
        ))}
      </ul>
    )}
  </div>
)

/** Values kept of one message; the engine tells no more of a history at once. */
const MOST = 500
/** A span in which seconds do not tell moments apart. */
const SHORT_MS = 10_000
/** The chart is drawn anew at most so often. */
const EVERY_MS = 250

function OfMessages({ widget, now }: WidgetProps<'chart'>) {
  const messages = messagesOf(widget).join()
  const { source, options, title } = widget
  const windowS = source?.kind === 'messages' ? source.window_s : undefined
  const { columns, fault } = useHistory(messages, windowS, now)
  const series = useSeries(columns ?? [], options.smoothing ?? 0)
  if (messages === '') return <p class="hint">Bind it to a message, or to runs.</p>
  if (columns === null) return fault === null ? <Loading /> : <p class="hint">{fault}</p>
  const ends = new Set(series.flatMap(({ xs }) => [xs.at(0), xs.at(-1)]).filter((x) => x !== undefined))
  if (ends.size === 0) return <p class="hint">no numbers yet</p>
  // one moment has no axis
  if (ends.size === 1)
    return <p class="hint">one value so far: {number(series.find(({ ys }) => ys.length > 0)?.ys[0] ?? 0)}</p>
  const isShort = Math.max(...ends) - Math.min(...ends) < SHORT_MS
  return (
    <Named series={series}>
      <Chart
        series={series}
        label={`${title || 'Values over time'}: ${messages}`}
        isLogY={options.log_y ?? false}
        textOfX={(x) => clock(new Date(x).toISOString()).slice(0, isShort ? 10 : 8)}
        theme={theme.value}
      />
    </Named>
  )
}

/** A value that was published; times are as the engine spells them, which have an order. */
interface Point {
  readonly ts: string
  readonly y: number
}

interface History {
  /** Null until they are known. */
  readonly columns: readonly Columns[] | null
  readonly fault: string | null
}

/** The history of messages, and what is published while the dashboard is open. */
function useHistory(messages: string, windowS: number | undefined, now: BoardNow): History {
  const [history, setHistory] = useState<History>({ columns: null, fault: null })
  useEffect(() => {
    if (messages === '') return
    const known = new Map(messages.split(',').map((name): [string, Point[]] => [name, []]))
    let isOver = false
    let timer = 0
    const show = (): void => {
      timer = 0
      const since = windowS === undefined ? -Infinity : Date.now() - windowS * 1000
      setHistory({ columns: [...known].map(([name, points]) => columnsOf(name, points, since)), fault: null })
    }
    const read = async (name: string): Promise<void> => {
      const since = windowS === undefined ? '' : `&since=${new Date(Date.now() - windowS * 1000).toISOString()}`
      const entries = await get<MessageHistoryEntry[]>(
        `/messages/${encodeURIComponent(name)}/history?limit=${MOST}${since}`,
      )
      const old = entries.toReversed().flatMap(({ ts, value: y }) => (typeof y === 'number' ? [{ ts, y }] : []))
      const last = old.at(-1)?.ts ?? ''
      // what came while it was read stays behind it
      known.set(name, [...old, ...(known.get(name) ?? []).filter(({ ts }) => ts > last)])
    }
    const readAll = (): void => {
      Promise.all([...known.keys()].map((name) => read(name).catch(unlessMissing))).then(
        () => {
          if (!isOver) show()
        },
        (error: unknown) => {
          const fault = error instanceof Error ? error.message : String(error)
          if (!isOver) setHistory(({ columns }) => ({ columns, fault }))
        },
      )
    }
    const end = now.listen((frames) => {
      for (const frame of frames) {
        // the socket is there, or there again: what came before that is in the history
        if (frame.type === 'snapshot') readAll()
        if (frame.type !== 'value' || frame.run !== null || typeof frame.value !== 'number') continue
        const points = known.get(frame.message)
        // what the history had already
        if (!points || frame.ts <= (points.at(-1)?.ts ?? '')) continue
        points.push({ ts: frame.ts, y: frame.value })
        if (points.length > 2 * MOST) points.splice(0, MOST)
        if (timer === 0) timer = window.setTimeout(show, EVERY_MS)
      }
    })
    readAll()
    return () => {
      isOver = true
      clearTimeout(timer)
      end()
    }
  }, [messages, windowS, now])
  return history
}

/** A message that is not there yet has no history: its values come when it is. */
function unlessMissing(error: unknown): void {
  if (!(error instanceof Problem && error.status === 404)) throw error
}

function columnsOf(name: string, points: readonly Point[], since: number): Columns {
  const xs = points.map(({ ts }) => Date.parse(ts))
  const from = Math.max(
    0,
    xs.length - MOST,
    xs.findIndex((x) => x >= since),
  )
  return { key: name, name, xs: xs.slice(from), ys: points.slice(from).map(({ y }) => y) }
}
