/** All flows: how they are, and what is done with a flow as a whole. */
import type { Flow, FlowListItem } from '@flow-service/client-sdk'
import { useEffect, useState } from 'preact/hooks'

import { call, post } from '../api/call.ts'
import { load, useResource } from '../api/resource.ts'
import { ago, counted, number } from '../format.ts'
import { now } from '../live/clock.ts'
import { follow } from '../live/events.ts'
import { Confirm, Dialog } from '../parts/dialog.tsx'
import { Form, TextField } from '../parts/form.tsx'
import { Icon } from '../parts/icon.tsx'
import { Sheet } from '../parts/sheet.tsx'
import { Empty, Loading, Refused } from '../parts/states.tsx'
import { Status } from '../parts/status.tsx'
import { say, sayFault } from '../parts/toast.tsx'
import { go, query, setQuery } from '../router.ts'
import { ImportFlow, NewFlow } from './new-flow.tsx'

const PATH = '/flows/'
const AGAIN_MS = 500

type Asked =
  | { readonly what: 'new' | 'import' }
  | { readonly what: 'rename' | 'duplicate' | 'delete'; readonly flow: FlowListItem }
  | null

export function FlowTable() {
  const { data: flows, problem } = useResource<FlowListItem[]>(PATH).value
  const [asked, ask] = useState<Asked>(null)
  useEffect(followFlows, [])
  const find = query.value.get('find') ?? ''
  const mode = query.value.get('mode')
  const shown = (flows ?? []).filter(
    (flow) =>
      (mode === null || flow.mode === mode) &&
      `${flow.name} ${flow.title}`.toLowerCase().includes(find.trim().toLowerCase()),
  )
  return (
    <div class="page">
      <header class="head">
        <h1>Flows</h1>
        <small role="status">{flows ? counted(shown.length, 'flow') : ''}</small>
        <span class="grow" />
        <button onClick={() => ask({ what: 'import' })}>Import</button>
        <button class="primary" onClick={() => ask({ what: 'new' })}>
          New flow
        </button>
      </header>
      <div class="tools">
        <div class="find" role="search">
          <Icon name="search" />
          <input
            type="search"
            aria-label="Find a flow"
            placeholder="name or title"
            value={find}
            onInput={({ currentTarget }) => setQuery({ find: currentTarget.value })}
          />
        </div>
        {['live', 'batch'].map((one) => (
          <button
            key={one}
            class="chip"
            aria-pressed={mode === one}
            onClick={() => setQuery({ mode: mode === one ? null : one })}
          >
            {one}
          </button>
        ))}
      </div>
      {problem && flows === undefined ? <Refused problem={problem} again={() => void load(PATH)} /> : null}
      {flows === undefined ? problem ? null : <Loading /> : <Rows flows={flows} shown={shown} ask={ask} />}
      {asked ? <Asking asked={asked} close={() => ask(null)} /> : null}
    </div>
  )
}

/** Asks again when flows have changed. */
function followFlows(): () => void {
  let timer = 0
  const end = follow({ kinds: ['flow', 'health'] }, (frames) => {
    if (timer !== 0 || frames.every(({ type }) => type === 'snapshot')) return
    timer = window.setTimeout(() => {
      timer = 0
      void load(PATH)
    }, AGAIN_MS)
  })
  return () => {
    clearTimeout(timer)
    end()
  }
}

interface RowsProps {
  readonly flows: readonly FlowListItem[]
  readonly shown: readonly FlowListItem[]
  readonly ask: (asked: Asked) => void
}

function Rows({ flows, shown, ask }: RowsProps) {
  if (flows.length === 0) {
    return (
      <Empty title="No flows yet">
        A flow is a graph of nodes that exchange messages. Make a new one here, or write it in TypeScript and start{' '}
        <code>service dev flows</code>.
      </Empty>
    )
  }
  if (shown.length === 0) {
    return (
      <Empty title="No flow has that name">
        Loosen the search, or <a href="#/flows">show all flows</a>
      </Empty>
    )
  }
  return (
    <Sheet
      name="Flows"
      rows={shown}
      keyOf={({ name }) => name}
      columns={[
        { title: 'Flow', is: 'wrap', show: (flow) => <Name of={flow} /> },
        { title: 'Status', show: ({ status }) => <Status is={status} isWord /> },
        { title: 'Mode', show: ({ mode }) => mode },
        {
          title: 'Version',
          show: ({ published_version: version, has_draft: hasDraft }) =>
            [version === null ? '' : `v${version}`, hasDraft ? 'draft' : ''].filter(Boolean).join(' + '),
        },
        { title: 'Issues', show: (flow) => issuesOf(flow) },
        { title: 'Held', is: 'num', show: ({ held }) => (held === 0 ? '' : number(held)) },
        {
          title: 'Last active',
          is: 'num',
          show: ({ last_activity_at: ts }) => (ts === null ? 'not yet' : <span title={ts}>{ago(ts, now.value)}</span>),
        },
        { title: '', show: (flow) => <Actions of={flow} ask={ask} /> },
      ]}
    />
  )
}

const Name = ({ of: { name, title, origin } }: { of: FlowListItem }) => (
  <>
    <a href={`#/flows/${encodeURIComponent(name)}`}>{title || name}</a>{' '}
    <small>
      {title === '' ? '' : name}
      {origin === 'code' ? ' from code' : ''}
    </small>
  </>
)

const issuesOf = ({ issues: { error, warning, advisory }, failed_nodes: failed }: FlowListItem): string =>
  [
    error > 0 ? counted(error, 'error') : '',
    warning > 0 ? counted(warning, 'warning') : '',
    advisory > 0 ? `${number(advisory)} advice` : '',
    failed > 0 ? counted(failed, 'failed node') : '',
  ]
    .filter(Boolean)
    .join(', ')

function Actions({ of: flow, ask }: { of: FlowListItem; ask: (asked: Asked) => void }) {
  const act = async (verb: string, done: string): Promise<void> => {
    try {
      await post(`/flows/${encodeURIComponent(flow.name)}/${verb}`)
      say(`${flow.name}: ${done}`)
    } catch (problem) {
      sayFault(problem)
    }
    await load(PATH)
  }
  const isOn = flow.status === 'active' || flow.status === 'paused'
  return (
    <span class="row-actions">
      {flow.mode === 'live' && flow.published_version !== null ? (
        <button onClick={() => void (isOn ? act('stop', 'stopped') : act('start', 'started'))}>
          {isOn ? 'Stop' : 'Start'}
        </button>
      ) : null}
      <button onClick={() => ask({ what: 'duplicate', flow })}>Copy</button>
      {flow.origin === 'code' ? null : (
        <>
          <button onClick={() => ask({ what: 'rename', flow })}>Rename</button>
          <button onClick={() => ask({ what: 'delete', flow })}>Delete</button>
        </>
      )}
    </span>
  )
}

function Asking({ asked, close }: { asked: NonNullable<Asked>; close: () => void }) {
  if (!('flow' in asked)) return asked.what === 'new' ? <NewFlow close={close} /> : <ImportFlow close={close} />
  const { flow, what } = asked
  const at = `/flows/${encodeURIComponent(flow.name)}`
  if (what === 'delete') {
    const act = async (): Promise<void> => {
      await call('DELETE', at)
      say(`${flow.name} is deleted`)
      await load(PATH)
    }
    return (
      <Confirm title={`Delete ${flow.name}?`} verb="Delete" act={act} close={close}>
        <p>The flow and its versions go. Its runs stay.</p>
      </Confirm>
    )
  }
  return <Rename at={at} flow={flow} what={what} close={close} />
}

interface RenameProps {
  readonly at: string
  readonly flow: FlowListItem
  readonly what: 'rename' | 'duplicate'
  readonly close: () => void
}

function Rename({ at, flow, what, close }: RenameProps) {
  const [name, setName] = useState(what === 'rename' ? flow.name : `${flow.name}_copy`)
  const submit = async (): Promise<void> => {
    const made = await post<Flow>(`${at}/${what}`, { name })
    close()
    await load(PATH)
    if (what === 'duplicate') go(`/flows/${encodeURIComponent(made.name)}`)
    else say(`${flow.name} is called ${made.name} now`)
  }
  return (
    <Dialog title={what === 'rename' ? `Rename ${flow.name}` : `Copy ${flow.name}`} close={close}>
      <Form
        fields={['/name']}
        verb={what === 'rename' ? 'Rename' : 'Copy'}
        submit={submit}
        isReady={name.trim() !== ''}
        more={
          <button type="button" onClick={close}>
            Cancel
          </button>
        }
      >
        {({ at: faults }) => (
          <TextField label="Name" about="letters, digits and _" value={name} change={setName} fault={faults['/name']} />
        )}
      </Form>
    </Dialog>
  )
}
