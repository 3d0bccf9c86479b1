/**
 * What a flow can be built of: node types by their groups, and code of the library. Dragged onto the canvas, or found by a few
 * letters and added with Enter.
 */
import type { LibrarySource, NodeType } from '@flow-service/client-sdk'
import { useEffect, useRef, useState } from 'preact/hooks'

import { useResource } from '../api/resource.ts'
import { counted } from '../format.ts'
import { Icon } from '../parts/icon.tsx'
import { Loading } from '../parts/states.tsx'
import { DRAGGED } from './canvas.tsx'
import type { Doc } from './document.ts'
import { useIsSuperuser, useNodeTypes } from './editing.ts'

/** Something that can be added. */
export interface Entry {
  readonly key: string
  readonly title: string
  readonly about: string
  readonly group: string
  readonly type: NodeType
  readonly library: string | null
  /** Why it cannot be added now. */
  readonly refusal: string | null
}

const groups: Readonly<Record<NodeType['category'], string>> = {
  logic: 'Logic',
  function: 'Functions',
  network: 'Network',
  device: 'Devices',
  system: 'System',
  connector: 'Connectors',
}

/** Nodes of this type come from code alone. */
const CODE = 'code'

/** All that can be added to a flow of this mode, in its groups. */
export function useEntries(mode: Doc['mode']): readonly Entry[] {
  const types = useNodeTypes()
  const isSuperuser = useIsSuperuser()
  const { data: library = [] } = useResource<LibrarySource[]>('/flows/library').value
  const refusal = (type: NodeType): string | null => {
    if (!type.available) return `It cannot start here: ${type.missing ?? 'something is missing'}`
    return type.superuser && !isSuperuser ? 'Only superusers add nodes that execute code.' : null
  }
  const found = types.flatMap((type): Entry[] =>
    type.type === CODE || !type.modes.includes(mode)
      ? []
      : [
          {
            key: type.type,
            title: type.title,
            about: type.description,
            group: groups[type.category],
            type,
            library: null,
            refusal: refusal(type),
          },
        ],
  )
  const python = types.find((type) => type.has_source)
  const shared = library.flatMap(({ name, used_by: users }): Entry[] =>
    python
      ? [
          {
            key: `${python.type}/${name}`,
            title: name,
            about: `Shared code, used by ${counted(users.length, 'node')}.`,
            group: 'Library',
            type: python,
            library: name,
            refusal: refusal(python),
          },
        ]
      : [],
  )
  const order = [...Object.values(groups), 'Library']
  return [...found, ...shared].toSorted((a, b) => order.indexOf(a.group) - order.indexOf(b.group))
}

interface PaletteProps {
  readonly mode: Doc['mode']
  readonly add: (entry: Entry) => void
  readonly close: () => void
}

export function PalettePanel({ mode, add, close }: PaletteProps) {
  const entries = useEntries(mode)
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const search = useRef<HTMLInputElement>(null)
  useEffect(() => search.current?.focus(), [])
  const found = entries.filter((entry) => isFound(entry, text))
  const chosen = found[Math.min(at, found.length - 1)]
  const hear = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) setAt((Math.min(at, found.length - 1) + step + found.length) % Math.max(1, found.length))
    else if (event.key === 'Enter' && chosen?.refusal === null) add(chosen)
    else if (event.key === 'Escape') close()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <section class="node-palette" aria-label="Add a node">
      <div class="find">
        <Icon name="search" size={16} />
        <input
          ref={search}
          value={text}
          placeholder="Add a node"
          role="combobox"
          aria-label="Find a node to add"
          aria-expanded="true"
          aria-controls="node-types"
          aria-activedescendant={chosen ? optionId(chosen) : undefined}
          onInput={({ currentTarget }) => {
            setText(currentTarget.value)
            setAt(0)
          }}
          onKeyDown={hear}
        />
        <button class="bare" aria-label="Close the list of nodes" onClick={close}>
          <Icon name="close" size={16} />
        </button>
      </div>
      {entries.length === 0 ? <Loading /> : null}
      <ul id="node-types" role="listbox" aria-label="Node types" tabIndex={-1}>
        {found.map((entry, index) => (
          <Option
            key={entry.key}
            entry={entry}
            isChosen={entry === chosen}
            group={entry.group === found[index - 1]?.group ? null : entry.group}
            add={add}
          />
        ))}
      </ul>
      {entries.length > 0 && found.length === 0 ? <p class="hint">No type of node has these letters.</p> : null}
      <p class="hint keys">
        <kbd>Enter</kbd> adds it, or drag it onto the canvas.
      </p>
    </section>
  )
}

const optionId = ({ key }: Entry): string => `type-${key.replaceAll(/\W/g, '-')}`

function isFound({ title, key, about }: Entry, text: string): boolean {
  const wanted = text.trim().toLowerCase()
  return [title, key, about].some((one) => one.toLowerCase().includes(wanted))
}

interface OptionProps {
  readonly entry: Entry
  readonly isChosen: boolean
  /** Begins with this one. */
  readonly group: string | null
  readonly add: (entry: Entry) => void
}

function Option({ entry, isChosen, group, add }: OptionProps) {
  const item = useRef<HTMLLIElement>(null)
  useEffect(() => {
    if (isChosen) item.current?.scrollIntoView({ block: 'nearest' })
  }, [isChosen])
  const isFree = entry.refusal === null
  return (
    <>
      {group === null ? null : (
        <li role="presentation" class="group-name">
          {group}
        </li>
      )}
      {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the input hears the keys */}
      <li
        ref={item}
        id={optionId(entry)}
        role="option"
        aria-selected={isChosen}
        aria-disabled={!isFree}
        draggable={isFree}
        title={entry.refusal ?? entry.about}
        onDragStart={(event) => {
          event.dataTransfer?.setData(DRAGGED, entry.key)
          if (event.dataTransfer) event.dataTransfer.effectAllowed = 'copy'
        }}
        onClick={() => {
          if (isFree) add(entry)
        }}
      >
        <b>{entry.title}</b>
        <small>{entry.refusal ?? entry.about}</small>
      </li>
    </>
  )
}
