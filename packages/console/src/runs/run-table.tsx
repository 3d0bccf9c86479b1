/** Rows of runs: elements only for those on the screen, whatever their number. */
import type { RunSummary } from '@flow-service/client-sdk'
import type { RefObject } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'

import { ago, counted, duration, number, oneLine, shortId } from '../format.ts'
import { now } from '../live/clock.ts'
import { Status } from '../parts/status.tsx'
import { say } from '../parts/toast.tsx'
import { go, query, setQuery } from '../router.ts'
import { MOST_COMPARED } from './chosen.tsx'
import type { Column } from './columns.ts'

const ROW = 34
/** Of a number: what does not fit beside its neighbours. */
const MOST_DIGITS = 12
/** Rows beside those that are seen, on each side. */
const MORE = 4

interface RunTableProps {
  /** Undefined for one that is on its way. */
  readonly runAt: (place: number) => RunSummary | undefined
  readonly total: number
  readonly columns: readonly Column[]
  readonly chosen: ReadonlySet<string>
  readonly choose: (chosen: ReadonlySet<string>) => void
  /** These places are looked at. */
  readonly look: (from: number, to: number) => void
}

export function RunTable({ runAt, total, columns, chosen, choose, look }: RunTableProps) {
  const box = useRef<HTMLDivElement>(null)
  /** Where the last row was chosen: from there on, up to the next, with the shift key. */
  const anchor = useRef(0)
  const seen = useSeen(box)
  const [at, setAt] = useState(0)
  // always as many rows, so that each keeps its element while it is on the screen
  const count = Math.min(total, Math.ceil(seen.height / ROW) + 1 + 2 * MORE)
  const from = Math.max(0, Math.min(total - count, Math.floor(seen.top / ROW) - MORE))
  useEffect(() => look(from, from + count), [from, count, look])
  const flip = (place: number, isRange: boolean): void => {
    const id = runAt(place)?.id
    if (id === undefined) return
    const next = new Set(chosen)
    if (isRange) {
      const ids = idsBetween(anchor.current, place, runAt)
      for (const one of ids) next.add(one)
      const missing = Math.abs(anchor.current - place) + 1 - ids.length
      if (missing > 0)
        say(`${counted(missing, 'run')} between them not chosen: scroll there first, so that they are read.`)
    } else if (!next.delete(id)) next.add(id)
    anchor.current = place
    choose(next)
  }
  const move = (step: number): void => {
    const next = Math.max(0, Math.min(total - 1, at + step))
    setAt(next)
    const { current } = box
    if (!current) return
    if (next * ROW < current.scrollTop) current.scrollTop = next * ROW
    else if ((next + 2) * ROW > current.scrollTop + current.clientHeight)
      current.scrollTop = (next + 2) * ROW - current.clientHeight
  }
  const hear = (event: KeyboardEvent): void => {
    if (event.target !== event.currentTarget) return
    const run = runAt(at)
    if (event.key === 'j' || event.key === 'ArrowDown') move(1)
    else if (event.key === 'k' || event.key === 'ArrowUp') move(-1)
    else if (event.key === 'Home') move(-total)
    else if (event.key === 'End') move(total)
    else if (event.key === 'x' || event.key === 'X') flip(at, event.shiftKey)
    else if (event.key === 'Enter' && run) go(`/runs/${run.id}`)
    else return
    event.preventDefault()
  }
  const template = `34px 104px 84px minmax(96px, 1.4fr) ${columns.map(() => 'minmax(84px, 1fr)').join(' ')} 92px 108px`
  return (
    <div class="table" role="grid" aria-label="Runs" aria-rowcount={total + 1} tabIndex={0} ref={box} onKeyDown={hear}>
      <div class="row headrow" role="row" aria-rowindex={1} ref={laidOut(template)}>
        <span role="columnheader">
          <ChooseFirst count={Math.min(total, MOST_COMPARED)} runAt={runAt} chosen={chosen} choose={choose} />
        </span>
        <Head field="status" title="Status" />
        <span role="columnheader">Run</span>
        <Head field="flow" title="Flow" />
        {columns.map(({ field, title, isNumber }) => (
          <Head key={field} field={field} title={title} isNumber={isNumber} />
        ))}
        <Head field="duration_s" title="Duration" isNumber />
        <Head field="created_at" title="Submitted" isNumber />
      </div>
      <div class="rows" role="rowgroup" ref={ofHeight(total * ROW)}>
        {Array.from({ length: count }, (_, index) => {
          const place = from + index
          const run = runAt(place)
          return (
            <Row
              // a row that leaves the screen becomes the one that enters: scrolling makes no elements
              key={place % count}
              run={run}
              place={place}
              columns={columns}
              template={template}
              isChosen={run !== undefined && chosen.has(run.id)}
              isHere={place === at}
              flip={flip}
            />
          )
        })}
      </div>
    </div>
  )
}

interface ChooseFirstProps extends Pick<RunTableProps, 'runAt' | 'chosen' | 'choose'> {
  readonly count: number
}

/** Chooses as many runs as can be compared, and none where some are chosen. */
function ChooseFirst({ count, runAt, chosen, choose }: ChooseFirstProps) {
  const label = `Choose the first ${number(count)}`
  const isAny = chosen.size > 0
  return (
    <input
      type="checkbox"
      aria-label={label}
      title={isAny ? 'Choose none' : label}
      checked={isAny && chosen.size >= count}
      ref={(input) => {
        if (input) input.indeterminate = isAny && chosen.size < count
      }}
      onClick={() => choose(new Set(isAny ? [] : idsBetween(0, count - 1, runAt)))}
    />
  )
}

/** What of a box is on the screen, as it is scrolled. */
function useSeen(box: RefObject<HTMLElement | null>) {
  const [seen, setSeen] = useState({ top: 0, height: 600 })
  useLayoutEffect(() => {
    const { current } = box
    if (!current) return
    const measure = (): void => setSeen({ top: current.scrollTop, height: current.clientHeight })
    const watch = new ResizeObserver(measure)
    watch.observe(current)
    current.addEventListener('scroll', measure, { passive: true })
    return () => {
      watch.disconnect()
      current.removeEventListener('scroll', measure)
    }
  }, [])
  return seen
}

/** Of the runs from one place to another that are there. */
function idsBetween(one: number, other: number, runAt: RunTableProps['runAt']): string[] {
  const from = Math.min(one, other)
  return Array.from({ length: Math.abs(one - other) + 1 }, (_, at) => runAt(from + at)?.id ?? []).flat()
}

/** Sets what the page's policy lets no markup set. */
const laidOut =
  (template: string, top?: number) =>
  (element: HTMLElement | null): void => {
    if (!element) return
    element.style.gridTemplateColumns = template
    if (top !== undefined) element.style.transform = `translateY(${top}px)`
  }

const ofHeight =
  (height: number) =>
  (element: HTMLElement | null): void => {
    if (element) element.style.height = `${height}px`
  }

function Head({ field, title, isNumber = false }: { field: string; title: string; isNumber?: boolean }) {
  const sort = query.value.get('sort') ?? '-created_at'
  const order = sort === field ? 'ascending' : sort === `-${field}` ? 'descending' : undefined
  // numbers are looked at from the greatest on
  const next = order === undefined ? (isNumber ? `-${field}` : field) : order === 'ascending' ? `-${field}` : field
  return (
    <span role="columnheader" aria-sort={order ?? 'none'} class={isNumber ? 'num' : ''}>
      <button class="bare" title={field} onClick={() => setQuery({ sort: next === '-created_at' ? null : next })}>
        {title}
        {order === undefined ? '' : order === 'ascending' ? ' ↑' : ' ↓'}
      </button>
    </span>
  )
}

interface RowProps {
  /** Undefined while it is on its way. */
  readonly run: RunSummary | undefined
  readonly place: number
  readonly columns: readonly Column[]
  readonly template: string
  readonly isChosen: boolean
  readonly isHere: boolean
  readonly flip: (place: number, isRange: boolean) => void
}

function Row({ run, place, columns, template, isChosen, isHere, flip }: RowProps) {
  const time = now.value
  const kept = useRef(flip)
  kept.current = flip
  // a row of which nothing has changed is passed over whole
  return useMemo(
    () => (
      <div
        class={isHere ? 'row here' : 'row'}
        role="row"
        aria-rowindex={place + 2}
        aria-selected={isChosen}
        ref={laidOut(template, place * ROW)}
      >
        {run === undefined ? (
          <span class="cell hint" role="gridcell">
            …
          </span>
        ) : (
          <>
            <span class="cell" role="gridcell">
              <input
                type="checkbox"
                checked={isChosen}
                aria-label={`Choose run ${shortId(run.id)}`}
                onClick={(event) => kept.current(place, event.shiftKey)}
              />
            </span>
            <span class="cell" role="gridcell">
              <Status is={run.status} isWord />
            </span>
            <span class="cell" role="gridcell">
              <a href={`#/runs/${run.id}`}>
                <code>{shortId(run.id)}</code>
              </a>
            </span>
            <span class="cell text" role="gridcell">
              {run.flow}
            </span>
            {columns.map(({ field, valueOf, isNumber }) => (
              <span key={field} class={isNumber ? 'cell num' : 'cell text'} role="gridcell">
                {oneLine(valueOf(run) ?? '', isNumber ? MOST_DIGITS : undefined)}
              </span>
            ))}
            <span class="cell num" role="gridcell">
              {duration(run.duration_s)}
            </span>
            <span class="cell num" role="gridcell" title={run.created_at}>
              {ago(run.created_at, time)}
            </span>
          </>
        )}
      </div>
    ),
    [run, place, columns, template, isChosen, isHere, time],
  )
}
