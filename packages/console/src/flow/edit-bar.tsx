/** What can be done with a draft, in the head of the flow page, and how far it is saved. */
import type { Flow } from '@flow-service/client-sdk'
import { useRef, useState } from 'preact/hooks'

import { post } from '../api/call.ts'
import { load } from '../api/resource.ts'
import { Confirm } from '../parts/dialog.tsx'
import { Icon } from '../parts/icon.tsx'
import { say, sayFault } from '../parts/toast.tsx'
import type { SaveState } from './drafts.ts'
import { saveNow } from './edit-keys.ts'
import { type Editing, pathOf } from './editing.ts'
import { PublishDialog } from './publish-dialog.tsx'
import { RunOnce } from './run-once.tsx'
import { exportFlow, ImportDialog, type Imported, importedOf } from './transfer.tsx'
import { VersionsPanel } from './versions-panel.tsx'

/** Of the dialogs of the editor at most one is open. */
export type EditDialog = 'publish' | 'run' | 'versions' | 'discard' | Imported | null

const words: Readonly<Record<SaveState, string>> = {
  saved: 'Saved',
  waiting: 'Not saved yet',
  saving: 'Saving',
  refused: 'Not saved',
  away: 'Kept in this browser',
}

interface EditBarProps {
  readonly editing: Editing
  readonly dialog: EditDialog
  readonly open: (dialog: EditDialog) => void
  readonly openPalette: () => void
}

export function EditBar({ editing, dialog, open, openPalette }: EditBarProps) {
  const { draft } = editing
  const { done, undone } = draft.history.value
  const errors = editing.issues.value.filter(({ severity }) => severity === 'error').length
  const hasDraft = draft.flow.value.has_draft || draft.state.value !== 'saved'
  return (
    <>
      <span class={`save-state ${draft.state.value}`} title={draft.problem.value?.message}>
        {words[draft.state.value]}
      </span>
      <button
        class="bare"
        disabled={done.length === 0}
        title={`Undo${of(done.at(-1))} (Ctrl+Z)`}
        onClick={() => draft.undo()}
      >
        <Icon name="undo" />
        <span class="unseen">Undo</span>
      </button>
      <button
        class="bare"
        disabled={undone.length === 0}
        title={`Do again${of(undone.at(-1))} (Ctrl+Shift+Z)`}
        onClick={() => draft.redo()}
      >
        <Icon name="redo" />
        <span class="unseen">Do again</span>
      </button>
      <button onClick={() => open('versions')} title="What was published when, by whom, and the way back">
        Versions
      </button>
      <button onClick={openPalette} title="Add a node (a)">
        <Icon name="add" /> Node
      </button>
      <More editing={editing} open={open} />
      <button
        class="primary"
        disabled={!hasDraft}
        title={
          !hasDraft
            ? 'Nothing has changed since it was published'
            : errors > 0
              ? 'Errors keep it from being published (Ctrl+Enter shows them)'
              : 'Publish the draft (Ctrl+Enter)'
        }
        onClick={() => open('publish')}
      >
        Publish
      </button>
      <Dialogs editing={editing} dialog={dialog} close={() => open(null)} />
    </>
  )
}

const of = (command: { readonly title: string } | undefined): string => (command ? `: ${command.title}` : '')

function Dialogs({ editing, dialog, close }: { editing: Editing; dialog: EditDialog; close: () => void }) {
  if (dialog === null) return null
  if (dialog === 'publish') return <PublishDialog editing={editing} close={close} />
  if (dialog === 'run') return <RunOnce editing={editing} close={close} />
  if (dialog === 'versions') return <VersionsPanel editing={editing} close={close} />
  if (dialog === 'discard') return <Discard editing={editing} close={close} />
  return <ImportDialog editing={editing} document={dialog} close={close} />
}

function Discard({ editing: { draft, name }, close }: { readonly editing: Editing; readonly close: () => void }) {
  const discard = async (): Promise<void> => {
    if (!(await draft.flush())) throw new Error(draft.problem.peek()?.message ?? 'The draft could not be saved.')
    draft.adopt('Discard the draft', await post<Flow>(`${pathOf(name)}/discard-draft`))
    void load(pathOf(name))
    say('The draft is gone: what is published is what you see.')
  }
  return (
    <Confirm title={`Discard the draft of "${name}"?`} verb="Discard" act={discard} close={close}>
      <p>All changes since version {draft.flow.value.published_version} go. Undo in this tab brings them back.</p>
    </Confirm>
  )
}

function More({ editing, open }: { readonly editing: Editing; readonly open: (dialog: EditDialog) => void }) {
  const [isOpen, setOpen] = useState(false)
  const file = useRef<HTMLInputElement>(null)
  const { draft } = editing
  const { has_draft: hasDraft, published_version: published } = draft.flow.value
  const act = (work: () => void) => (): void => {
    setOpen(false)
    work()
  }
  const entries: readonly (readonly [title: string, act: () => void, isOff?: boolean])[] = [
    ['Run once', () => open('run')],
    ['Save now', () => saveNow(editing)],
    ['Export JSON', () => exportFlow(editing)],
    ['Import JSON', () => file.current?.click()],
    ['Discard draft', () => open('discard'), !hasDraft || published === null],
  ]
  return (
    <div
      class="menu"
      onKeyDown={(event) => {
        if (event.key === 'Escape') setOpen(false)
      }}
      onFocusOut={({ currentTarget, relatedTarget }) => {
        if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) setOpen(false)
      }}
    >
      <button aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        More
      </button>
      {isOpen ? (
        <div class="menu-list">
          {entries.map(([title, work, isOff = false]) => (
            <button key={title} class="bare" disabled={isOff} onClick={act(work)}>
              {title}
            </button>
          ))}
        </div>
      ) : null}
      <input
        ref={file}
        type="file"
        accept=".json,application/json"
        class="unseen"
        tabIndex={-1}
        aria-label="File to import"
        onChange={({ currentTarget }) => {
          const [chosen] = currentTarget.files ?? []
          currentTarget.value = ''
          if (chosen) importedOf(chosen).then(open, sayFault)
        }}
      />
    </div>
  )
}
