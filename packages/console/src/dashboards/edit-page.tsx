/** Changes a dashboard: widgets from a list, moved and sized by mouse and by keys, their settings and the JSON beside them. */
import type { Dashboard, WidgetOutput } from '@flow-service/client-sdk'
import type { TargetedKeyboardEvent } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'

import { post } from '../api/call.ts'
import { load, useResource } from '../api/resource.ts'
import { usePageKeys } from '../keys.ts'
import { Confirm } from '../parts/dialog.tsx'
import { Icon } from '../parts/icon.tsx'
import { Empty, Loading, Refused } from '../parts/states.tsx'
import { say, sayFault } from '../parts/toast.tsx'
import { go, query, setQuery } from '../router.ts'
import { Board } from './board.tsx'
import { Draft, type DraftNow } from './draft.ts'
import { Framed } from './frame.tsx'
import { added, placed, widgetTypes } from './grid.ts'
import { JsonEditor } from './json-editor.tsx'
import { WidgetForm } from './widget-form.tsx'

export function EditPage({ name }: { name: string }) {
  const path = `/dashboards/${encodeURIComponent(name)}?draft=true`
  const { data: board, problem } = useResource<Dashboard>(path).value
  if (board === undefined) {
    return <div class="page">{problem ? <Refused problem={problem} again={() => void load(path)} /> : <Loading />}</div>
  }
  if (board.origin === 'code') {
    return (
      <div class="page">
        <Empty title="It is defined in code">
          Change it there, or <a href="#/dashboards">copy it</a> and change the copy.
        </Empty>
      </div>
    )
  }
  return <Editor key={board.name} board={board} />
}

const keys = [
  ['arrows', 'move the widget that has the focus'],
  ['Shift+arrows', 'change its size'],
  ['Delete', 'remove it'],
  ['Ctrl+Z', 'undo'],
  ['Ctrl+S', 'save the draft now'],
] as const

function Editor({ board }: { board: Dashboard }) {
  usePageKeys(keys)
  const draft = useMemo(() => new Draft(board), [])
  useEffect(() => () => draft.close(), [draft])
  const now = draft.now.value
  const chosen = now.content.widgets.find(({ id }) => id === query.value.get('widget'))
  const choose = (id: string | null): void => setQuery({ widget: id })
  const isJson = query.value.get('json') !== null
  const remove = (id: string): void => {
    draft.change({ content: { ...now.content, widgets: now.content.widgets.filter((widget) => widget.id !== id) } })
    choose(null)
    say('The widget is gone', { title: 'Undo', act: () => draft.undo() })
  }
  const replace = (widget: WidgetOutput): void =>
    draft.change({
      content: { ...now.content, widgets: now.content.widgets.map((one) => (one.id === widget.id ? widget : one)) },
    })
  const hear = (event: TargetedKeyboardEvent<HTMLDivElement>): void => {
    if (!(event.ctrlKey || event.metaKey)) return
    if (event.key === 'z' && !isField(event.target)) draft.undo()
    else if (event.key === 's') void draft.save()
    else return
    event.preventDefault()
  }
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- keys of all that is in it
    <div class="page full board-edit" onKeyDown={hear}>
      <Bar board={board} draft={draft} now={now} isJson={isJson} />
      <Told draft={draft} now={now} />
      <div class="beside">
        <div class="board-area">
          <Palette
            add={(type) => {
              const { content, id } = added(now.content, type)
              draft.change({ content })
              choose(id)
            }}
          />
          {now.content.widgets.length === 0 ? (
            <Empty title="No widgets yet">Add one from the list above.</Empty>
          ) : (
            <Board
              content={now.content}
              issues={now.issues}
              frame={(widget, shown) => (
                <Framed
                  widget={widget}
                  columns={now.content.columns}
                  isChosen={widget.id === chosen?.id}
                  choose={() => choose(widget.id)}
                  place={(box) => draft.change({ content: placed(now.content, widget.id, box) })}
                  remove={() => remove(widget.id)}
                >
                  {shown}
                </Framed>
              )}
            />
          )}
        </div>
        <aside class="panel" aria-label={isJson ? 'JSON' : 'Settings'}>
          {isJson ? (
            <JsonEditor content={now.content} problem={now.problem} change={(content) => draft.change({ content })} />
          ) : chosen ? (
            <WidgetForm
              key={chosen.id}
              widget={chosen}
              problem={now.problem}
              at={now.content.widgets.indexOf(chosen)}
              change={replace}
              remove={() => remove(chosen.id)}
            />
          ) : (
            <BoardForm now={now} draft={draft} />
          )}
        </aside>
      </div>
    </div>
  )
}

const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && /^(?:INPUT|SELECT|TEXTAREA)$/.test(target.tagName)

const states: Readonly<Record<DraftNow['state'], string>> = {
  saved: 'Draft saved',
  waiting: 'Changed',
  saving: 'Saving',
  refused: 'Not saved',
  conflict: 'Not saved: somebody else has',
}

interface BarProps {
  readonly board: Dashboard
  readonly draft: Draft
  readonly now: DraftNow
  readonly isJson: boolean
}

function Bar({ board: { name, published_version: published }, draft, now, isJson }: BarProps) {
  const [isLeaving, leave] = useState(false)
  const at = `/dashboards/${encodeURIComponent(name)}`
  const publish = async (): Promise<void> => {
    const version = await draft.save()
    if (version === null) throw new Error('It is not saved yet: see what is wrong first.')
    await post<Dashboard>(`${at}/publish`, { version })
    say('It is published')
    go(at)
  }
  return (
    <header class="head">
      <a class="crumb" href="#/dashboards">
        Boards
      </a>
      <h1>{now.title || name}</h1>
      <small role="status">{states[now.state]}</small>
      <span class="grow" />
      <button disabled={!now.canUndo} onClick={() => draft.undo()} title="Undo (Ctrl+Z)">
        <Icon name="undo" /> Undo
      </button>
      <button aria-pressed={isJson} onClick={() => setQuery({ json: isJson ? null : '1' })}>
        JSON
      </button>
      {published === null ? null : <button onClick={() => leave(true)}>Discard draft</button>}
      <button class="primary" onClick={() => void publish().catch(sayFault)}>
        Publish
      </button>
      {isLeaving ? (
        <Confirm
          title="Discard the draft?"
          verb="Discard"
          close={() => leave(false)}
          act={async () => {
            await draft.save()
            await post(`${at}/discard`)
            await load(`${at}?draft=true`)
            say('What is published is as it was')
            go(at)
          }}
        >
          <p>What is published stays; all that was changed since then goes.</p>
        </Confirm>
      ) : null}
    </header>
  )
}

/** Why it is not saved, where that is about no field. */
function Told({ draft, now: { state, problem, theirs } }: { draft: Draft; now: DraftNow }) {
  if (state === 'conflict' && theirs) {
    return (
      <div class="banner" role="alert">
        Somebody else has saved this board. Yours is kept here.
        <button onClick={() => draft.take('theirs')}>Show theirs</button>
        <button onClick={() => draft.take('mine')}>Save mine over it</button>
      </div>
    )
  }
  if (state !== 'refused' || problem === null) return null
  return (
    <div class="banner" role="alert">
      {problem.errors.length === 0
        ? problem.message
        : problem.errors.map(({ path, message }) => `${path}: ${message}`).join(' ')}
    </div>
  )
}

const Palette = ({ add }: { add: (type: (typeof widgetTypes)[number]) => void }) => (
  <div class="tools" role="group" aria-label="Add a widget">
    {widgetTypes.map((type) => (
      <button key={type} class="chip" onClick={() => add(type)}>
        <Icon name="add" size={14} /> {type}
      </button>
    ))}
  </div>
)

const BoardForm = ({ now, draft }: { now: DraftNow; draft: Draft }) => (
  <div class="panel-body fields">
    <h2>The board</h2>
    <label class="field">
      Title <input value={now.title} onChange={({ currentTarget }) => draft.change({ title: currentTarget.value })} />
    </label>
    <label class="field">
      Columns{' '}
      <input
        type="number"
        min={1}
        max={24}
        value={now.content.columns}
        onChange={({ currentTarget }) =>
          draft.change({ content: { ...now.content, columns: Number(currentTarget.value) } })
        }
      />
    </label>
    <p class="hint">
      Choose a widget to change it. With the keyboard: Tab to a widget, arrows move it, Shift and arrows change its
      size, Delete removes it, Ctrl+Z undoes.
    </p>
  </div>
)
