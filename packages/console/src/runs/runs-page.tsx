/** The area of runs, and the list of them: filtered and sorted by the engine, found by what they were given and what came of them. */
import { useEffect, useMemo, useState } from 'preact/hooks'

import { counted } from '../format.ts'
import { usePageKeys } from '../keys.ts'
import { Empty, Loading, Refused } from '../parts/states.tsx'
import { path, query, setQuery } from '../router.ts'
import { Chosen } from './chosen.tsx'
import { ColumnMenu } from './column-menu.tsx'
import { columnsOf, shownColumns } from './columns.ts'
import { Archived, BySweep, Filter, States } from './list-tools.tsx'
import { NewRun } from './new-run.tsx'
import { RunPage } from './run-page.tsx'
import { runAt, RunPages } from './run-pages.ts'
import { RunTable } from './run-table.tsx'
import { Sweeps } from './sweeps.tsx'
import { ViewMenu } from './view-menu.tsx'

import './runs.css'

/** The list, a new run at `#/runs/new`, and one by its id. */
export function Runs() {
  const id = path.value[1]
  if (id === 'new') return <NewRun />
  if (id !== undefined) return <RunPage key={id} id={id} />
  return query.value.get('by') === 'sweep' ? <Sweeps /> : <RunsPage />
}

const keys = [
  ['j', 'the next run'],
  ['k', 'the run before'],
  ['Home', 'the first run'],
  ['End', 'the last run'],
  ['x', 'choose it, or not'],
  ['Shift+X', 'choose all from the last one that was chosen'],
  ['Enter', 'open it'],
] as const

function RunsPage() {
  usePageKeys(keys)
  const asked = askedBy(query.value)
  const pages = useMemo(() => new RunPages(asked), [asked])
  useEffect(() => () => pages.close(), [pages])
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  useEffect(() => setChosen(new Set()), [asked])
  const list = pages.list.value
  const { total, sample, problem, newer } = list
  const fields = useMemo(() => columnsOf(sample).map(({ field }) => field), [sample])
  const picked = query.value.get('columns')
  const columns = useMemo(() => shownColumns(sample, picked), [sample, picked])
  const done = (): void => {
    setChosen(new Set())
    pages.again()
  }
  return (
    <div class="page full">
      <header class="head">
        <h1>Runs</h1>
        <small role="status">{total === null ? '' : counted(total, 'run')}</small>
        <BySweep />
        <span class="grow" />
        {chosen.size === 0 ? (
          <NewRunLink />
        ) : (
          <Chosen chosen={chosen} done={done} isArchived={query.value.get('archived') === 'true'} />
        )}
      </header>
      <div class="tools">
        <Filter />
        <States />
        <Archived />
        <span class="grow" />
        <ViewMenu />
        <ColumnMenu fields={fields} shown={columns.map(({ field }) => field)} />
      </div>
      <Group />
      {newer === 0 ? null : (
        <button class="newer" onClick={() => pages.again()}>
          {counted(newer, 'newer run')}: show them
        </button>
      )}
      {problem ? <Refused problem={problem} again={() => pages.again()} /> : null}
      {total === null ? problem ? null : <Loading /> : null}
      {total === 0 ? <None isNarrowed={asked !== ''} /> : null}
      {total === null || total === 0 ? null : (
        <RunTable
          runAt={(place) => runAt(list, place)}
          total={total}
          columns={columns}
          chosen={chosen}
          choose={setChosen}
          look={pages.look}
        />
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

/** Said of a list of one sweep, and how to see all again. */
function Group() {
  if (!query.value.has('group')) return null
  return (
    <p class="hint group">
      The runs of one sweep.{' '}
      <button class="bare" onClick={() => setQuery({ group: null })}>
        Show all runs
      </button>
    </p>
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
