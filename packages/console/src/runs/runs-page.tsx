/** The area of runs, and the list of them: filtered and sorted by the engine, found by what they were given and what came of them. */
import type { RunSummary } from '@flow-service/client-sdk'
import { useEffect, useMemo, useState } from 'preact/hooks'

import { call, post, type Problem } from '../api/call.ts'
import { counted, number } from '../format.ts'
import { Icon } from '../parts/icon.tsx'
import { Empty, Loading, Refused } from '../parts/states.tsx'
import { Status } from '../parts/status.tsx'
import { path, query, setQuery } from '../router.ts'
import { columnsOf, shownColumns } from './columns.ts'
import { NewRun } from './new-run.tsx'
import { RunPage } from './run-page.tsx'
import { openRunPages, type RunPages } from './run-pages.ts'
import { RunTable } from './run-table.tsx'

import './runs.css'

const statuses = ['queued', 'running', 'ok', 'error', 'cancelled', 'abandoned'] as const
/** Rows of which the columns are told. */
const SAMPLE = 500

/** The list, a new run at `#/runs/new`, and one by its id. */
export function Runs() {
  const id = path.value[1]
  if (id === 'new') return <NewRun />
  return id === undefined ? <RunsPage /> : <RunPage key={id} id={id} />
}

function RunsPage() {
  const asked = askedBy(query.value)
  const pages = useMemo(() => openRunPages(asked), [asked])
  useEffect(() => () => pages.close(), [pages])
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  useEffect(() => setChosen(new Set()), [asked])
  const { runs, total, problem, newer } = pages.list.value
  const all = columnsOf(runs.slice(0, SAMPLE))
  const columns = shownColumns(all, runs.slice(0, SAMPLE), query.value.get('columns'))
  return (
    <div class="page full">
      <header class="head">
        <h1>Runs</h1>
        <small role="status">{total === null ? '' : counted(total, 'run')}</small>
        <span class="grow" />
        {chosen.size === 0 ? (
          <NewRunLink />
        ) : (
          <Actions chosen={chosen} pages={pages} done={() => setChosen(new Set())} />
        )}
      </header>
      <Tools fields={all.map(({ field }) => field)} shown={columns.map(({ field }) => field)} />
      {newer === 0 ? null : (
        <button class="newer" onClick={() => pages.again()}>
          {counted(newer, 'newer run')}: show them
        </button>
      )}
      {problem ? <Refused problem={problem} again={() => pages.again()} /> : null}
      {total === null ? problem ? null : <Loading /> : null}
      {total === 0 ? <None isNarrowed={asked !== ''} /> : null}
      {total === null || total === 0 ? null : (
        <RunTable runs={runs} total={total} columns={columns} chosen={chosen} choose={setChosen} reach={pages.reach} />
      )}
    </div>
  )
}

const NewRunLink = () => {
  const flow = query.value.get('flow')
  return (
    <a class="button primary" href={`#/runs/new${flow ? `?${new URLSearchParams({ flow })}` : ''}`}>
      New run
    </a>
  )
}

/** The query of the engine's list by that of the page. */
function askedBy(shown: URLSearchParams): string {
  const asked = new URLSearchParams()
  for (const name of ['filter', 'flow', 'status', 'sort', 'group', 'archived']) {
    const value = shown.get(name)
    if (value) asked.set(name, value)
  }
  return asked.toString()
}

function Tools({ fields, shown }: { fields: readonly string[]; shown: readonly string[] }) {
  const known = query.value
  const [text, setText] = useState(known.get('filter') ?? '')
  // the address may have changed by itself
  useEffect(() => setText(known.get('filter') ?? ''), [known])
  const wanted = (known.get('status') ?? '').split(',').filter(Boolean)
  const flip = (status: string): void => {
    const next = wanted.includes(status) ? wanted.filter((one) => one !== status) : [...wanted, status]
    setQuery({ status: next.join() })
  }
  return (
    <div class="tools">
      <form
        class="find"
        role="search"
        onSubmit={(event) => {
          event.preventDefault()
          setQuery({ filter: text.trim() })
        }}
      >
        <Icon name="search" />
        <input
          type="search"
          aria-label="Filter"
          placeholder="params.lr<0.01 metrics.acc>0.9 tags=best"
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value)
            if (event.currentTarget.value === '') setQuery({ filter: null })
          }}
        />
      </form>
      {statuses.map((status) => (
        <button key={status} class="chip" aria-pressed={wanted.includes(status)} onClick={() => flip(status)}>
          <Status is={status} isWord />
        </button>
      ))}
      <span class="grow" />
      <details class="columns">
        <summary>Columns</summary>
        <fieldset aria-label="Columns">
          {fields.map((field) => (
            <label key={field}>
              <input
                type="checkbox"
                checked={shown.includes(field)}
                onChange={(event) => {
                  const next = event.currentTarget.checked ? [...shown, field] : shown.filter((one) => one !== field)
                  setQuery({ columns: next.join() || 'none' })
                }}
              />{' '}
              {field}
            </label>
          ))}
          {fields.length === 0 ? <p class="hint">These runs have neither parameters nor curves.</p> : null}
        </fieldset>
      </details>
    </div>
  )
}

const None = ({ isNarrowed }: { isNarrowed: boolean }) =>
  isNarrowed ? (
    <Empty title="No run fits">
      Loosen the filter, or <a href="#/runs">show all runs</a>
    </Empty>
  ) : (
    <Empty title="No runs yet">
      A batch flow runs once for each set of parameters: <code>service run estimate_pi samples=1000</code>
    </Empty>
  )

interface ActionsProps {
  readonly chosen: ReadonlySet<string>
  readonly pages: RunPages
  readonly done: () => void
}

/** What is done with chosen runs; each refusal is told, and the others are done. */
function Actions({ chosen, pages, done }: ActionsProps) {
  const [fault, setFault] = useState<string | null>(null)
  const ids = [...chosen]
  const act = (work: () => Promise<unknown>) => async (): Promise<void> => {
    setFault(null)
    try {
      await work()
      done()
    } catch (problem) {
      setFault((problem as Problem).message)
    } finally {
      pages.again()
    }
  }
  const each = (work: (id: string) => Promise<unknown>) =>
    act(async () => {
      const ended = await Promise.allSettled(ids.map(work))
      const refused = ended.find((one) => one.status === 'rejected')
      if (refused) throw refused.reason as Problem
    })
  return (
    <>
      {fault === null ? null : (
        <p class="fault" role="alert">
          {fault}
        </p>
      )}
      <small>{number(chosen.size)} chosen</small>
      <button onClick={() => void each((id) => post<RunSummary>(`/runs/${id}/retry`))()}>Run again</button>
      <button onClick={() => void each((id) => post<RunSummary>(`/runs/${id}/cancel`))()}>Cancel</button>
      <button onClick={() => void act(() => call('PATCH', '/runs', { ids, archived: true }))()}>Archive</button>
    </>
  )
}
