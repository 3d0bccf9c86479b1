/** All dashboards, and what is done with one as a whole. */
import type {
  Dashboard,
  DashboardContentOutput,
  DashboardListItem,
  FlowListItem,
  Message,
} from '@flow-service/client-sdk'
import { useState } from 'preact/hooks'

import { call, get, post } from '../api/call.ts'
import { load, useResource } from '../api/resource.ts'
import { ago, counted } from '../format.ts'
import { now } from '../live/clock.ts'
import { Confirm, Dialog } from '../parts/dialog.tsx'
import { saveJson } from '../parts/download.ts'
import { ChoiceField, Field, Form, TextField } from '../parts/form.tsx'
import { Icon } from '../parts/icon.tsx'
import { Sheet } from '../parts/sheet.tsx'
import { Empty, Loading, Refused } from '../parts/states.tsx'
import { say, sayFault } from '../parts/toast.tsx'
import { go, query, setQuery } from '../router.ts'
import { ofMessages } from './grid.ts'

const BOARDS = '/dashboards/'
const at = (name: string): string => BOARDS + encodeURIComponent(name)

type Asked =
  | { readonly what: 'new' | 'flow' | 'import' }
  | { readonly what: 'rename' | 'duplicate' | 'delete'; readonly board: DashboardListItem }
  | null

export function BoardTable() {
  const { data: boards, problem } = useResource<DashboardListItem[]>(BOARDS).value
  const [asked, ask] = useState<Asked>(null)
  const find = (query.value.get('find') ?? '').trim().toLowerCase()
  const shown = (boards ?? []).filter(({ name, title }) => `${name} ${title}`.toLowerCase().includes(find))
  return (
    <div class="page">
      <header class="head">
        <h1>Boards</h1>
        <small role="status">{boards ? counted(shown.length, 'board') : ''}</small>
        <span class="grow" />
        <button onClick={() => ask({ what: 'import' })}>Import</button>
        <button onClick={() => ask({ what: 'flow' })}>From a flow</button>
        <button class="primary" onClick={() => ask({ what: 'new' })}>
          New board
        </button>
      </header>
      {boards === undefined ? (
        problem ? (
          <Refused problem={problem} again={() => void load(BOARDS)} />
        ) : (
          <Loading />
        )
      ) : boards.length === 0 ? (
        <Empty title="No boards yet">
          A board shows values, curves and controls of flows on a grid. Make one from a flow to begin with.
        </Empty>
      ) : (
        <>
          <div class="tools">
            <div class="find" role="search">
              <Icon name="search" />
              <input
                type="search"
                aria-label="Find a board"
                placeholder="name or title"
                value={query.value.get('find') ?? ''}
                onInput={({ currentTarget }) => setQuery({ find: currentTarget.value })}
              />
            </div>
          </div>
          {shown.length === 0 ? (
            <Empty title="No board has that name">Loosen the search.</Empty>
          ) : (
            <Rows boards={shown} ask={ask} />
          )}
        </>
      )}
      {asked ? <Asking asked={asked} close={() => ask(null)} /> : null}
    </div>
  )
}

interface RowsProps {
  readonly boards: readonly DashboardListItem[]
  readonly ask: (asked: Asked) => void
}

const Rows = ({ boards, ask }: RowsProps) => (
  <Sheet
    name="Boards"
    rows={boards}
    keyOf={({ name }) => name}
    columns={[
      { title: 'Board', is: 'wrap', show: (board) => <Name of={board} /> },
      {
        title: 'Version',
        show: ({ published_version: version, has_draft: hasDraft }) =>
          [version === null ? '' : `v${version}`, hasDraft ? 'draft' : ''].filter(Boolean).join(' + '),
      },
      { title: 'Issues', show: ({ issues }) => (issues.length === 0 ? '' : counted(issues.length, 'warning')) },
      { title: 'Changed', show: ({ updated_at: ts }) => <span title={ts}>{ago(ts, now.value)}</span> },
      {
        title: '',
        show: (board) => (
          <span class="row-actions">
            {board.origin === 'code' ? null : (
              <a class="button" href={`#${at(board.name)}/edit`}>
                Edit
              </a>
            )}
            <button onClick={() => void exported(board).catch(sayFault)}>Export</button>
            <button onClick={() => ask({ what: 'duplicate', board })}>Copy</button>
            {board.origin === 'code' ? null : (
              <>
                <button onClick={() => ask({ what: 'rename', board })}>Rename</button>
                <button onClick={() => ask({ what: 'delete', board })}>Delete</button>
              </>
            )}
          </span>
        ),
      },
    ]}
  />
)

const Name = ({ of: { name, title, origin, published_version: version } }: { of: DashboardListItem }) => (
  <>
    <a href={`#${at(name)}${version === null ? '?draft=1' : ''}`}>{title || name}</a>{' '}
    <small>
      {title === '' ? '' : name}
      {origin === 'code' ? ' from code' : ''}
    </small>
  </>
)

async function exported({ name }: DashboardListItem): Promise<void> {
  const { title, content } = await get<Dashboard>(`${at(name)}?draft=true`)
  saveJson(name, { title, content })
}

function Asking({ asked, close }: { asked: NonNullable<Asked>; close: () => void }) {
  if (!('board' in asked))
    return asked.what === 'flow' ? <FromFlow close={close} /> : <NewBoard what={asked.what} close={close} />
  const { board, what } = asked
  if (what === 'delete') {
    return (
      <Confirm
        title={`Delete ${board.name}?`}
        verb="Delete"
        close={close}
        act={async () => {
          await call('DELETE', at(board.name))
          say(`${board.name} is deleted`)
          await load(BOARDS)
        }}
      >
        <p>The board and its draft go. What it shows stays.</p>
      </Confirm>
    )
  }
  return <Rename board={board} what={what} close={close} />
}

const cancel = (close: () => void) => (
  <button type="button" onClick={close}>
    Cancel
  </button>
)

interface RenameProps {
  readonly board: DashboardListItem
  readonly what: 'rename' | 'duplicate'
  readonly close: () => void
}

function Rename({ board, what, close }: RenameProps) {
  const [name, setName] = useState(what === 'rename' ? board.name : `${board.name}_copy`)
  const submit = async (): Promise<void> => {
    const made = await post<Dashboard>(`${at(board.name)}/${what}`, { name: name.trim() })
    say(what === 'rename' ? `${board.name} is called ${made.name} now` : `${made.name} is a copy of ${board.name}`)
    close()
    await load(BOARDS)
  }
  return (
    <Dialog title={what === 'rename' ? `Rename ${board.name}` : `Copy ${board.name}`} close={close}>
      <Form
        fields={['/name']}
        verb={what === 'rename' ? 'Rename' : 'Copy'}
        submit={submit}
        isReady={name.trim() !== ''}
        more={cancel(close)}
      >
        {({ at: faults }) => (
          <TextField label="Name" about="letters, digits and _" value={name} change={setName} fault={faults['/name']} />
        )}
      </Form>
    </Dialog>
  )
}

function NewBoard({ what, close }: { what: 'new' | 'import'; close: () => void }) {
  const [name, setName] = useState('')
  const [title, setTitle] = useState('')
  const [text, setText] = useState('')
  const isImport = what === 'import'
  const submit = async (): Promise<void> => {
    const body = isImport ? (JSON.parse(text) as object) : { title }
    const made = await post<Dashboard>(at(name.trim()), body)
    await load(BOARDS)
    go(`${at(made.name)}/edit`)
  }
  return (
    <Dialog title={isImport ? 'Import a board' : 'New board'} close={close} isWide={isImport}>
      <Form
        fields={['/name', 'path.name', '/title']}
        verb={isImport ? 'Import' : 'Create'}
        submit={submit}
        isReady={name.trim() !== '' && (!isImport || text.trim() !== '')}
        more={cancel(close)}
      >
        {({ at: faults }) => (
          <>
            <TextField
              label="Name"
              about="letters, digits and _"
              value={name}
              change={setName}
              fault={faults['path.name'] ?? faults['/name']}
            />
            {isImport ? (
              <>
                <Field label="File">
                  {(tied) => (
                    <input
                      {...tied}
                      type="file"
                      accept="application/json,.json"
                      onChange={({ currentTarget }) => void currentTarget.files?.[0]?.text().then(setText, sayFault)}
                    />
                  )}
                </Field>
                <Field label="Document" about="JSON, as an export has it">
                  {(tied) => (
                    <textarea
                      {...tied}
                      class="mono"
                      rows={12}
                      spellcheck={false}
                      value={text}
                      onInput={({ currentTarget }) => setText(currentTarget.value)}
                    />
                  )}
                </Field>
              </>
            ) : (
              <TextField label="Title" about="for people" value={title} change={setTitle} fault={faults['/title']} />
            )}
          </>
        )}
      </Form>
    </Dialog>
  )
}

/** Of a batch flow the engine makes one of its results; of a live flow it has the messages. */
function FromFlow({ close }: { close: () => void }) {
  const { data: flows } = useResource<FlowListItem[]>('/flows/').value
  const [chosen, setChosen] = useState('')
  const known = (flows ?? []).filter(({ published_version: version }) => version !== null)
  const flow = known.find(({ name }) => name === chosen) ?? known[0]
  const submit = async (): Promise<void> => {
    if (!flow) return
    const made =
      flow.mode === 'batch'
        ? await post<Dashboard>(`${BOARDS}from-flow/${encodeURIComponent(flow.name)}`)
        : await post<Dashboard>(at(`${flow.name}_board`), {
            title: flow.title || flow.name,
            content: await contentOf(flow.name),
          })
    await load(BOARDS)
    go(`${at(made.name)}/edit`)
  }
  return (
    <Dialog title="A board from a flow" close={close}>
      {flows && known.length === 0 ? <p>No flow is published yet.</p> : null}
      <Form
        fields={['/name', 'path.name']}
        verb="Make it"
        submit={submit}
        isReady={flow !== undefined}
        more={cancel(close)}
      >
        {() => (
          <>
            <ChoiceField
              label="Flow"
              value={flow?.name ?? ''}
              change={setChosen}
              options={known.map(({ name, title, mode }) => [name, `${title || name} (${mode})`])}
            />
            <p class="hint">
              {flow?.mode === 'batch'
                ? 'The curves of its newest runs, and what came of the last one.'
                : 'A widget for each of its messages, numbers over time.'}{' '}
              All of it can be changed.
            </p>
          </>
        )}
      </Form>
    </Dialog>
  )
}

async function contentOf(flow: string): Promise<DashboardContentOutput> {
  const messages = await get<Message[]>('/messages/')
  return ofMessages(messages.filter((message) => message.flow === flow))
}
