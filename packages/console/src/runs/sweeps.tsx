/** Sweeps in place of runs: a row each, with what came of its runs; it opens to them. Read from the newest on, on demand. */
import type { RunSummary } from '@flow-service/client-sdk'
import { useEffect, useMemo, useState } from 'preact/hooks'

import { answerOf, Problem } from '../api/call.ts'
import { ago, counted, duration, number, oneLine, shortId } from '../format.ts'
import { now } from '../live/clock.ts'
import { follow } from '../live/events.ts'
import { onReturn } from '../live/link.ts'
import { Outcomes } from '../parts/outcomes.tsx'
import { Empty, Loading, Refused } from '../parts/states.tsx'
import { Status } from '../parts/status.tsx'
import { query, setQuery } from '../router.ts'
import { MOST_COMPARED } from './chosen.tsx'
import { BySweep, Filter } from './list-tools.tsx'
import { changed } from './run-pages.ts'
import { extremesOf, outcomesOf, type Sweep, sweepsOf, varied } from './sweeps.ts'
import { ViewMenu } from './view-menu.tsx'

/** Read at once. */
const PAGE = 500
/** Of an opened sweep; its own list has all of them. */
const MOST_RUNS = 25

interface Known {
  readonly runs: readonly RunSummary[]
  /** Where older ones are; null where there are none. */
  readonly next: string | null
  readonly isRead: boolean
  readonly problem: Problem | null
}

const nothing: Known = { runs: [], next: null, isRead: false, problem: null }

export function Sweeps() {
  const shown = query.value
  const { known, newer, again, more } = useRuns(firstPath(shown))
  const { runs, next, isRead, problem } = known
  const sweeps = useMemo(() => sweepsOf(runs, next === null), [runs, next])
  const metrics = useMemo(
    () => [...new Set(runs.flatMap(({ metrics: own }) => Object.keys(own ?? {})))].toSorted(),
    [runs],
  )
  const metric = metrics.find((name) => name === shown.get('metric')) ?? metrics[0] ?? null
  return (
    <div class="page">
      <header class="head">
        <h1>Runs</h1>
        <small role="status">
          {isRead ? `${counted(sweeps.length, 'sweep')}${next === null ? '' : ' among the newest runs'}` : ''}
        </small>
        <BySweep />
        <span class="grow" />
        <a class="button primary" href="#/runs/new">
          New run
        </a>
      </header>
      <div class="tools">
        <Filter />
        {metric === null ? null : (
          <label class="choice">
            Metric{' '}
            <select value={metric} onChange={(event) => setQuery({ metric: event.currentTarget.value })}>
              {metrics.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </label>
        )}
        <span class="grow" />
        <ViewMenu />
      </div>
      {newer === 0 ? null : (
        <button class="newer" onClick={again}>
          {counted(newer, 'newer run')}: show them
        </button>
      )}
      {problem ? <Refused problem={problem} again={again} /> : null}
      {!isRead && !problem ? <Loading /> : null}
      {isRead && sweeps.length === 0 ? (
        <Empty title={shown.has('filter') ? 'No sweep fits' : 'No sweeps yet'}>
          Several values of a field of a <a href="#/runs/new">new run</a> are a sweep: a run for each combination.
        </Empty>
      ) : null}
      {sweeps.length === 0 ? null : <Table of={sweeps} metric={metric} />}
      {next === null ? null : (
        <p class="more">
          <button onClick={more}>Look at older runs</button>{' '}
          <small>These are of the newest {number(runs.length)} runs that are part of a sweep.</small>
        </p>
      )}
    </div>
  )
}

function firstPath(shown: URLSearchParams): string {
  const filter = [shown.get('filter'), 'group_id=*'].filter(Boolean).join(' ')
  const asked = new URLSearchParams({ filter, limit: String(PAGE), include: 'params,metrics' })
  for (const name of ['flow', 'status', 'archived']) {
    const value = shown.get(name)
    if (value) asked.set(name, value)
  }
  return `/runs?${asked}`
}

/** The runs of sweeps as far as they are read; those that are shown change by themselves. */
function useRuns(first: string) {
  const [known, setKnown] = useState(nothing)
  const [newer, setNewer] = useState<ReadonlySet<string>>(new Set())
  const [round, setRound] = useState(0)
  const read = async (path: string, before: readonly RunSummary[], isOver: () => boolean): Promise<void> => {
    try {
      const answer = await answerOf('GET', path)
      // the address in the header is that of clients outside; its query is what counts
      const link = /<[^>]*\/runs\?([^>]*)>; rel="next"/.exec(answer.headers.get('link') ?? '')
      const runs = [...before, ...((await answer.json()) as RunSummary[])]
      if (!isOver()) setKnown({ runs, next: link ? `/runs?${link[1]}` : null, isRead: true, problem: null })
    } catch (error) {
      const problem = error instanceof Problem ? error : new Problem(0, 'unknown', String(error))
      if (!isOver()) setKnown((was) => ({ ...was, problem }))
    }
  }
  useEffect(() => {
    let isOver = false
    setNewer(new Set())
    void read(first, [], () => isOver)
    return () => {
      isOver = true
    }
  }, [first, round])
  const again = (): void => setRound((count) => count + 1)
  useEffect(() => onReturn(again), [])
  useEffect(
    () =>
      follow({ kinds: ['run'] }, (frames) => {
        const told = new Map(frames.flatMap((frame) => (frame.type === 'run' ? [[frame.run.id, frame.run]] : [])))
        if (told.size === 0) return
        setKnown((was) => {
          const runs = changed(was.runs, told)
          const since = was.runs[0]?.created_at ?? ''
          const others = [...told.values()].filter((run) => run.group_id !== null && run.created_at > since)
          if (others.length > 0) setNewer((seen) => new Set([...seen, ...others.map(({ id }) => id)]))
          return { ...was, runs }
        })
      }),
    [first],
  )
  return {
    known,
    newer: newer.size,
    again,
    more: () => void read(known.next ?? first, known.runs, () => false),
  }
}

const Table = ({ of: sweeps, metric }: { of: readonly Sweep[]; metric: string | null }) => (
  // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls has to be reached by keys
  <div class="sheet sweeps" role="region" aria-label="Sweeps" tabIndex={0}>
    <table>
      <thead>
        <tr>
          <th scope="col">Sweep</th>
          <th scope="col">Flow</th>
          <th scope="col" class="num">
            Runs
          </th>
          <th scope="col">Outcomes</th>
          <th scope="col">Searches over</th>
          {metric === null ? null : (
            <>
              <th scope="col" class="num">
                Min
              </th>
              <th scope="col" class="num">
                Max
              </th>
              <th scope="col" class="num">
                Last
              </th>
            </>
          )}
          <th scope="col" class="num">
            Submitted
          </th>
          <th scope="col">
            <span class="unseen">Actions</span>
          </th>
        </tr>
      </thead>
      {sweeps.map((sweep) => (
        <Rows key={sweep.id} sweep={sweep} metric={metric} />
      ))}
    </table>
  </div>
)

function Rows({ sweep: { id, flow, runs, isCut }, metric }: { sweep: Sweep; metric: string | null }) {
  const isOpen = query.value.get('open') === id
  const outcomes = outcomesOf(runs)
  const extremes = metric === null ? null : extremesOf(runs, metric)
  const first = runs.at(-1)?.created_at ?? ''
  const compared = runs.slice(0, MOST_COMPARED).map((run) => run.id)
  return (
    <tbody>
      <tr>
        <th scope="row">
          <button
            class="bare opens"
            aria-expanded={isOpen}
            aria-label={`Runs of the sweep ${shortId(id)}`}
            onClick={() => setQuery({ open: isOpen ? null : id })}
          >
            {isOpen ? '▾' : '▸'} <code>{shortId(id)}</code>
          </button>
        </th>
        <td>{flow}</td>
        <td class="num">
          {number(runs.length)}
          {isCut ? ' or more' : ''}
        </td>
        <td>
          <span class="outcomes">
            <Outcomes of={outcomes} />
            <small>{inWords(outcomes)}</small>
          </span>
        </td>
        <td class="names">{varied(runs).join(', ')}</td>
        {metric === null ? null : (
          <>
            <td class="num">{extremes === null ? '' : number(extremes.least)}</td>
            <td class="num">{extremes === null ? '' : number(extremes.greatest)}</td>
            <td class="num">{extremes === null ? '' : number(extremes.last)}</td>
          </>
        )}
        <td class="num" title={first}>
          {ago(first, now.value)}
        </td>
        <td>
          <a href={`#/runs?group=${id}`} aria-label={`All runs of the sweep ${shortId(id)}`}>
            All runs
          </a>{' '}
          {compared.length > 1 ? (
            <a href={`#/compare?${new URLSearchParams({ ids: compared.join() })}`}>
              Compare{runs.length > MOST_COMPARED ? ` ${MOST_COMPARED}` : ''}
            </a>
          ) : null}
        </td>
      </tr>
      {isOpen ? <Members runs={runs} metric={metric} /> : null}
    </tbody>
  )
}

function inWords({ ok, error, cancelled, abandoned, total }: ReturnType<typeof outcomesOf>): string {
  const others = total - ok - error - cancelled - abandoned
  return [
    `${number(ok)} ok`,
    ...(error > 0 ? [`${number(error)} failed`] : []),
    ...(cancelled + abandoned > 0 ? [`${number(cancelled + abandoned)} ended early`] : []),
    ...(others > 0 ? [`${number(others)} to come`] : []),
  ].join(', ')
}

/** The newest runs of an opened sweep, by what they differ in. */
function Members({ runs, metric }: { runs: readonly RunSummary[]; metric: string | null }) {
  const names = varied(runs)
  return (
    <>
      {runs.slice(0, MOST_RUNS).map((run) => (
        <tr key={run.id} class="member">
          <td>
            <a href={`#/runs/${run.id}`}>
              <code>{shortId(run.id)}</code>
            </a>
          </td>
          <td>
            <Status is={run.status} isWord />
          </td>
          <td class="num">{run.seed === null ? '' : `seed ${number(run.seed)}`}</td>
          <td colSpan={2} class="names">
            {names.map((name) => `${name} ${oneLine(run.params?.[name] ?? null, 40)}`).join(' · ')}
          </td>
          {metric === null ? null : (
            <td class="num" colSpan={3}>
              {oneLine(run.metrics?.[metric]?.last ?? '')}
            </td>
          )}
          <td class="num">{duration(run.duration_s)}</td>
          <td />
        </tr>
      ))}
    </>
  )
}
