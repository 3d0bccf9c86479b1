/** Keys of the editor, and copies by way of the clipboard. `edit-bar.tsx` lists them; the flow page switches them on. */
import { useEffect, useRef } from 'preact/hooks'

import { isTyping } from '../keys.ts'
import { say, sayFault } from '../parts/toast.tsx'
import type { Place } from './document.ts'
import { clipIn, clipOf, paste, pastedIds } from './edit.ts'
import type { Editing } from './editing.ts'

export interface EditorActs {
  /** Nodes that are chosen. */
  readonly selected: ReadonlySet<string>
  readonly select: (ids: ReadonlySet<string>) => void
  readonly openPalette: () => void
  readonly openConnect: () => void
  readonly openPublish: () => void
  /** Where nodes stand, also those that nobody has placed. */
  readonly places: () => Readonly<Record<string, Place>>
}

const isDialogOpen = (): boolean => document.querySelector('dialog[open]') !== null

export function saveNow({ draft }: Editing): void {
  draft.flush().then((isSaved) => {
    if (isSaved) say('The draft is saved.')
    else sayFault(new Error(draft.problem.peek()?.message ?? 'The draft could not be saved.'))
  }, sayFault)
}

export function useEditKeys(editing: Editing | null, acts: EditorActs): void {
  const now = useRef(acts)
  now.current = acts
  useEffect(() => {
    if (!editing) return
    const hear = (event: KeyboardEvent): void => {
      if (!isDialogOpen() && heard(event, editing, now.current)) event.preventDefault()
    }
    const copy = (event: ClipboardEvent): void => {
      const { selected, places } = now.current
      if (isTyping(event) || isDialogOpen() || selected.size === 0 || String(getSelection()) !== '') return
      event.clipboardData?.setData('text/plain', clipOf(editing.draft.doc.peek(), selected, places()))
      event.preventDefault()
      say(`Copied. Paste it here, in another flow, or in any text.`)
    }
    const put = (event: ClipboardEvent): void => {
      if (isTyping(event) || isDialogOpen()) return
      pasteText(editing, event.clipboardData?.getData('text/plain') ?? '', now.current.select)
      event.preventDefault()
    }
    document.addEventListener('keydown', hear)
    document.addEventListener('copy', copy)
    document.addEventListener('paste', put)
    return () => {
      document.removeEventListener('keydown', hear)
      document.removeEventListener('copy', copy)
      document.removeEventListener('paste', put)
    }
  }, [editing])
}

/** Whether the key was for the editor. */
function heard(event: KeyboardEvent, editing: Editing, acts: EditorActs): boolean {
  const { draft } = editing
  const key = event.key.toLowerCase()
  if (event.ctrlKey || event.metaKey) {
    if (key === 's') saveNow(editing)
    else if (key === 'enter') acts.openPublish()
    else if (isTyping(event)) return false
    else if (key === 'z' && !event.shiftKey) told('Undone', draft.undo())
    else if ((key === 'z' && event.shiftKey) || key === 'y') told('Done again', draft.redo())
    else return false
    return true
  }
  if (event.altKey || isTyping(event)) return false
  if (key === 'a') acts.openPalette()
  else if (key === 'c') acts.openConnect()
  else return false
  return true
}

const told = (verb: string, command: { readonly title: string } | null): void => {
  if (command) say(`${verb}: ${command.title}`)
}

function pasteText({ draft, name }: Editing, text: string, select: EditorActs['select']): void {
  const clip = clipIn(text)
  if (clip === null) return sayFault(new Error('The clipboard has no nodes: copy some of a flow first.'))
  const ids = [...pastedIds(draft.doc.peek(), clip).values()]
  draft.edit('Paste', paste(name, clip))
  select(new Set(ids))
}
