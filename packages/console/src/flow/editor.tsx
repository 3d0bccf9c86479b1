/**
 * What the flow page has more while somebody edits: what the canvas may change, the bar, the list of nodes to add, and the inspector's
 * fields. `useEditor` ties them to the draft.
 */
import type { Flow } from '@flow-service/client-sdk'
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks'

import { say } from '../parts/toast.tsx'
import { ConnectPicker } from './connect-picker.tsx'
import { newNode } from './document.ts'
import { EditBar, type EditDialog } from './edit-bar.tsx'
import { useEditKeys } from './edit-keys.ts'
import { addNode, connect, deleteNodes, disconnect, moveNodes } from './edit.ts'
import { type Editing, useEditing } from './editing.ts'
import { FlowEditor } from './flow-editor.tsx'
import { isStandIn, type Wire } from './graph.ts'
import type { FlowNow } from './live.ts'
import { NodeEditor } from './node-editor.tsx'
import { type Entry, PalettePanel, useEntries } from './palette-panel.tsx'
import { placeFor } from './place-for.ts'
import type { Place, Places } from './places.ts'
import { type Drawn, ShownFlow, type Tools } from './shown-flow.tsx'
import { WorkNotes } from './work-notes.tsx'

import './edit.css'

/** The flow with what is edited in it, as it is drawn. */
function useEdited(flow: Flow): { readonly flow: Flow; readonly editing: Editing | null } {
  const editing = useEditing(flow)
  const doc = editing?.draft.doc.value
  const issues = editing?.issues.value
  const edited = useMemo(
    () => (doc && issues ? { ...flow, ...doc, nodes: [...doc.nodes], issues: [...issues] } : flow),
    [flow, doc, issues],
  )
  return { flow: edited, editing }
}

/** The flow page where somebody edits. */
export function EditedFlow({ flow: stored, now, path }: { flow: Flow; now: FlowNow; path: string }) {
  const { flow, editing } = useEdited(stored)
  const useTools = useCallback((drawn: Drawn) => useEditor(editing, drawn), [editing])
  return <ShownFlow flow={flow} now={now} path={path} useTools={useTools} />
}

/** Null while the flow is only looked at. */
function useEditor(editing: Editing | null, { places, nodes, chosen, choose }: Drawn): Tools | null {
  const [selected, select] = useState<ReadonlySet<string>>(new Set())
  const [added, setAdded] = useState<string | null>(null)
  const [isPaletteOpen, setPaletteOpen] = useState(false)
  const [isConnecting, setConnecting] = useState(false)
  const [dialog, open] = useState<EditDialog>(null)
  const entries = useEntries(editing?.draft.doc.value.mode ?? 'live')
  useEffect(
    () => select((known) => (chosen !== null ? new Set([chosen]) : known.size > 1 ? known : new Set())),
    [chosen],
  )
  const own = (all: Places): Places => Object.fromEntries(Object.entries(all).filter(([id]) => !isStandIn(id)))
  const chooseAll = (ids: ReadonlySet<string>): void => {
    const [only] = ids
    choose(ids.size === 1 ? (only ?? null) : null)
    select(ids)
  }
  useEditKeys(editing, {
    selected,
    select: chooseAll,
    remove: () => editing && remove(editing, [...selected], [], () => chooseAll(new Set())),
    openPalette: () => setPaletteOpen(true),
    openConnect: () => setConnecting(true),
    openPublish: () => open('publish'),
    places: () => own(places),
  })
  if (!editing) return null
  const { draft, name } = editing
  const put = (entry: Entry, at: Place | null): void => {
    const node = newNode(draft.doc.peek(), name, entry.type, entry.library)
    const place = at ?? placeFor(node, places, nodes, chosen)
    // the others stay where they were drawn, also those that nobody has placed
    draft.edit(`Add ${node.id}`, (doc) => addNode(node, place)(moveNodes(own(places))(doc)))
    setPaletteOpen(false)
    choose(node.id)
    setAdded(node.id)
  }
  const closePalette = (): void => setPaletteOpen(false)
  return {
    selected,
    added,
    bar: (
      <>
        <EditBar editing={editing} dialog={dialog} open={open} openPalette={() => setPaletteOpen(!isPaletteOpen)} />
        {isConnecting ? (
          <ConnectPicker
            editing={editing}
            node={selected.size === 1 ? ([...selected][0] ?? null) : null}
            close={() => setConnecting(false)}
          />
        ) : null}
      </>
    ),
    notes: <WorkNotes editing={editing} />,
    palette: isPaletteOpen ? (
      <PalettePanel mode={draft.doc.value.mode} add={(entry) => put(entry, null)} close={closePalette} />
    ) : null,
    side: (node) =>
      node && !isStandIn(node.id) ? (
        <NodeEditor key={node.id} editing={editing} node={node} select={choose} />
      ) : (
        <FlowEditor editing={editing} />
      ),
    move: (to) => draft.edit('Move', moveNodes(own({ ...places, ...to }))),
    edit: {
      select,
      connect: (from, to) => draft.edit(`Wire ${from.node} to ${to.node}`, connect(name, from, to)),
      remove: (ids, wires) => remove(editing, ids, wires, () => chooseAll(new Set())),
      drop: (key, place) => {
        const entry = entries.find((one) => one.key === key)
        if (entry?.refusal === null) put(entry, place)
      },
    },
  }
}

/** Nodes, and wires that are cut at their inputs. */
function remove({ draft, name }: Editing, ids: readonly string[], wires: readonly Wire[], done: () => void): void {
  const known = draft.doc.peek().nodes.filter(({ id }) => ids.includes(id))
  const what =
    known.length === 0
      ? wires.length === 1
        ? 'a wire'
        : 'wires'
      : known.length === 1
        ? known[0]?.id
        : `${known.length} nodes`
  if (known.length === 0 && wires.length === 0) return
  draft.edit(`Delete ${what}`, (doc) => {
    const cut = wires.reduce((now, { to }) => disconnect(name, to)(now), doc)
    return known.length === 0 ? cut : deleteNodes(new Set(ids))(cut)
  })
  done()
  say(`Deleted ${what}.`, { title: 'Undo', act: () => void draft.undo() })
}
