/** What was published of a flow: when and by whom, what differs between any two of them, and the way back to one. */
import type { Flow, FlowDiff, FlowVersion } from '@flow-service/client-sdk'
import { useState } from 'preact/hooks'

import { get, post } from '../api/call.ts'
import { load, useResource } from '../api/resource.ts'
import { ago, counted } from '../format.ts'
import { now } from '../live/clock.ts'
import { Confirm, Dialog } from '../parts/dialog.tsx'
import { Sheet, type SheetColumn } from '../parts/sheet.tsx'
import { Empty, Loading, Refused } from '../parts/states.tsx'
import { say } from '../parts/toast.tsx'
import { DiffView } from './diff-view.tsx'
import { type Editing, pathOf } from './editing.ts'

interface VersionsProps {
  readonly editing: Editing
  readonly close: () => void
}

export function VersionsPanel({ editing, close }: VersionsProps) {
  const path = `${pathOf(editing.name)}/versions?limit=100`
  const { data, problem } = useResource<FlowVersion[]>(path).value
  const [from, setFrom] = useState<number | null>(null)
  const [to, setTo] = useState<string>('')
  const [back, setBack] = useState<number | null>(null)
  const [latest] = data ?? []
  const base = from ?? latest?.version ?? null
  return (
    <Dialog title="Versions" close={close} isWide>
      {data === undefined ? (
        problem ? (
          <Refused problem={problem} again={() => void load(path)} />
        ) : (
          <Loading />
        )
      ) : latest === undefined ? (
        <Empty title="Nothing is published yet">Each publish is kept here, to look at and to come back to.</Empty>
      ) : (
        <>
          <Sheet name="Versions" columns={columnsOf(setBack)} rows={data} keyOf={({ version }) => String(version)} />
          <Compare
            editing={editing}
            versions={data}
            from={base ?? latest.version}
            to={to}
            setFrom={setFrom}
            setTo={setTo}
          />
        </>
      )}
      <div class="go">
        <button onClick={close}>Close</button>
      </div>
      {back === null ? null : <Back editing={editing} version={back} close={() => setBack(null)} />}
    </Dialog>
  )
}

const columnsOf = (restore: (version: number) => void): readonly SheetColumn<FlowVersion>[] => [
  { title: 'Version', show: ({ version }) => `v${version}` },
  { title: 'Published', show: ({ published_at: at }) => <span title={at}>{ago(at, now.value)}</span> },
  { title: 'By', show: ({ published_by: by }) => by ?? 'code' },
  { title: 'Runs', is: 'num', show: ({ runs }) => runs },
  {
    title: '',
    show: ({ version }) => (
      <button aria-label={`Restore version ${version}`} onClick={() => restore(version)}>
        Restore
      </button>
    ),
  },
]

interface CompareProps {
  readonly editing: Editing
  readonly versions: readonly FlowVersion[]
  readonly from: number
  readonly to: string
  readonly setFrom: (version: number) => void
  readonly setTo: (to: string) => void
}

function Compare({ editing, versions, from, to, setFrom, setTo }: CompareProps) {
  const hasDraft = editing.draft.flow.value.has_draft
  const target = to === '' ? (hasDraft ? 'draft' : 'published') : to
  const path = `${pathOf(editing.name)}/versions/${from}/diff?to=${target}`
  const { data, problem } = useResource<FlowDiff>(path).value
  return (
    <section aria-label="Compare versions">
      <div class="tools compared">
        <label class="choice">
          From{' '}
          <select value={String(from)} onChange={({ currentTarget }) => setFrom(Number(currentTarget.value))}>
            {versions.map(({ version }) => (
              <option key={version} value={String(version)}>
                v{version}
              </option>
            ))}
          </select>
        </label>
        <label class="choice">
          to{' '}
          <select value={target} onChange={({ currentTarget }) => setTo(currentTarget.value)}>
            {hasDraft ? <option value="draft">the draft</option> : null}
            <option value="published">what is published</option>
            {versions.map(({ version }) => (
              <option key={version} value={String(version)}>
                v{version}
              </option>
            ))}
          </select>
        </label>
        {data ? <span class="hint">{counted(data.nodes.length, 'node')} differ</span> : null}
      </div>
      {data === undefined ? (
        problem ? (
          <Refused problem={problem} again={() => void load(path)} />
        ) : (
          <Loading />
        )
      ) : (
        <DiffView diff={data} />
      )}
    </section>
  )
}

interface BackProps {
  readonly editing: Editing
  readonly version: number
  readonly close: () => void
}

function Back({ editing, version, close }: BackProps) {
  const restore = async (): Promise<void> => {
    const { draft, name } = editing
    if (!(await draft.flush())) throw new Error(draft.problem.peek()?.message ?? 'The draft could not be saved.')
    const flow = await get<Flow>(pathOf(name))
    const path = `${pathOf(name)}/versions/${version}/restore`
    draft.adopt(`Restore version ${version}`, await post<Flow>(path, { version: flow.version }))
    void load(pathOf(name))
    say(`The draft is version ${version} again. Publish it to make it act.`)
  }
  return (
    <Confirm title={`Make version ${version} the draft?`} verb="Restore" act={restore} close={close}>
      <p>It takes the place of what the draft has now. Nothing is published by this, and it can be undone.</p>
    </Confirm>
  )
}
